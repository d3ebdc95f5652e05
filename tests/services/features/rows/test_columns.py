"""How columns are selected, and where in a row the values of an order are."""

from __future__ import annotations

from dataclasses import replace

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.crs import crs_of
from libs.pg.sql import sql
from libs.selection.ids import composite_id
from libs.selection.selection import Selection, SortTerm
from services.features.request.items_query import GeometryOptions
from services.features.rows.columns import columns_of, sort_places
from tests.conftest import MakeDatabase

KEY = Column("id", "integer", "integer", not_null=True)
SIZE = Column("size", "double precision", "number")
NAME = Column("name", "text", "string")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
GEOMETRY = GeometryColumn("geom", "Point", 4326)


def collection(key: str | None = "id") -> Collection:
    return Collection("a.b", "a", "b", 1, "table", "B", None, (KEY, SIZE, NAME, AT), key=key, sources=(1,))


@pytest.mark.parametrize(
    ("key", "geometry", "column", "places", "more"),
    [
        ("id", GEOMETRY, KEY, (0,), []),
        ("id", GEOMETRY, NAME, (4,), []),
        ("id", None, NAME, (3,), []),
        (None, GEOMETRY, NAME, (3,), []),
        ("id", GEOMETRY, AT, (5,), []),
        # the text that reads back as the same number is not the one in the answer
        ("id", GEOMETRY, SIZE, (6,), ['item."size"::text']),
    ],
)
def test_what_the_row_has_is_not_fetched_again(
    key: str | None, geometry: GeometryColumn | None, column: Column, places: tuple[int, ...], more: list[str]
) -> None:
    shown = collection(key)
    _, layout = columns_of(Selection(shown, geometry, (), shown.columns, ()), "geojson")
    found, fetched = sort_places([SortTerm(column)], layout)
    assert found == places
    assert [part.render()[0] for part in fetched] == more


def test_what_is_not_shown_is_fetched_behind_the_rest() -> None:
    bare = Selection(collection(), None, (), (SIZE,), ())
    _, layout = columns_of(bare, "geojson")
    places, fetched = sort_places([SortTerm(NAME), SortTerm(AT), SortTerm(KEY)], layout)
    assert places == (2, 3, 0)
    assert [part.render()[0] for part in fetched] == ['item."name"::text', 'item."at"::text']
    places, fetched = sort_places([SortTerm(SIZE, expression=sql("hash(item)")), SortTerm(KEY)], layout)
    assert places == (2, 0)
    assert [part.render()[0] for part in fetched] == ["(hash(item))::text"]


def test_places_of_times_are_noted_those_of_keys_too() -> None:
    shown = collection("at")
    _, layout = columns_of(Selection(shown, GEOMETRY, (), shown.columns, ()), "geojson")
    assert [place for place, _ in layout.times] == [0, 5]
    assert layout.raw_json == (False, False, False, False)


@pytest.mark.parametrize(
    ("sql_type", "json_type", "id_", "value"),
    [
        ("smallint", "integer", '"c"', '"c"'),
        ("bigint", "integer", '"c"', '"c"'),
        ("oid", "integer", '"c"::text', '"c"'),
        # its shortest decimal form
        ("real", "number", '"c"::text::float8', '"c"::text::float8'),
        ("double precision", "number", '"c"', '"c"'),
        ("money", "string", '"c"::numeric::text', '"c"::numeric::text'),
        ("text", "string", '"c"', '"c"'),
        ("uuid", "string", '"c"', '"c"'),
        ("tstzrange", "string", '"c"::text', '"c"::text'),
        ("boolean", "boolean", '"c"::text', '"c"'),
        ("date", "string", '"c"::text', '"c"::text'),
        ("timestamp with time zone", "string", '"c"::text', '"c"::text'),
        ("jsonb", "object", '"c"::text', '"c"::text'),
        ("integer[]", "array", '"c"::text', 'to_json("c")::text'),
        (
            "numeric",
            "number",
            'CASE WHEN "c" > \'-Infinity\' AND "c" < \'Infinity\' THEN "c"::text END',
            'CASE WHEN "c" BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN "c"::text'
            " || CASE WHEN scale(\"c\") = 0 THEN '.0' ELSE '' END END",
        ),
    ],
)
def test_a_column_is_selected_by_its_type_as_a_key_and_as_a_property(
    sql_type: str, json_type: str, id_: str, value: str
) -> None:
    column = Column("c", sql_type, json_type)
    shown = Collection("a.b", "a", "b", 1, "table", "B", None, (column,), key="c")
    columns, layout = columns_of(Selection(shown, None, (), (column,), ()), "geojson")
    assert columns.render()[0] == f"{id_}, {value}"
    assert layout.numeric_id is (json_type == "number")
    assert layout.large_id is (sql_type == "bigint")
    assert layout.raw_json == (json_type in ("object", "array") or sql_type == "numeric",)
    assert (layout.key, layout.composite, layout.has_id, layout.collection_id) == ("c", False, True, "a.b")


