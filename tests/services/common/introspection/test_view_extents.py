"""Extents of views: exact or none, and never in the way of the catalogue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Any
from unittest import mock

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.ogc.errors import Unavailable
from libs.pg.pool import Database, PoolSettings
from services.common.introspection.extents import Extents
from services.common.introspection.introspect import Introspection
from services.common.introspection.view_extents import ViewExtents
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.common.introspection.asking import UNHURRIED, Asking

_SCHEMA = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA seen;
CREATE TABLE seen.places (id integer PRIMARY KEY, at timestamptz, geom geometry(Point, 4326));
INSERT INTO seen.places VALUES
    (1, '2020-01-02Z', 'SRID=4326;POINT(10 20)'), (2, '2021-03-04Z', 'SRID=4326;POINT(30 40)'),
    (3, NULL, NULL), (4, 'infinity', 'SRID=4326;POINT(11 21)');
CREATE VIEW seen.plain AS SELECT * FROM seen.places WHERE id <> 2;
CREATE VIEW seen.made AS SELECT id, at::date AS day, ST_Transform(geom, 3857)::geometry(Point, 3857) AS geom,
    ST_Translate(geom, 1, 2)::geometry(Point, 4326) AS beside FROM seen.places WHERE id < 4;
CREATE VIEW seen.empty AS SELECT * FROM seen.places WHERE id > 99;
"""
_SLOW = [f"seen.slow_{number:02}" for number in range(20)]


@pytest.fixture
async def owner(make_database: MakeDatabase) -> AsyncIterator[tuple[asyncpg.Connection, str]]:
    """The owner's connection to a database of some views, and its address."""
    url = await make_database()
    connection = await asyncpg.connect(url)
    await connection.execute(_SCHEMA)
    yield connection, url
    await connection.close()


async def _bare(database: Database) -> tuple[tuple[Collection, ...], Mapping[str, object]]:
    extents = Extents(database)
    return await extents.fill_in(await Introspection(database, ("seen",)).collections()), extents.states


def _named(collections: tuple[Collection, ...]) -> dict[str, Collection]:
    return {collection.name: collection for collection in collections}


def _box(collection: Collection) -> list[float]:
    return list(collection.geometries[0].bbox or ())


async def test_the_catalogue_knows_them(owner: tuple[asyncpg.Connection, str]) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        introspection = Introspection(database, ("seen",))

        async def all_read() -> dict[str, Collection]:
            found = _named(await introspection.collections())
            assert all(geometry.bbox for name in ("plain", "made") for geometry in found[name].geometries)
            return found

        # on a busy machine, one round may be too short to read all of them
        found = await eventually(all_read)
    plain = found["plain"]
    assert _box(plain) == [10, 20, 11, 21]
    # infinity is an open end
    assert (plain.times[0].start, plain.times[0].end, plain.times[0].nulls) == ("2020-01-02T00:00:00Z", None, True)
    made = found["made"]
    assert made.geometries[0].bbox == pytest.approx((10, 20, 30, 40), abs=1e-4)
    assert list(made.geometries[1].bbox or ()) == [11, 22, 31, 42]
    assert (made.times[0].start, made.times[0].end) == ("2020-01-02T00:00:00Z", "2021-03-04T00:00:00Z")
    assert (found["empty"].geometries[0].bbox, found["empty"].times[0].start) == (None, None)


