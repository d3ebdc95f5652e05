"""The parts of a tile's statement for columns, ids, orders and the identity of rows."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from libs.catalogue.model import Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from services.tiles.rendering.statement import (
    count_statement,
    estimate_statement,
    identities,
    identity,
    nowhere_statement,
    tile_statement,
)
from services.tiles.request.plain_tile import tile_of
from services.tiles.request.tile_request import TileRequest
from tests.services.tiles.rendering.points import POINTS

ID = Column("id", "integer", "integer", not_null=True)
LARGE = Column("id", "bigint", "integer", not_null=True)
SIZE = Column("size", "real", "number")
NAME = Column("name", "text", "string")
COLLECTION = replace(POINTS, columns=(ID, SIZE, NAME))
BOX = '(("geom" && ST_MakeEnvelope($1::float8, $2::float8, $3::float8, $4::float8, $5::int4)))'
SAFE = 9007199254740991


def _request(*, sortby: str = "", properties: str = "", **of_collection: object) -> TileRequest:
    collection = replace(COLLECTION, **of_collection)  # type: ignore[arg-type]
    collection = replace(collection, shape=repr(of_collection))
    pairs = [(name, text) for name, text in (("sortby", sortby), ("properties", properties)) if text]
    return tile_of(collection, tile_matrix_set("WebMercatorQuad"), 9, 1, 1, 100, pairs)


def _text(request: TileRequest) -> str:
    return str(tile_statement(request).render()[0])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Column("c", "smallint", "integer"), '"c"::int4'),
        (Column("c", "integer", "integer"), '"c"'),
        (Column("c", "bigint", "integer"), '"c"'),
        (Column("c", "oid", "integer"), '"c"::int8'),
        (
            Column("c", "double precision", "number"),
            'CASE WHEN "c" > \'-Infinity\' AND "c" < \'Infinity\' THEN "c" END',
        ),
        (
            Column("c", "numeric", "number"),
            'CASE WHEN "c" BETWEEN -1.7e308 AND 1.7e308'
            ' THEN CASE WHEN abs("c") < 1e-307 THEN 0 ELSE "c"::float8 END END',
        ),
        (Column("c", "text", "string"), '"c"'),
        (Column("c", "boolean", "boolean"), '"c"'),
        (Column("c", "uuid", "string", format="uuid"), '"c"::text'),
        (Column("c", "tstzrange", "string"), '"c"::text'),
        (Column("c", "integer[]", "array"), 'to_json("c")::text'),
        (Column("c", "hstore", "object"), 'to_json("c")::text'),
        (
            Column("c", "date", "string", format="date"),
            'CASE WHEN "c" >= \'0001-01-01\' AND "c" < \'10000-01-01\' THEN "c"::text END',
        ),
        (
            Column("c", "timestamp without time zone", "string", format="date-time"),
            "CASE WHEN \"c\" >= '0001-01-01' AND \"c\" < '10000-01-01' THEN replace(\"c\"::text, ' ', 'T') || 'Z' END",
        ),
        (
            Column("c", "timestamp with time zone", "string", format="date-time"),
            "CASE WHEN \"c\" >= '0001-01-01' AND \"c\" < '10000-01-01'"
            " THEN replace(left(\"c\"::text, -3), ' ', 'T') || 'Z' END",
        ),
    ],
)
def test_a_property_is_what_vector_tiles_have_for_its_type(column: Column, value: str) -> None:
    text = _text(_request(columns=(ID, column)))
    assert f' END AS "id", {value} AS "c" FROM ' in text
    assert 'SELECT "id", "c", "geom" FROM "s"."t"' in text


@pytest.mark.parametrize(
    ("key", "properties", "written"),
    [
        (ID, "", ', "id" AS __id, CASE WHEN "id" < 0 THEN "id"::int8 END AS "id" FROM'),
        (ID, "id", ', "id" AS __id, "id" AS "id" FROM'),
        (ID, "name", ', "id" AS __id, "name" AS "name" FROM'),
        (
            LARGE,
            "",
            f', CASE WHEN "id" <= {SAFE} THEN "id" END AS __id, CASE WHEN "id" < 0 OR "id" > {SAFE} THEN'
            f' jsonb_build_object($1::text, CASE WHEN "id" BETWEEN -{SAFE} AND {SAFE} THEN to_jsonb("id")'
            ' ELSE to_jsonb("id"::text) END) END AS "id" FROM',
        ),
        (
            LARGE,
            "id",
            f', CASE WHEN "id" <= {SAFE} THEN "id" END AS __id, CASE WHEN TRUE THEN jsonb_build_object($1::text,'
            f' CASE WHEN "id" BETWEEN -{SAFE} AND {SAFE} THEN to_jsonb("id") ELSE to_jsonb("id"::text) END) END'
            ' AS "id" FROM',
        ),
    ],
)
def test_an_id_is_a_property_too_where_tiles_cannot_have_it_or_it_is_asked_for(
    key: Column, properties: str, written: str
) -> None:
    columns = (key,) if properties != "name" else (key, NAME)
    text = _text(_request(columns=columns, properties=properties))
    # for any number
    assert written in re.sub(r"object\(\$\d+", "object($1", text)
    assert "'__geometry', '__id')" in text


def test_without_a_numeric_key_features_have_no_id() -> None:
    text = _text(_request(key=None))
    assert "__id" not in text
    assert "'__geometry') AS tile, " in text


LISTED = 'SELECT "id", "size", "name", "geom" FROM "s"."t" WHERE'


@pytest.mark.parametrize(
    ("sortby", "parts"),
    [
        ("size", [' ORDER BY "t"."size", "t"."id" LIMIT ']),
        (
            "-size",
            [
                f"SELECT * FROM (({LISTED} ",  # noqa: S608
                ' AND "t"."size" IS NOT NULL ORDER BY "t"."size" DESC, "t"."id" LIMIT ',
                f") UNION ALL ({LISTED} ",
                ' AND "t"."size" IS NULL ORDER BY "t"."id" LIMIT ',
                ")) AS sorted LIMIT $6::int8 + 1) SELECT ST_AsMVT(",
            ],
        ),
        (
            "-size,-name",
            [
                ' ORDER BY "t"."size" DESC, "t"."name" DESC NULLS LAST, "t"."id" LIMIT ',
                ' IS NULL ORDER BY "t"."name" DESC NULLS LAST, "t"."id" LIMIT ',
            ],
        ),
        ("size,-name", [' ORDER BY "t"."size", "t"."name" DESC NULLS LAST, "t"."id" LIMIT ']),
        ("-id", [' ORDER BY "t"."id" DESC, "t"."id" LIMIT ']),
    ],
)
def test_an_order_is_one_that_an_index_has(sortby: str, parts: list[str]) -> None:
    text = _text(_request(sortby=sortby))
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert ("UNION ALL" in text) is sortby.startswith("-size")


def test_where_rows_have_no_key_nothing_breaks_ties() -> None:
    assert ' ORDER BY "t"."size" LIMIT ' in _text(_request(sortby="size", key=None))


@pytest.mark.parametrize(
    ("of_collection", "name", "array"),
    [
        ({"sources": (1,)}, "ctid", "$1::text[]::tid[]"),
        ({"sources": (1, 2)}, "tableoid::text || ctid::text", "$1::text[]"),
        ({"sources": (1, 2), "kind": "partitioned table"}, '"id"', "$1::text[]::integer[]"),
        ({"sources": (1, 2), "kind": "partitioned table", "key": None}, "tableoid::text || ctid::text", "$1::text[]"),
        ({"kind": "view"}, '"id"', "$1::text[]::integer[]"),
        ({"kind": "view", "key": None}, None, "$1::text[]"),
        ({"kind": "function"}, None, None),
        # it is unknown whether the table has children
        ({}, None, None),
    ],
)
def test_rows_are_told_apart_by(of_collection: dict[str, object], name: str | None, array: str | None) -> None:
    request = _request(**of_collection)  # type: ignore[arg-type]
    found = identity(request)
    assert (found and found.render()) == (name and (name, ()))
    if array is not None:
        assert identities(request, ["a"]).render() == (array, (["a"],))


def test_rows_near_a_tile_are_counted_or_estimated() -> None:
    request = _request()
    assert count_statement(request).render()[0] == f'SELECT count(*) FROM "s"."t" WHERE {BOX}'  # noqa: S608
    assert estimate_statement(request).render()[0] == f'EXPLAIN (FORMAT JSON) SELECT 1 FROM "s"."t" WHERE {BOX}'  # noqa: S608


def test_rows_that_are_nowhere_are_counted_where_there_may_be_some() -> None:
    assert nowhere_statement(_request()) is None
    mixed = nowhere_statement(_request(geometries=(GeometryColumn("geom", "Geometry", 0),)))
    assert mixed is not None
    assert mixed.render() == (
        'SELECT count(*) FROM "s"."t" WHERE (NOT EXISTS (SELECT FROM spatial_ref_sys AS known'
        ' WHERE known.srid = ST_SRID("geom")) AND ST_SRID("geom") <> 0)',
        (),
    )
