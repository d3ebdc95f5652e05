"""Features that last: `datetime` against a start and an end, in items and tiles, beside a plain Python evaluation."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services, services
from tests.services.tiles.places import decoded

TYPES = {"day": "date", "local": "timestamp", "zoned": "timestamptz"}
PAIRS = [f"{start}_{end}" for start, end in product(TYPES, TYPES)]
START, END = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
MOMENTS = [
    datetime(2020, 2, 28, 0, tzinfo=UTC),
    datetime(2020, 2, 28, 12, tzinfo=UTC),
    datetime(2020, 2, 28, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2020, 2, 29, 0, tzinfo=UTC),
    datetime(2020, 3, 2, 0, 0, 1, tzinfo=UTC),
]
ROWS = [
    (start, end)
    for start, end in product([None, START, *MOMENTS], [None, *MOMENTS, END])
    if not (start and end and start > end)
]
"""Start and end of each row; the id is the place in the list, counted from one."""


def _literal(moment: datetime | None, kind: str) -> str:
    if moment is None:
        return f"NULL::{kind}"
    if moment in (START, END):
        return f"'{'-' if moment == START else ''}infinity'::{kind}"
    return f"'{moment:%Y-%m-%d %H:%M:%S.%f}'::{kind}"


def _table(pair: str) -> str:
    start, end = (TYPES[name] for name in pair.split("_"))
    rows = ", ".join(
        f"({number}, {_literal(first, start)}, {_literal(last, end)}, ST_SetSRID(ST_MakePoint({number * 3}, 0), 4326))"
        for number, (first, last) in enumerate(ROWS, 1)
    )
    return (
        f"CREATE TABLE lasting.{pair} (id integer PRIMARY KEY, began {start}, ended {end},"  # noqa: S608
        f" geom geometry(Point, 4326)); INSERT INTO lasting.{pair} VALUES {rows};"
    )


@pytest.fixture(scope="module")
async def lasting(hostile: HostileDatabase, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Services]:
    """Common, features and tiles on tables of features that last, in every mixture of types."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute("SET timezone = 'UTC'; CREATE SCHEMA lasting;" + "".join(_table(pair) for pair in PAIRS))
    await owner.execute(
        # no nulls, and said so: another form of the condition
        "CREATE TABLE lasting.known AS SELECT id, began, ended, geom FROM lasting.zoned_zoned"
        " WHERE began IS NOT NULL AND ended IS NOT NULL;"
        "ALTER TABLE lasting.known ADD PRIMARY KEY (id), ALTER began SET NOT NULL, ALTER ended SET NOT NULL;"
        "CREATE VIEW lasting.seen AS SELECT * FROM lasting.zoned_day;"
        "CREATE TABLE lasting.floods (id integer PRIMARY KEY, began date NOT NULL, ended date, known date);"
        "INSERT INTO lasting.floods VALUES (1, '2020-01-10', '2020-01-20', '2019-05-05'),"
        " (2, '2020-01-12', NULL, NULL);"
        "CREATE INDEX ON lasting.floods (began); CREATE INDEX ON lasting.floods (ended);"
        "ANALYZE; GRANT USAGE ON SCHEMA lasting TO hostile_reader;"
        "GRANT SELECT ON ALL TABLES IN SCHEMA lasting TO hostile_reader"
    )
    file: Path = tmp_path_factory.mktemp("lasting") / "collections.yaml"
    names = [*PAIRS, "known", "floods"]
    file.write_text(  # noqa: ASYNC240
        "collections:\n"
        + "".join(f"  lasting.{name}: {{datetime_column: [began, ended]}}\n" for name in names)
        + "  lasting.seen: {datetime_column: [began, ended], id_column: id}\n"
    )
    env = hostile.env(DAMS_COLLECTION_SCHEMAS="lasting", DAMS_COLLECTIONS_CONFIG=str(file))
    async with services() as started:
        for name in ("common", "features", "tiles"):
            await started.start(name, env)
        yield started
    await owner.execute("DROP SCHEMA lasting CASCADE")
    await owner.close()