async def test_a_slow_one_has_none_and_costs_little(
    owner: tuple[asyncpg.Connection, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _SLOW:
        await owner[0].execute(f"CREATE VIEW {name} AS SELECT places.* FROM seen.places, pg_sleep(60)")  # noqa: S608 ours
    async with Database(PoolSettings(owner[1], "test")) as database:
        bare, states = await _bare(database)
        views = ViewExtents(database, statement_ms=50, round_seconds=0.1)
        # one of them alone would take a minute
        async with asyncio.timeout(30):
            for _ in range(2):
                await views.fill_in(bare, states)
        # in the end each view has had its turn
        for _ in range(40):
            found = _named(await views.fill_in(bare, states))
        assert _box(found["plain"]) == [10, 20, 11, 21]
        assert found["slow_00"].geometries[0].bbox is None
        # and no view is read again
        asked = mock.Mock()
        monkeypatch.setattr(database, "connection", asked)
        again = await views.fill_in(bare, states)
        asked.assert_not_called()
        assert all(first is second for first, second in zip(again, found.values(), strict=True))


async def test_the_times_of_a_view_are_read_where_its_box_takes_too_long(
    owner: tuple[asyncpg.Connection, str],
) -> None:
    await owner[0].execute(
        "CREATE FUNCTION seen.slowly(geometry) RETURNS geometry STABLE LANGUAGE sql"
        " AS 'SELECT $1 FROM pg_sleep(60)';"
        "CREATE VIEW seen.far AS SELECT at, seen.slowly(geom)::geometry(Point, 4326) AS geom FROM seen.places"
        " WHERE id < 3"
    )
    async with Database(PoolSettings(owner[1], "test")) as database:
        bare, states = await _bare(database)
        # as long as one statement may take
        views = ViewExtents(database, statement_ms=250, round_seconds=0.25)
        for _ in range(10):
            found = _named(await views.fill_in(bare, states))
    assert found["far"].times[0].start == "2020-01-02T00:00:00Z"
    assert found["far"].geometries[0].bbox is None
    assert _box(found["plain"]) == [10, 20, 11, 21]


async def test_what_is_locked_says_nothing_of_its_extent(owner: tuple[asyncpg.Connection, str]) -> None:
    """It is looked at again as soon as it can be, not when the view changes or is due."""
    async with Database(PoolSettings(owner[1], "test", lock_timeout_ms=20)) as database:
        bare, states = await _bare(database)
        views = ViewExtents(database)
        async with owner[0].transaction():
            await owner[0].execute("LOCK TABLE seen.places")
            with pytest.raises(Unavailable):
                await views.fill_in(bare, states)
        found = _named(await views.fill_in(bare, states))
        assert _box(found["plain"]) == [10, 20, 11, 21]


async def test_a_change_shows_when_its_time_has_come(owner: tuple[asyncpg.Connection, str]) -> None:
    async with Database(PoolSettings(owner[1], "test")) as database:
        bare, states = await _bare(database)
        bounded, eager = ViewExtents(database), ViewExtents(database, least_seconds=0)
        await bounded.fill_in(bare, states)
        await eager.fill_in(bare, states)
        await owner[0].execute("INSERT INTO seen.places VALUES (5, NULL, 'SRID=4326;POINT(50 60)')")
        # with equal states no statement is sent
        assert _box(_named(await eager.fill_in(bare, states))["plain"]) == [10, 20, 11, 21]
        later = dict.fromkeys(states, "another")
        assert _box(_named(await eager.fill_in(bare, later))["plain"]) == [10, 20, 50, 60]
        assert _box(_named(await bounded.fill_in(bare, later))["plain"]) == [10, 20, 11, 21]


@pytest.fixture
async def asking(owner: tuple[asyncpg.Connection, str]) -> AsyncIterator[Asking]:
    async with Asking(PoolSettings(owner[1], "test")) as database:
        yield database


BOX = (10.0, 20.0, 30.0, 40.0)
_TABLE: dict[str, Any] = {"kind": "table", "rows": 4, "row_bytes": 100}


_READ: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any], int]] = [
    ({}, {}, {}, 0),
    ({}, {"bbox": None}, {}, 1),
    ({}, {}, {"start": None, "end": None}, 1),
    ({}, {}, {"start": None}, 0),
    ({}, {}, {"end": None}, 0),
    ({}, {}, {"sql_type": "tstzrange"}, 1),
    # no statistics cover all rows of these, or they cover hidden ones too
    ({"row_security": True}, {}, {}, 2),
    ({"kind": "view"}, {}, {}, 2),
    ({"kind": "foreign table"}, {}, {}, 2),
    ({"kind": "materialized view"}, {}, {}, 0),
    ({"kind": "function"}, {"bbox": None}, {}, 0),
    # an estimate does not shrink; small tables were read
    ({"rows": 1024, "row_bytes": 8192}, {}, {}, 0),
    ({"rows": 1024, "row_bytes": 8193}, {}, {}, 1),
    # what is too large to be read has an index at the best, which a geography has not
    ({"rows": 10_000_000, "row_bytes": 1000}, {}, {}, 1),
    ({"rows": 10_000_000, "row_bytes": 1000, "kind": "partitioned table"}, {}, {}, 0),
    ({"rows": 10_000_000, "row_bytes": 1000, "sources": (1, 2)}, {}, {}, 0),
    ({"rows": 500_000, "row_bytes": 1000}, {"is_geography": True}, {}, 0),
    ({"rows": 499_999, "row_bytes": 1000}, {"is_geography": True}, {}, 1),
    ({"rows": 1_000_000, "row_bytes": 10}, {"is_geography": True}, {}, 0),
    ({"rows": 999_999, "row_bytes": 10}, {"is_geography": True}, {}, 1),
]
"""Changes to a small table with known ends (of the table, its geometry and its time), and the number of reads that
follow.
"""


