"""By what the extent of a column is found, if by anything, and what its ends say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.pg.sql import sql
from services.common.introspection.extents import Ends, ends_of
from services.common.introspection.extents_sql import box_query, time_query

GEOM, AT = GeometryColumn("geom", "LineString", 4326), TimeColumn("at", "timestamptz")
TABLE = Collection(
    "s.t",
    "s",
    "t",
    7,
    "table",
    "T",
    None,
    (Column("at", "timestamptz", "string", "date-time"),),
    (GEOM,),
    (AT,),
    sources=(7,),
)
KINDS = {
    "table": True,
    "materialized view": True,
    "partitioned table": True,
    "view": False,
    "foreign table": False,
    "function": False,
}


def _box(collection: Collection = TABLE, column: GeometryColumn = GEOM) -> str:
    query = box_query(collection, column)
    assert query is not None
    return query(sql("0")).render()[0]


def _times(collection: Collection = TABLE, **of_column: bool) -> str:
    columns = (replace(collection.columns[0], **of_column),)  # type: ignore[arg-type]
    query = time_query(replace(collection, columns=columns), AT)
    assert query is not None
    return query(sql("0")).render()[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_has_rows_of_its_own_is_asked(kind: str) -> None:
    of_kind = replace(TABLE, kind=kind)
    hidden = replace(of_kind, row_security=True)
    assert [query is not None for query in (box_query(of_kind, GEOM), time_query(of_kind, AT))] == [KINDS[kind]] * 2
    # the server's statistics of all rows would show hidden ones, too
    assert (box_query(hidden, GEOM), time_query(hidden, AT)) == (None, None)


def test_of_ranges_and_of_columns_that_there_are_not_no_index_tells() -> None:
    assert time_query(TABLE, TimeColumn("at", "tstzrange")) is None
    assert time_query(TABLE, TimeColumn("until", "timestamptz")) is None


@pytest.mark.parametrize(
    ("of_collection", "of_column", "size", "estimate"),
    [
        ({}, {}, "pg_table_size", "ST_EstimatedExtent($"),
        ({"kind": "materialized view"}, {}, "pg_table_size", "ST_EstimatedExtent($"),
        # with the rows of its children, and of its partitions
        ({"sources": (7, 8)}, {}, "sum(pg_table_size(inhabited))", "ST_EstimatedExtent($"),
        ({"kind": "partitioned table"}, {}, "sum(pg_table_size(inhabited))", "pg_partition_tree"),
        # what is kept of them is a box around the middle of the Earth
        ({}, {"is_geography": True}, "pg_table_size", "NULL::box2d AS box"),
    ],
)
def test_what_is_large_is_estimated(
    of_collection: dict[str, object], of_column: dict[str, object], size: str, estimate: str
) -> None:
    collection = replace(TABLE, **of_collection)  # type: ignore[arg-type]
    text = _box(collection, replace(GEOM, **of_column))  # type: ignore[arg-type]
    assert f"FROM (SELECT {'(SELECT ' if 'sum' in size else ''}{size}" in text
    assert estimate in text
    others = {"ST_EstimatedExtent($", "pg_partition_tree", "NULL::box2d AS box"} - {estimate}
    assert not [other for other in others if other in text]


@pytest.mark.parametrize(
    ("kind", "is_geography", "unbroken"),
    [("LineString", True, True), ("Geometry", True, True), ("Point", True, False), ("LineString", False, False)],
)
def test_edges_on_the_sphere_are_laid_the_short_way(kind: str, is_geography: bool, unbroken: bool) -> None:
    text = _box(column=GeometryColumn("geom", kind, 4326, is_geography))
    assert ("ST_DumpPoints" in text) is unbroken


@pytest.mark.parametrize(("srid", "turned"), [(0, False), (4326, False), (3857, False), (25832, True), (2193, True)])
def test_boxes_of_other_crs_are_bent(srid: int, turned: bool) -> None:
    text = _box(column=replace(GEOM, srid=srid))
    assert ("ST_Segmentize" in text) is turned
    assert ("ST_MakeBox2D" in text) is (srid == 3857)


def test_only_an_index_leads_to_the_ends_of_what_is_large() -> None:
    assert "pg_table_size" not in _times(indexed=True)
    assert _times(indexed=False).count(") <= $") == 3
    # a column without nulls is not checked for them
    assert [_times(not_null=not_null, indexed=True).count("UNION ALL") for not_null in (True, False)] == [1, 2]
    assert _times(indexed=True).count(" DESC LIMIT 1") == 1


FIRST = datetime(2020, 1, 2, 3, tzinfo=UTC)
LAST = datetime(2021, 1, 1, 1, tzinfo=timezone(timedelta(hours=2)))


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        ([], (None, None, False)),
        ([(True, FIRST), (False, LAST)], ("2020-01-02T03:00:00Z", "2020-12-31T23:00:00Z", False)),
        ([(False, LAST), (True, FIRST)], ("2020-01-02T03:00:00Z", "2020-12-31T23:00:00Z", False)),
        ([(True, None), (False, LAST)], (None, "2020-12-31T23:00:00Z", False)),
        ([(True, FIRST), (False, None)], ("2020-01-02T03:00:00Z", None, False)),
        ([(True, FIRST), (False, LAST), (None, None)], ("2020-01-02T03:00:00Z", "2020-12-31T23:00:00Z", True)),
        ([(None, None)], (None, None, True)),
        # a time without a zone is in UTC
        ([(True, FIRST.replace(tzinfo=None))], ("2020-01-02T03:00:00Z", None, False)),
        # as the driver has infinity
        ([(True, datetime.min.replace(tzinfo=UTC)), (False, datetime.max.replace(tzinfo=UTC))], (None, None, False)),
    ],
)
def test_ends_are_moments_in_utc_or_open(rows: list[tuple[bool | None, datetime | None]], ends: Ends) -> None:
    assert ends_of(rows) == ends