@pytest.mark.parametrize(
    ("sql_type", "id_", "value", "times", "more"),
    [
        (
            "numeric(10,2)",
            'CASE WHEN "c" > \'-Infinity\' AND "c" < \'Infinity\' THEN "c"::text END',
            'CASE WHEN "c" BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308 THEN "c"::text'
            " || CASE WHEN scale(\"c\") = 0 AND abs(\"c\") >= 9223372036854775808 THEN '.0' ELSE '' END END",
            [],
            ['item."c"::text'],
        ),
        ("timestamp(3) with time zone", '"c"::text', '"c"::text', [0, 1], []),
        ("character varying(9)", '"c"::text', '"c"::text', [], []),
        ("character(9)", '"c"::text', '"c"::text', [], []),
    ],
)
def test_a_type_with_a_modifier_is_the_type(
    sql_type: str, id_: str, value: str, times: list[int], more: list[str]
) -> None:
    column = Column("c", sql_type, "number" if sql_type.startswith("n") else "string")
    shown = Collection("a.b", "a", "b", 1, "table", "B", None, (column,), key="c")
    columns, layout = columns_of(Selection(shown, None, (), (column,), ()), "geojson")
    assert columns.render()[0] == f"{id_}, {value}"
    assert [place for place, _ in layout.times] == times
    places, fetched = sort_places([SortTerm(column)], layout)
    assert (places, [part.render()[0] for part in fetched]) == ((2 if more else 0,), more)


def test_the_id_is_of_one_column_of_several_or_of_none() -> None:
    two = replace(collection(None), composite_key=("id", "name"))
    columns, layout = columns_of(Selection(two, None, (), (AT,), ()), "geojson")
    assert columns.render()[0] == f'{composite_id((KEY, NAME)).render()[0]}, "at"::text'
    assert (layout.key, layout.composite, layout.has_id, layout.numeric_id) == (None, True, True, False)
    assert [place for place, _ in layout.times] == [1]
    none = Selection(collection(None), None, (), (SIZE, AT), ())
    columns, layout = columns_of(none, "geojson")
    assert columns.render() == ('"size", "at"::text', ())
    assert (layout.has_id, layout.has_geometry, layout.large_id) == (False, False, False)
    assert [place for place, _ in layout.times] == [1]
    # a column that the catalogue no longer has
    gone = Selection(collection("gone"), None, (), (SIZE,), ())
    columns, layout = columns_of(gone, "geojson")
    assert (columns.render()[0], layout.numeric_id) == ('NULL, "size"', False)
    large = Column("large", "bigint", "integer")
    assert columns_of(Selection(collection(None), None, (), (large,), ()), "geojson")[1].large_id is False


@pytest.mark.parametrize(
    ("geometry", "names"),
    [(GEOMETRY, ("longitude", "latitude")), (replace(GEOMETRY, dimensions=3), ("longitude", "latitude", "altitude"))],
)
@pytest.mark.parametrize("simplify", [None, 0.5])
def test_points_as_numbers_are_fetched_as_wkt(
    geometry: GeometryColumn, names: tuple[str, ...], simplify: float | None
) -> None:
    shown = collection()
    selection = Selection(shown, geometry, (), shown.columns, ())
    columns, layout = columns_of(selection, "geojson", GeometryOptions(lonlat=True, simplify=simplify))
    assert layout.lonlat == names
    assert "ST_AsText" in columns.render()[0]
    assert "ST_AsGeoJSON" not in columns.render()[0]
    columns, layout = columns_of(selection, "geojson", GeometryOptions(simplify=simplify))
    assert (layout.lonlat, layout.has_geometry, layout.crs) == ((), True, None)
    assert "ST_AsGeoJSON" in columns.render()[0]
    assert columns_of(replace(selection, geometry=None), "geojson", GeometryOptions(lonlat=True))[1].lonlat == ()


def test_another_crs_is_noted() -> None:
    shown = collection()
    crs = crs_of("http://www.opengis.net/def/crs/EPSG/0/3857")
    assert crs is not None
    _, layout = columns_of(Selection(shown, GEOMETRY, (), shown.columns, ()), "geojson", GeometryOptions(crs=crs))
    assert layout.crs == crs.uri == "http://www.opengis.net/def/crs/EPSG/0/3857"


async def test_exact_numbers_are_as_they_are_written_or_null(make_database: MakeDatabase) -> None:
    exact = Column("n", "numeric", "number")
    bare = Selection(collection(None), None, (), (exact,), ())
    columns, layout = columns_of(bare, "geojson")
    assert layout.raw_json == (True,)
    connection = await asyncpg.connect(await make_database())
    rows = await connection.fetch(
        f"SELECT {columns.render()[0]} FROM unnest(ARRAY['1.50', 'NaN', '-Infinity', 'Infinity', '-1e30']::numeric[])"  # noqa: S608
        " AS item (n)"
    )
    await connection.close()
    assert [row[0] for row in rows] == ["1.50", None, None, None, f"-1{30 * '0'}.0"]