async def test_what_has_to_be_read_is(asking: Asking) -> None:
    bare, _ = await _bare(asking)
    places = _named(bare)["places"]
    found = []
    for of_table, of_geometry, of_time, _ in _READ:
        known = replace(
            places,
            geometries=(replace(places.geometries[0], **{"bbox": BOX, **of_geometry}),),
            times=(replace(places.times[0], **{"start": "2020-01-01Z", "end": "2021-01-01Z", **of_time}),),
            **{**_TABLE, **of_table},
        )
        asking.times = 0
        await ViewExtents(asking, **UNHURRIED).fill_in((known,), {known.id: 1})
        found.append((of_table, of_geometry, of_time, asking.times))
    assert found == _READ


@pytest.mark.parametrize(
    ("index", "box"),
    [
        ("CREATE INDEX ON seen.shapes USING gist (geom)", [-10, -20, 34, 45]),
        # these indexes cover some rows, or another column: the estimate stays
        ("CREATE INDEX ON seen.shapes USING gist (geom) WHERE id > 2", list(BOX)),
        ("CREATE INDEX ON seen.shapes USING gist (other)", list(BOX)),
    ],
)
async def test_the_rows_at_the_ends_of_an_index_tell_of_a_large_table(
    owner: tuple[asyncpg.Connection, str], index: str, box: list[float]
) -> None:
    await owner[0].execute(
        "CREATE TABLE seen.shapes (id integer PRIMARY KEY, geom geometry(LineString, 4326), other geometry);"
        "INSERT INTO seen.shapes SELECT n, shape, shape FROM (VALUES"
        " (1, 'SRID=4326;LINESTRING(-10 3, 1 4)'::geometry), (2, 'SRID=4326;LINESTRING(1 -20, 2 5)'),"
        " (3, 'SRID=4326;LINESTRING(3 6, 34 7)'), (4, 'SRID=4326;LINESTRING(5 8, 6 45)'),"
        " (5, 'SRID=4326;LINESTRING(-100 -70, 100 70)'), (6, NULL)) AS shapes (n, shape)"
    )
    await owner[0].execute(index)
    # the index still has the deleted row
    await owner[0].execute("ANALYZE seen.shapes; DELETE FROM seen.shapes WHERE id = 5")
    async with Database(PoolSettings(owner[1], "test")) as database:
        shapes = _named((await _bare(database))[0])["shapes"]
        of_estimate = (replace(shapes.geometries[0], bbox=BOX), *shapes.geometries[1:])
        large = replace(shapes, rows=10_000_000, row_bytes=1000, geometries=of_estimate)
        (found,) = await ViewExtents(database, **UNHURRIED).fill_in((large,), {large.id: 1})
    assert _box(found) == box


async def test_what_is_known_is_read_again_when_it_may_be_another(asking: Asking) -> None:
    bare, _ = await _bare(asking)
    plain = _named(bare)["plain"]

    async def reads(extents: ViewExtents, view: Collection = plain, state: int = 1, locked: str = "") -> int:
        asking.times = 0
        (found,) = await extents.fill_in((view,), {view.id: state}, {locked})
        assert (found.geometries[0].bbox is None) is (view.name == "gone")
        return asking.times

    patient = ViewExtents(asking, least_seconds=600, **UNHURRIED)
    assert [await reads(patient, state=state) for state in (1, 1, 2)] == [2, 0, 0]
    # of another shape it is another column
    assert await reads(patient, replace(plain, shape="another"), 2) == 2
    assert await reads(ViewExtents(asking, trusted_seconds=0, **UNHURRIED)) == 2
    eager = ViewExtents(asking, least_seconds=0, trusted_seconds=0, **UNHURRIED)
    assert [await reads(eager), await reads(eager), await reads(eager, locked=plain.id)] == [2, 2, 0]
    # a view that cannot be read is not tried each time
    gone = replace(plain, name="gone", id="seen.gone")
    assert [await reads(patient, gone) > 0 for _ in range(2)] == [True, False]


async def test_who_was_forgotten_is_read_anew(asking: Asking) -> None:
    bare, states = await _bare(asking)
    plain = _named(bare)["plain"]
    extents = ViewExtents(asking, least_seconds=600, **UNHURRIED)
    for views in ((plain,), (), (plain,)):
        asking.times = 0
        await extents.fill_in(views, states)
        assert asking.times == (2 if views else 0)


async def test_what_took_long_is_not_read_again_soon(owner: tuple[asyncpg.Connection, str], asking: Asking) -> None:
    await owner[0].execute("CREATE VIEW seen.lazy AS SELECT places.* FROM seen.places, pg_sleep(0.3)")
    lazy = _named((await _bare(asking))[0])["lazy"]
    extents, times = ViewExtents(asking, least_seconds=0, **UNHURRIED), []
    for state in (1, 2):
        asking.times = 0
        await extents.fill_in((lazy,), {lazy.id: state})
        times.append(asking.times)
    assert times == [2, 0]