def _expected(pair: str, first: datetime | None, last: datetime | None) -> set[int]:
    """The rows that meet the closed interval; None is an open end."""
    starts, ends = pair.split("_")
    found = set()
    for number, (began, ended) in enumerate(ROWS, 1):
        since = began and (_midnight(began) if starts == "day" else began)
        until = ended and (_midnight(ended) + timedelta(days=1, microseconds=-1) if ends == "day" else ended)
        starts_in_time = since is None or last is None or since <= last
        ends_in_time = until is None or first is None or until >= first
        if starts_in_time and ends_in_time:
            found.add(number)
    return found


def _midnight(moment: datetime) -> datetime:
    if moment in (START, END):
        # so that the end of that day is within Python's calendar
        return moment if moment == START else moment - timedelta(days=1)
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


_BOUNDS = st.one_of(
    st.none(),
    st.sampled_from([date(2020, 2, 27) + timedelta(days=days) for days in range(6)]),
    st.sampled_from([moment + timedelta(microseconds=add) for moment in MOMENTS for add in (-1, 0, 1)]),
)


def _ends(bound: date) -> tuple[datetime, datetime]:
    if isinstance(bound, datetime):
        return bound, bound
    midnight = datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
    return midnight, midnight + timedelta(days=1, microseconds=-1)


async def _items(features: Client, name: str, **parameters: str) -> set[int]:
    page = await features.json(f"/collections/lasting.{name}/items", limit="1000", properties="", **parameters)
    # not there where counting took too long
    assert page.get("numberMatched", len(page["features"])) == len(page["features"])
    return {feature["id"] for feature in page["features"]}


async def _tile(tiles: Client, name: str, **parameters: str) -> set[int | None]:
    answer = await tiles.get(f"/collections/lasting.{name}/tiles/WebMercatorQuad/0/0/0", parameters)
    assert answer.status == 200, answer.body
    return {feature.id for feature in decoded(answer.body, f"lasting.{name}")} if answer.body else set()


