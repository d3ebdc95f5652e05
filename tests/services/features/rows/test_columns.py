"""How columns are selected, and where in a row the values of an order are."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import UUID

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.crs import crs_of
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, bind, join, sql
from libs.selection.selection import Selection, SortTerm
from services.features.request.items_query import GeometryOptions
from services.features.rows.columns import columns_of, sort_places
from tests.conftest import MakeDatabase

KEY = Column("id", "integer", "integer", not_null=True)
SIZE = Column("size", "double precision", "number")
NAME = Column("name", "text", "string")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
GEOMETRY = GeometryColumn("geom", "Point", 4326)


POINTS = {2: "SRID=4326;POINT(1 2)", 3: "SRID=4326;POINT Z (1 2 3)"}


@pytest.fixture(scope="module")
async def database(make_database: MakeDatabase) -> AsyncIterator[Database]:
    async with Database(PoolSettings(await make_database(), "columns-test", size=1)) as opened:
        yield opened


def collection(key: str | None = "id") -> Collection:
    return Collection("a.b", "a", "b", 1, "table", "B", None, (KEY, SIZE, NAME, AT), key=key, sources=(1,))


@pytest.mark.parametrize(
    ("key", "geometry", "column", "places", "more"),
    [
        ("id", GEOMETRY, KEY, (0,), 0),
        ("id", GEOMETRY, NAME, (4,), 0),
        ("id", None, NAME, (3,), 0),
        (None, GEOMETRY, NAME, (3,), 0),
        ("id", GEOMETRY, AT, (5,), 0),
        # the text that reads back as the same number is not the one in the answer
        ("id", GEOMETRY, SIZE, (6,), 1),
    ],
)
def test_what_the_row_has_is_not_fetched_again(
    key: str | None, geometry: GeometryColumn | None, column: Column, places: tuple[int, ...], more: int
) -> None:
    shown = collection(key)
    _, layout = columns_of(Selection(shown, geometry, (), shown.columns, ()), "geojson")
    found, fetched = sort_places([SortTerm(column)], layout)
    assert (found, len(fetched)) == (places, more)


async def test_what_is_not_shown_is_fetched_behind_the_rest(database: Database) -> None:
    rows = sql("(SELECT 'x' AS name, 1.5::float8 AS size, '2020-01-31T00:00:00Z'::timestamptz AS at) AS item")
    bare = Selection(collection(), None, (), (SIZE,), ())
    _, layout = columns_of(bare, "geojson")
    places, fetched = sort_places([SortTerm(NAME), SortTerm(AT), SortTerm(KEY)], layout)
    assert places == (2, 3, 0)
    (row,) = await database.fetch(sql("SELECT {more} FROM {rows}", more=join(", ", fetched), rows=rows))
    assert (row[0], row[1][:10]) == ("x", "2020-01-31")
    places, fetched = sort_places([SortTerm(SIZE, expression=sql("item.size * 2")), SortTerm(KEY)], layout)
    assert places == (2, 0)
    (row,) = await database.fetch(sql("SELECT {more} FROM {rows}", more=join(", ", fetched), rows=rows))
    assert tuple(row) == ("3",)


def test_places_of_times_are_noted_those_of_keys_too() -> None:
    shown = collection("at")
    _, layout = columns_of(Selection(shown, GEOMETRY, (), shown.columns, ()), "geojson")
    assert [place for place, _ in layout.times] == [0, 5]
    assert layout.raw_json == (False, False, False, False)


@pytest.mark.parametrize(
    ("sql_type", "json_type", "stored", "found"),
    [
        ("smallint", "integer", "5", (5, 5)),
        ("bigint", "integer", "5", (5, 5)),
        ("oid", "integer", "5", ("5", 5)),
        # its shortest decimal form
        ("real", "number", "0.1", (0.1, 0.1)),
        ("double precision", "number", "0.1", (0.1, 0.1)),
        ("money", "string", "1.5", ("1.50", "1.50")),
        ("text", "string", "a", ("a", "a")),
        ("uuid", "string", "00000000-0000-0000-0000-000000000001", (UUID(int=1), UUID(int=1))),
        ("int4range", "string", "[1,2)", ("[1,2)", "[1,2)")),
        ("boolean", "boolean", "true", ("true", True)),
        ("date", "string", "2020-01-31", ("2020-01-31", "2020-01-31")),
        ("timestamp(3)", "string", "2020-01-31 01:02:03.4567", ("2020-01-31 01:02:03.457", "2020-01-31 01:02:03.457")),
        ("character varying(9)", "string", "a", ("a", "a")),
        ("character(2)", "string", "a", ("a", "a")),
        ("jsonb", "object", "[1]", ("[1]", "[1]")),
        ("integer[]", "array", "{1,NULL}", ("{1,NULL}", "[1,null]")),
        # a number that is not an integer in JSON
        ("numeric", "number", "15", ("15", "15.0")),
        ("numeric", "number", "1.50", ("1.50", "1.50")),
        ("numeric", "number", "NaN", (None, None)),
        ("numeric(10,2)", "number", "1.5", ("1.50", "1.50")),
    ],
)
async def test_a_column_is_read_by_its_type_as_a_key_and_as_a_property(
    database: Database, sql_type: str, json_type: str, stored: str, found: tuple[object, object]
) -> None:
    column = Column("c", sql_type, json_type)
    shown = Collection("a.b", "a", "b", 1, "table", "B", None, (column,), key="c")
    columns, layout = columns_of(Selection(shown, None, (), (column,), ()), "geojson")
    source = sql("(SELECT {stored} AS c) AS item", stored=bind(stored, "text", cast=sql_type))
    (row,) = await database.fetch(sql("SELECT {columns} FROM {source}", columns=columns, source=source))
    # as the id, and as a property
    assert tuple(row) == found
    assert layout.numeric_id is (json_type == "number")
    assert layout.large_id is (sql_type == "bigint")
    assert layout.raw_json == (json_type in ("object", "array") or sql_type.startswith("numeric"),)
    assert (layout.key, layout.composite, layout.has_id, layout.collection_id) == ("c", False, True, "a.b")


def test_the_places_of_times_with_a_modifier_are_noted() -> None:
    column = Column("c", "timestamp(3) with time zone", "string")
    shown = Collection("a.b", "a", "b", 1, "table", "B", None, (column,), key="c")
    _, layout = columns_of(Selection(shown, None, (), (column,), ()), "geojson")
    assert [place for place, _ in layout.times] == [0, 1]


async def test_the_id_is_of_one_column_of_several_or_of_none(database: Database) -> None:
    rows = sql("(SELECT 7 AS id, 1.5::float8 AS size, 'x' AS name, '2020-01-31T00:00:00Z'::timestamptz AS at) AS item")

    async def read(columns: Sql) -> tuple[object, ...]:
        (row,) = await database.fetch(sql("SELECT {columns} FROM {rows}", columns=columns, rows=rows))
        return tuple(row)

    two = replace(collection(None), composite_key=("id", "name"))
    columns, layout = columns_of(Selection(two, None, (), (NAME,), ()), "geojson")
    assert await read(columns) == ("7~x", "x")
    assert (layout.key, layout.composite, layout.has_id, layout.numeric_id) == (None, True, True, False)
    none = Selection(collection(None), None, (), (SIZE, AT), ())
    columns, layout = columns_of(none, "geojson")
    assert (await read(columns))[0] == 1.5
    assert (layout.has_id, layout.has_geometry, layout.large_id) == (False, False, False)
    assert [place for place, _ in layout.times] == [1]
    # a column that the catalogue no longer has
    gone = Selection(collection("gone"), None, (), (SIZE,), ())
    columns, layout = columns_of(gone, "geojson")
    assert (await read(columns), layout.numeric_id) == ((None, 1.5), False)
    large = Column("large", "bigint", "integer")
    assert columns_of(Selection(collection(None), None, (), (large,), ()), "geojson")[1].large_id is False


@pytest.mark.parametrize(
    ("geometry", "names"),
    [(GEOMETRY, ("longitude", "latitude")), (replace(GEOMETRY, dimensions=3), ("longitude", "latitude", "altitude"))],
)
@pytest.mark.parametrize("simplify", [None, 0.5])
async def test_points_as_numbers_are_fetched_as_wkt(
    database: Database, geometry: GeometryColumn, names: tuple[str, ...], simplify: float | None
) -> None:
    shown = collection()
    selection = Selection(shown, geometry, (), shown.columns, ())
    selection = replace(selection, properties=())
    rows = sql(
        "(SELECT 7 AS id, ST_GeomFromEWKT({point}) AS geom) AS item", point=bind(POINTS[geometry.dimensions], "text")
    )
    columns, layout = columns_of(selection, "geojson", GeometryOptions(lonlat=True, simplify=simplify))
    assert layout.lonlat == names
    (row,) = await database.fetch(sql("SELECT {columns} FROM {rows}", columns=columns, rows=rows))
    assert row[1].startswith("POINT")
    columns, layout = columns_of(selection, "geojson", GeometryOptions(simplify=simplify))
    assert (layout.lonlat, layout.has_geometry, layout.crs) == ((), True, None)
    (row,) = await database.fetch(sql("SELECT {columns} FROM {rows}", columns=columns, rows=rows))
    assert row[1].startswith('{"type":"Point"')
    assert columns_of(replace(selection, geometry=None), "geojson", GeometryOptions(lonlat=True))[1].lonlat == ()


def test_another_crs_is_noted() -> None:
    shown = collection()
    crs = crs_of("http://www.opengis.net/def/crs/EPSG/0/3857")
    assert crs is not None
    _, layout = columns_of(Selection(shown, GEOMETRY, (), shown.columns, ()), "geojson", GeometryOptions(crs=crs))
    assert layout.crs == crs.uri == "http://www.opengis.net/def/crs/EPSG/0/3857"


async def test_exact_numbers_are_as_they_are_written_or_null(database: Database) -> None:
    exact = Column("n", "numeric", "number")
    bare = Selection(collection(None), None, (), (exact,), ())
    columns, layout = columns_of(bare, "geojson")
    assert layout.raw_json == (True,)
    numbers = sql("unnest(ARRAY['1.50', 'NaN', '-Infinity', 'Infinity', '-1e30']::numeric[]) AS item (n)")
    rows = await database.fetch(sql("SELECT {columns} FROM {numbers}", columns=columns, numbers=numbers))
    assert [row[0] for row in rows] == ["1.50", None, None, None, f"-1{30 * '0'}.0"]
