"""The descriptions of collections and geometry columns."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from libs.catalogue.history import History
from libs.catalogue.model import Argument, Collection, Column, GeometryColumn, Publisher, TimeColumn
from libs.catalogue.own_look import OwnLook
from libs.ogc.crs import CRS84, USUAL_SRIDS, crs_uri


@pytest.mark.parametrize(
    ("kind", "dimension"),
    [
        ("Point", 0),
        ("MultiPoint", 0),
        ("LineString", 1),
        ("MultiLineString", 1),
        ("MultiCurve", 1),
        ("Polygon", 2),
        ("MultiPolygon", 2),
        ("MultiSurface", 2),
        ("Geometry", None),
        ("GeometryCollection", None),
    ],
)
def test_several_parts_have_the_dimension_of_one(kind: str, dimension: int | None) -> None:
    assert GeometryColumn("geom", kind, 4326).dimension == dimension


@pytest.mark.parametrize(
    ("turns", "crosses", "is_cut"), [((), False, False), ((1,), False, True), ((), True, True), ((-1, 1), True, True)]
)
def test_what_is_cut_at_the_antimeridian(turns: tuple[int, ...], crosses: bool, is_cut: bool) -> None:
    assert GeometryColumn("geom", "Polygon", 4326, turns=turns, crosses=crosses).is_cut == is_cut


@pytest.mark.parametrize(("kind", "said"), [("table", "Table"), ("view", "Table"), ("function", "Function")])
def test_what_a_collection_is_in_the_words_of_the_contract(kind: str, said: str) -> None:
    assert Collection("a.b", "a", "b", 1, kind, "B", None, ()).type == said


ID, PART = Column("id", "integer", "integer"), Column("part", "text", "text")
FIRST, LAST = "2020-01-01T00:00:00Z", "2020-06-01T00:00:00Z"


def _of(kind: str = "table", **more: Any) -> Collection:
    return replace(Collection("a.b", "a", "b", 7, kind, "B", None, (ID, PART), sources=(7,)), **more)


@pytest.mark.parametrize(
    ("collection", "columns"),
    [
        (_of(key="id"), (ID,)),
        (_of(composite_key=("part", "id")), (PART, ID)),
        (_of(), ()),
        # a hidden column of a key leaves no id
        (_of(composite_key=("part", "hidden")), ()),
        (_of(key="hidden"), ()),
    ],
)
def test_an_id_is_made_of_all_columns_of_the_key(collection: Collection, columns: tuple[Column, ...]) -> None:
    assert collection.id_columns == columns


@pytest.mark.parametrize(
    ("collection", "address", "start_behind_rows"),
    [
        (_of(), ("ctid",), True),
        (_of("materialized view"), ("ctid",), True),
        (_of("materialized view", sources=()), (), True),
        # children and partitions number their rows by themselves
        (_of(sources=(7, 8)), ("tableoid", "ctid"), True),
        (_of("partitioned table", sources=(8,)), ("tableoid", "ctid"), True),
        (_of("table", sources=()), (), True),
        (_of("foreign table", sources=()), (), True),
        (_of("view"), (), True),
        # rows of a view that follows the clock change by themselves
        (_of("view", sources=()), (), False),
        (_of("view", sources=(), key="id"), (), True),
        (_of("view", sources=(), key="id", key_repeats=True), (), False),
        (_of("partitioned table", sources=(), key="id", key_repeats=True), (), False),
        (_of("function"), (), False),
        (_of("function", sources=(), key="id"), (), True),
    ],
)
def test_what_tells_rows_apart(collection: Collection, address: tuple[str, ...], start_behind_rows: bool) -> None:
    assert (collection.row_address, collection.pages_start_behind_rows) == (address, start_behind_rows)


def test_data_are_as_new_as_the_newest_issue_or_start_never_as_an_end() -> None:
    start, end = TimeColumn("start", "timestamptz", FIRST, LAST), TimeColumn("end", "timestamptz", FIRST, "2030-01-01")
    issued = TimeColumn("issued", "timestamptz", FIRST, "2020-03-01T00:00:00Z")
    times = (start, end, issued)
    assert _of(times=times, time_end="end", time_issued="issued").as_of() == "2020-03-01T00:00:00Z"
    unknown = (start, end, replace(issued, end=None))
    assert _of(times=unknown, time_end="end", time_issued="issued").as_of() == LAST
    assert _of(times=times, time_end="end").as_of() == LAST
    assert _of().as_of() is None


@pytest.mark.parametrize(
    ("start", "end", "extent"),
    [
        ((FIRST, LAST), (FIRST, "2021-01-01T00:00:00Z", False), (FIRST, "2021-01-01T00:00:00Z")),
        # some have not ended yet
        ((FIRST, LAST), (FIRST, LAST, True), (FIRST, None)),
        ((FIRST, LAST), (None, None, False), (FIRST, None)),
        ((None, None), (FIRST, LAST, False), (None, LAST)),
        # an hour of another zone is compared as a moment, and what ends before it starts counts
        (
            ("2020-01-01T00:00:00Z", LAST),
            ("2020-01-01T00:30:00+01:00", "2020-02-01T00:00:00Z", False),
            ("2020-01-01T00:30:00+01:00", LAST),
        ),
    ],
)
def test_the_extent_of_features_that_last(
    start: tuple[str | None, str | None],
    end: tuple[str | None, str | None, bool],
    extent: tuple[str | None, str | None],
) -> None:
    times = (TimeColumn("start", "timestamptz", *start), TimeColumn("end", "timestamptz", *end))
    assert _of(times=times, time_end="end").temporal_extent() == extent
    assert _of(times=times).temporal_extent() == start


def test_periods_last_by_themselves() -> None:
    times = (TimeColumn("during", "tstzrange", FIRST, LAST), TimeColumn("end", "timestamptz", FIRST, LAST))
    assert _of(times=times, time_end="end").period_columns() is None
    assert _of(times=times[::-1], time_end="during").period_columns() is None
    assert _of(times=times, time_end="lost").period_columns() is None
    assert _of().temporal_extent() == (None, None)


@pytest.mark.parametrize(
    ("srid", "stored", "crs"),
    [
        (4326, CRS84, [CRS84, crs_uri(3857)]),
        (3857, crs_uri(3857), [CRS84, crs_uri(3857)]),
        (2180, crs_uri(2180), [CRS84, crs_uri(3857), crs_uri(2180)]),
        (0, None, [CRS84, crs_uri(3857)]),
    ],
)
def test_features_may_be_had_in_their_own_crs_too(srid: int, stored: str | None, crs: list[str]) -> None:
    collection = _of(geometries=(GeometryColumn("geom", "Point", srid),), srids=(3857,))
    assert (collection.storage_crs(), [*collection.crs()]) == (stored, crs)
    assert (_of().storage_crs(), _of().crs()) == (None, (CRS84,))


# every member differs from its default
FULL = Collection(
    id="a.b",
    schema="a",
    name="b",
    oid=7,
    kind="function",
    title="B",
    description="All of them",
    columns=(
        Column("id", "integer", "integer", indexed=True, not_null=True),
        Column("kind", "a.kind", "string", "uri", "Kind", "Of what kind", "m", ("x", "y"), items="string"),
    ),
    geometries=(
        GeometryColumn("geom", "Point", 3857, True, 3, (1.0, 2.0, 3.0, 4.0), (-1, 1), True, True, True, True),
        GeometryColumn("other", "Polygon", 4326),
    ),
    times=(TimeColumn("at", "date", FIRST, LAST, nulls=True), TimeColumn("until", "date")),
    time_end="until",
    time_issued="at",
    key="id",
    composite_key=("id", "kind"),
    key_repeats=True,
    suggested_key="kind",
    row_security=True,
    rows=5,
    item_count=6,
    row_bytes=8,
    large_rows=True,
    sources=(7, 8),
    product_source=9,
    impact_source=9,
    arguments=(Argument("n", "integer", "integer", "int32", "1"),),
    sort=("-id",),
    importance=("kind",),
    minzoom=1,
    maxzoom=9,
    tile_properties=((0, 4, ("id",)), (5, 9, ())),
    srids=(3857,),
    overview=False,
    item_links=(("next", (("id", "kind"),)),),
    keywords=("one",),
    license="https://example.org/terms",
    part_licenses=(("Places", "https://example.org/places"),),
    attribution="Us",
    look=OwnLook("#112233", "kind", "circle", "kind", "Kind", (1, 2), ("#445566",), (("a", "#778899"),)),
    publishers=(Publisher("GDACS", "CC BY", None, "GDACS", 360, FIRST),),
    history=History("hazard.a", FIRST, ("id",)),
    past=FIRST,
    shape="s",
)


def test_a_collection_travels_between_the_services_as_it_is() -> None:
    for collection in (FULL, _of(), replace(FULL, geometries=FULL.geometries[1:], key=None)):
        found = Collection.from_json(json.loads(json.dumps(collection.to_json())))
        assert found == collection
        assert hash(found) == hash(collection)
        assert found.columns[-1].enum == collection.columns[-1].enum
    assert "_hash" not in FULL.to_json()
    plain = Collection("", "", "", 0, "", "", "", ())
    same = [each.name for each in fields(FULL) if each.init and getattr(FULL, each.name) == getattr(plain, each.name)]
    assert not same, "tell another value of it above"


def test_collection_of_an_earlier_release_has_no_publishers() -> None:
    value = _of().to_json()
    del value["publishers"], value["part_licenses"]
    assert Collection.from_json(value) == _of()


def test_a_geometry_of_which_nobody_says_more_is_plain() -> None:
    found = GeometryColumn("geom", "Point", 4326)
    assert (found.dimensions, found.bbox, found.turns) == (2, None, ())
    flags = (found.is_geography, found.crosses, found.partial, found.as_stored, found.not_null)
    assert not any(flags)


def test_what_nobody_says_of_columns_and_collections_is_nothing_special() -> None:
    column, geometry, time = Column("a", "text", "string"), GeometryColumn("g", "Point", 4326), TimeColumn("t", "date")
    assert (column.indexed, column.not_null, column.enum, column.items) == (False, False, None, None)
    assert (geometry.dimensions, geometry.is_geography, geometry.not_null, geometry.partial) == (2, False, False, False)
    assert (geometry.crosses, geometry.as_stored, geometry.turns, geometry.bbox) == (False, False, (), None)
    assert (time.start, time.end, time.nulls) == (None, None, False)
    found = Collection("a.b", "a", "b", 1, "table", "B", None, ())
    assert (found.overview, found.large_rows, found.key_repeats, found.row_security) == (True, False, False, False)
    assert (found.srids, found.sources, found.sort, found.shape) == (USUAL_SRIDS, (), (), "")
    # the same collection twice is one of a cache's entries, and no member of it can be set
    assert {found: 1}[replace(found)] == 1
    others = [replace(geometry, name="h"), replace(geometry, type="Polygon"), replace(geometry, srid=3857)]
    assert hash(geometry) == hash(replace(geometry)) not in {hash(other) for other in others}
    for frozen in (column, geometry, time, found):
        with pytest.raises(FrozenInstanceError):
            frozen.name = "b"  # type: ignore[misc]


def test_what_is_found_by_name_or_else_is_the_default() -> None:
    assert [FULL.geometry(name) for name in (None, "other", "lost")] == [*FULL.geometries, None]
    assert [FULL.time(name) for name in (None, "until", "lost")] == [*FULL.times, None]
    assert (FULL.column("kind"), FULL.column("lost")) == (FULL.columns[1], None)
    assert (_of().geometry(), _of().time(), _of().bbox()) == (None, None, None)
    assert FULL.bbox() == (1.0, 2.0, 3.0, 4.0)
    assert replace(FULL, geometries=FULL.geometries[1:]).bbox() is None


@pytest.mark.parametrize(
    ("sql_type", "json_type", "ordered"),
    [("integer", "integer", True), ("jsonb", "object", False), ("text[]", "array", False), ("xml", "string", False)],
)
def test_what_rows_can_be_sorted_by(sql_type: str, json_type: str, ordered: bool) -> None:
    assert Column("a", sql_type, json_type).ordered is ordered


@pytest.mark.parametrize("sql_type", ["daterange", "tsrange", "tstzrange", "date"])
def test_a_range_of_time_is_a_period(sql_type: str) -> None:
    assert TimeColumn("a", sql_type).is_period is (sql_type != "date")


def test_collections_of_different_states_hash_differently() -> None:
    moved = replace(FULL.geometries[0], bbox=(0.0, 0.0, 0.0, 0.0))
    others = [
        replace(FULL, rows=6),
        replace(FULL, item_count=7),
        replace(FULL, shape="t"),
        replace(FULL, geometries=(moved,)),
        replace(FULL, times=(replace(FULL.times[0], end=FIRST),)),
    ]
    assert len({hash(each) for each in (FULL, *others)}) == 6