@settings(
    max_examples=settings().max_examples * 3 // 2,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pair=st.sampled_from(PAIRS), first=_BOUNDS, last=_BOUNDS, instant=st.booleans())
async def test_the_same_features_as_in_python(
    lasting: Services, pair: str, first: date | None, last: date | None, instant: bool
) -> None:
    assume(first is not None or last is not None)
    if instant:
        if first is None:
            return
        last = first
    since, until = _ends(first)[0] if first else None, _ends(last)[1] if last else None
    if since and until and since > until:
        return
    texts = [".." if bound is None else bound.isoformat() for bound in (first, last)]
    text = texts[0] if instant else "/".join(texts)
    expected = _expected(pair, since, until)
    assert await _items(lasting["features"], pair, datetime=text) == expected
    assert await _tile(lasting["tiles"], pair, datetime=text) == expected


@pytest.mark.parametrize("text", ["2020-02-28T12:00:00Z", "2020-02-29", "../2020-02-28T01:00:00Z", "2020-03-01/.."])
async def test_columns_without_nulls_and_views_mean_the_same(lasting: Services, text: str) -> None:
    whole = {number for number, row in enumerate(ROWS, 1) if None not in row}
    assert await _items(lasting["features"], "known", datetime=text) == (
        await _items(lasting["features"], "zoned_zoned", datetime=text) & whole
    )
    assert await _items(lasting["features"], "seen", datetime=text) == (
        await _items(lasting["features"], "zoned_day", datetime=text)
    )


async def test_datetime_column_names_one_column_alone(lasting: Services) -> None:
    features, tiles = lasting["features"], lasting["tiles"]
    assert await _items(features, "floods", datetime="2020-01-15") == {1, 2}
    for column, expected in (("began", {2}), ("ended", {2}), ("known", {2})):
        assert await _items(features, "floods", datetime="2020-01-12", **{"datetime-column": column}) == expected
    at = "2020-02-28T12:00:00Z"
    starting = {number for number, (began, _) in enumerate(ROWS, 1) if began in {MOMENTS[1], None}}
    assert await _tile(tiles, "zoned_zoned", datetime=at, **{"datetime-column": "began"}) == starting
    dated = {number for number, (began, _) in enumerate(ROWS, 1) if began}
    assert await _tile(tiles, "zoned_zoned", datetime=at) & dated > starting & dated


async def test_with_other_parameters_and_paging(lasting: Services) -> None:
    features = lasting["features"]
    expected = {number for number in _expected("day_zoned", MOMENTS[0], MOMENTS[3]) if number % 2}
    filter_ = " OR ".join(f"id = {number}" for number in range(1, len(ROWS) + 1, 2))
    path = "/collections/lasting.day_zoned/items"
    page = await features.get(path, {"datetime": "2020-02-28/2020-02-29T00:00:00Z", "filter": filter_, "limit": "3"})
    seen: list[int] = []
    while True:
        seen += [feature["id"] for feature in page.json()["features"]]
        address = page.link("next")
        if address is None:
            break
        page = await features.get(address)
    assert (len(seen), set(seen)) == (len(expected), expected)


async def test_roles_in_the_schema(lasting: Services) -> None:
    properties = (await lasting["features"].json("/collections/lasting.floods/schema"))["properties"]
    assert {name: members.get("x-ogc-role") for name, members in properties.items()} == {
        "id": "id",
        "began": "primary-interval-start",
        "ended": "primary-interval-end",
        "known": None,
    }


async def test_the_extent_reaches_to_the_last_end_or_is_open(lasting: Services, owner: asyncpg.Connection) -> None:
    common = lasting["common"]

    async def is_(start: str | None, end: str | None) -> None:
        document = await common.json("/collections/lasting.floods")
        assert document["extent"]["temporal"]["interval"] == [[start, end]]

    async def listed(datetime_: str) -> bool:
        found: dict[str, Any] = await common.json("/collections", datetime=datetime_)
        return "lasting.floods" in {entry["id"] for entry in found["collections"]}

    await is_("2020-01-10T00:00:00Z", None)
    assert await listed("2099-01-01")
    assert not await listed("../2020-01-09")
    await owner.execute("SELECT dams.watch('lasting.floods')")
    await owner.execute("UPDATE lasting.floods SET ended = '2020-03-04' WHERE id = 2")
    await eventually(lambda: is_("2020-01-10T00:00:00Z", "2020-03-04T00:00:00Z"))
    assert not await listed("2099-01-01")
    assert await listed("2020-02-02")
    page = await common.get("/collections/lasting.floods", {"f": "html"})
    assert "began – ended" in page.body.decode()


async def test_without_an_index_the_rows_of_a_small_table_tell_that_some_go_on(lasting: Services) -> None:
    async def read() -> tuple[Any, Any]:
        entries = {entry["id"]: entry for entry in (await lasting["common"].json("/internal/catalogue"))["collections"]}
        began, ended = entries["lasting.zoned_zoned"]["times"]
        assert began["end"]
        return began, ended

    began, ended = await eventually(read)
    # some have always been, some go on: the extent is open at both ends, which no interval says
    assert (began["start"], began["nulls"], ended["end"], ended["nulls"]) == (None, True, None, True)
    assert "temporal" not in (await lasting["common"].json("/collections/lasting.zoned_zoned")).get("extent", {})


@pytest.mark.parametrize("pair", PAIRS)
async def test_a_facet_counts_what_lasts_in_each_time_that_it_meets(lasting: Services, pair: str) -> None:
    edges = [None, *MOMENTS, None]
    names = "/".join(moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ") for moment in MOMENTS)
    document = await lasting["features"].json(f"/collections/lasting.{pair}/facets", facets=f"datetime:edges:{names}")
    facet = document["facets"]["datetime"]
    timeless = {n for n, (start, end) in enumerate(ROWS, 1) if start in (None, START) and end in (None, END)}
    expected = [
        len(_expected(pair, first, last and last - timedelta(microseconds=1)) - timeless)
        for first, last in pairwise(edges)
    ]
    assert [bucket["count"] for bucket in facet["buckets"]] == expected
    assert (facet["property"], facet["endProperty"], facet["nulls"]) == ("began", "ended", len(timeless))
    assert document["numberMatched"] == len(ROWS)
    assert "interval" not in facet
    by_year = await lasting["features"].json(f"/collections/lasting.{pair}/facets", facets="datetime:year")
    assert by_year["facets"]["datetime"]["interval"] == "year"


async def test_a_facet_of_what_lasts_reaches_to_the_last_end(lasting: Services) -> None:
    asked = {"facets": "datetime:day", "filter": "id=1"}
    found = await lasting["features"].json("/collections/lasting.floods/facets", **asked)
    buckets = found["facets"]["datetime"]["buckets"]
    assert (buckets[0]["min"], buckets[-1]["min"]) == ("2020-01-10T00:00:00Z", "2020-01-20T00:00:00Z")
    assert [bucket["count"] for bucket in buckets] == [1] * 11
