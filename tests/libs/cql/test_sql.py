"""What each filter and parameter says of each row of one table: true, false or unknown, by PostgreSQL.

`selected.json` has a letter for each of ROWS: `t`, `f`, and `-` for unknown, which a WHERE treats as false. A filter
whose SQL fails on a row fails this test.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg

from libs.cql import bbox_predicate, datetime_predicate, filter_sql, lasting_predicate, queryable, value_predicate
from libs.geo.crs import Crs, crs_of
from libs.ogc.bbox import BBox
from libs.ogc.crs import crs_uri
from libs.ogc.temporal import Interval, parse_interval
from libs.pg.sql import Sql

TYPES = {
    **{"small": "smallint", "whole": "integer", "big": "bigint", "exact": "numeric(40,20)", "single": "real"},
    **{"double": "double precision", "words": "text", "short": "character varying(3)", "fixed": "character(5)"},
    **{"folded": "public.citext", "flag": "boolean", "day": "date", "at": "timestamp with time zone"},
    **{"until": "timestamp with time zone", "local": "timestamp without time zone", "code": "uuid", "doc": "jsonb"},
    **{"raw": "json", "span": "interval", "address": "inet", "owner": "oid", "price": "money", "days": "daterange"},
    **{"plain": "tsrange", "zoned": "tstzrange", "tags": "text[]", "labels": "text[]", "sizes": "integer[]"},
    **{"shorts": "character varying(5)[]", "numbers": "numeric[]", "doubles": "double precision[]"},
    **{"flags": "boolean[]", "dates": "date[]", "moments": "timestamp without time zone[]", "codes": "uuid[]"},
    **{"owners": "oid[]", "mood": "sql_mood", "moods": "sql_mood[]"},
}
GEOMETRIES: dict[str, dict[str, Any]] = {
    "point": {"sql_type": "geometry(Point,4326)", "srid": 4326, "geometry_type": "Point"},
    "area": {"sql_type": "geometry(MultiPolygon,4326)", "srid": 4326},
    "line": {"sql_type": "geometry", "srid": 4326, "geometry_type": "LineString"},
    "any": {"sql_type": "geometry(Geometry,4326)", "srid": 4326},
    "nad83": {"sql_type": "geometry(Point,4269)", "srid": 4269},
    "mercator": {"sql_type": "geometry(Polygon,3857)", "srid": 3857},
    "utm": {"sql_type": "geometry(Polygon,32633)", "srid": 32633},
    "bare": {"sql_type": "geometry", "srid": 0, "geometry_type": "Point"},
    "mixed": {"sql_type": "geometry", "srid": None},
    "turned": {"sql_type": "geometry(Point,4326)", "srid": 4326, "geometry_type": "Point", "turns": (1,)},
    "around": {"sql_type": "geometry", "srid": None, "turns": (-1, 1)},
    "moved": {"sql_type": "geometry", "srid": None, "geometry_type": "Point", "turns": (1,)},
    "beyond": {"sql_type": "geometry(Polygon,3857)", "srid": 3857, "turns": (1,)},
    "geog": {"sql_type": "geography(Point,4326)", "srid": 4326, "geometry_type": "Point"},
    "edges": {"sql_type": "geography", "srid": None, "crosses": True},
}
QUERYABLES = {
    **{name: queryable(name, sql_type) for name, sql_type in TYPES.items() if "mood" not in name},
    **{
        name: queryable(name, facts["sql_type"], **{key: fact for key, fact in facts.items() if key != "sql_type"})
        for name, facts in GEOMETRIES.items()
    },
    **{name: queryable(name, TYPES[name], enum=("sad", "ok")) for name in ("mood", "moods")},
}
FIRST, SECOND = "00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"
ROWS: list[dict[str, Any]] = [
    # what most filters look for
    {
        **{"small": 1, "whole": 1, "big": 1, "exact": 0.1, "single": 0.1, "double": 0.1, "words": "a", "short": "a"},
        **{"fixed": "a", "folded": "A", "flag": True, "day": "2020-01-02", "at": "2020-01-02T02:00:00Z"},
        **{"until": "2020-01-04T00:00:00Z", "local": "2020-01-02T02:00:00", "code": FIRST, "doc": "a", "raw": "a"},
        **{"span": "P1D", "address": "::1", "owner": 5, "price": "1.60", "days": "[2020-01-01,2020-01-03)"},
        **{"plain": "[2020-01-02,)", "zoned": "[2020-01-01T00:00:00Z,2020-01-02T00:00:00Z)", "tags": ["a", "b"]},
        **{"labels": ["b"], "shorts": ["a"], "sizes": [1], "numbers": [0.1, 1], "doubles": [1], "flags": [True]},
        **{"dates": ["2020-01-02"], "moments": ["2020-01-02T00:00:00"], "codes": [FIRST], "owners": [5]},
        **{"mood": "ok", "moods": ["ok"], "point": "SRID=4326;POINT(1 2)", "bare": "POINT(1 2)"},
        "area": "SRID=4326;MULTIPOLYGON(((0 0, 4 0, 4 5, 0 5, 0 0)))",
        "line": "SRID=4326;LINESTRING(1 4, 3 2)",
        "any": "SRID=4326;POINT(1 2)",
        "nad83": "SRID=4269;POINT(10 10)",
        "mercator": "SRID=3857;POLYGON((100000 200000, 400000 200000, 400000 500000, 100000 200000))",
        "utm": "SRID=32633;POLYGON((499000 5500000, 509000 5500000, 509000 5600000, 499000 5600000, 499000 5500000))",
        "mixed": "SRID=3857;POINT(222638 334111)",
        "turned": "SRID=4326;POINT(362 3)",
        "around": "SRID=4326;POINT(-359 2)",
        "moved": "SRID=4326;POINT(361 2)",
        "beyond": "SRID=3857;POLYGON((401e5 1e5, 405e5 1e5, 405e5 4e5, 401e5 4e5, 401e5 1e5))",
        "geog": "SRID=4326;POINT(1.2 2)",
        "edges": "SRID=4326;LINESTRING(0 2, 5 2)",
    },
    # a little more
    {
        **{"small": 2, "whole": 2, "big": 2**63 - 1, "exact": 0.5, "single": 0.5, "double": 2.5, "words": "Á"},
        **{"short": "b", "fixed": "a%", "folded": "a", "flag": False, "day": "2020-01-03"},
        **{"at": "2020-01-03T00:00:00Z", "until": "2020-01-06T00:00:00Z", "local": "2020-01-02T02:00:00"},
        **{"code": SECOND, "doc": 5, "raw": 5.5, "span": "1 day 02:03:04.5", "address": "10.0.0.1", "owner": 6},
        **{"price": "1.40", "days": "[2020-01-02,2020-01-03)", "plain": "[2020-01-02,2020-01-04)"},
        **{"zoned": "[2020-01-04T00:00:00Z,)", "tags": ["a"], "labels": ["a"], "shorts": ["b", "c"], "sizes": [2, 1]},
        **{"numbers": [2], "doubles": ["NaN", 2], "flags": [False], "dates": ["2020-01-03"], "codes": [SECOND]},
        **{"moments": ["2020-01-03T00:00:00"], "owners": [6, 7], "mood": "sad", "moods": ["sad", "ok"]},
        **{"point": "SRID=4326;POINT(179.5 0)", "bare": "POINT(179.5 0)", "any": "SRID=4326;LINESTRING(0 0, 2 3)"},
        "area": "SRID=4326;MULTIPOLYGON(((179 -1, 180 -1, 180 1, 179 1, 179 -1)))",
        "line": "SRID=4326;LINESTRING(0 0, 1 1)",
        "nad83": "SRID=4269;POINT(10 11)",
        "mercator": "SRID=3857;POLYGON((20030000 -90000, 20037508 -90000, 20037508 90000, 20030000 -90000))",
        "utm": "SRID=32633;POLYGON((5e5 5e6, 5.1e5 5e6, 5.1e5 5.1e6, 5e5 5e6))",
        "mixed": "SRID=4326;POINT(180 0)",
        "turned": "SRID=4326;POINT(1 3)",
        "around": "SRID=4326;LINESTRING(359 2, 363 2)",
        "moved": "SRID=3857;POINT(40075017 222684)",
        "beyond": "SRID=3857;POLYGON((100000 100000, 300000 100000, 300000 400000, 100000 100000))",
        "geog": "SRID=4326;POINT(179 0)",
        "edges": "SRID=4326;LINESTRING(179 0, -179 0)",
    },
    # non-finite numbers, extremes, texts of patterns
    {
        **{"small": -32768, "whole": -(2**31), "big": -(2**63), "exact": "NaN", "single": "NaN", "double": "NaN"},
        **{"words": "the a seventeen letter. words", "short": "abc", "fixed": "", "folded": "the", "flag": True},
        **{"day": "infinity", "at": "infinity", "until": "infinity", "local": "infinity", "code": FIRST, "doc": True},
        **{"raw": ["é", 0.5, "2020-01-02T03:00:00Z"], "span": "-1 day", "address": "::2", "owner": 2**32 - 1},
        **{"price": "-2", "days": "empty", "plain": "empty", "zoned": "(,)", "tags": [], "labels": [], "shorts": []},
        **{"sizes": [2**31 - 1, -(2**31)], "numbers": ["NaN"], "doubles": ["Infinity"], "flags": [None], "dates": []},
        **{"moments": ["infinity"], "codes": [], "owners": [], "moods": [], "point": "SRID=4326;POINT EMPTY"},
        **{"area": "SRID=4326;MULTIPOLYGON(((0 0, 4 4, 4 0, 0 4, 0 0)))", "any": "SRID=4326;POLYGON EMPTY"},
        **{"line": "SRID=4326;LINESTRING(NaN 0, 1 1)", "mixed": "SRID=990001;POINT(2 3)", "bare": "POINT(NaN 2)"},
        **{"turned": "SRID=4326;POINT(1 89.9)", "around": "SRID=12;POINT(1 2)", "edges": "SRID=4326;POINT(1 2)"},
        **{"moved": "POINT(1 2)", "geog": "SRID=4326;POINT EMPTY", "nad83": "SRID=4269;POINT(200 10)"},
    },
    {
        **{"small": -3, "whole": 3, "big": 3, "exact": -0.25, "single": "Infinity", "double": "-Infinity"},
        **{"words": "a seventeen letter.(word) b", "short": "", "fixed": "b", "folded": "B", "day": "-infinity"},
        **{"at": "-infinity", "until": "-infinity", "local": "-infinity", "doc": None, "raw": {"a": 1}},
        **{"days": "(,)", "plain": "(,2020-01-02)", "zoned": "[2020-01-02T00:00:00Z,2020-01-02T00:00:00Z]"},
        **{"tags": [None, "a"], "labels": [None, "a"], "shorts": ["abc", "á"]},
        **{"sizes": [1, 2, 3], "numbers": [3, 0.1], "doubles": [None], "moods": [None, "ok"], "price": "1.50"},
        **{
            "mixed": "POINT(2 3)",
            "any": "SRID=4326;CIRCULARSTRING(0 0, 1 2, 2 0)",
            "edges": "SRID=4326;POINT(1 2.001)",
        },
        **{"line": "SRID=4326;LINESTRING(1.2 2, 1.2 2.1)", "point": "SRID=4326;POINT(0 -90)"},
    },
    {"words": "_x a seventeen letter_s word", "doc": ["a", 1, "2020-01-02"], "raw": [], "tags": ["a", "a"]},
    {"words": "a seventeen letter (word) is", "doc": [], "raw": [1, 2], "sizes": [], "tags": [None]},
    # results of calculations, and what few others match
    {
        **{"words": "Á SEVENTEEN LETTER.(WORD)", "small": 10, "whole": 5, "double": 2, "exact": -1, "doc": 1, "raw": 1},
        **{"day": "0001-01-01", "at": "0001-01-01T00:00:00Z", "local": "9999-12-31T23:59:59.999999", "flag": True},
        **{"point": "SRID=4326;POINT(0 50)", "tags": ["a"], "labels": ["a"], "numbers": [5, 0.1], "folded": "z"},
        **{"sizes": [6, 2**31 - 1], "mood": "sad", "line": "SRID=4326;LINESTRING(0.2 0.1, 0.8 0.3)", "price": "2"},
        **{"mercator": "SRID=3857;POLYGON((0 0, 0 2e7, 2e7 2e7, 2e7 0, 0 0))", "bare": "POINT(9 9)"},
        "area": "SRID=4326;MULTIPOLYGON(((-5 -5, 5 -5, 5 5, -5 5, -5 -5)))",
    },
    {
        **{
            "words": "Á seventeen letter.(word) too",
            "small": -4,
            "whole": -1,
            "double": -2,
            "exact": 3,
            "doc": ["á", 3],
        },
        **{"day": "9999-12-31", "at": "2020-01-01", "local": "0001-01-01", "raw": [3, 1], "flag": False, "sizes": [0]},
        **{"point": "SRID=4326;POINT(0.3 0.1)", "line": "SRID=4326;LINESTRING(0 0, 2 1)", "short": "á"},
        "area": "SRID=4326;MULTIPOLYGON(((20 20, 30 20, 30 30, 20 20)))",
    },
    {
        "words": " 5 ",
        "doc": ["ü", " 5 "],
        "small": 12,
        "whole": 14,
        "double": 0.3,
        "exact": 0.7,
        "point": "SRID=4326;POINT(1 1)",
    },
    # an interval from `day` to `at` in each relation to one from `local` to `until`
    *(
        {"day": f"2020-01-{a:02}", "at": f"2020-01-{b:02}", "local": f"2020-01-{c:02}", "until": f"2020-01-{d:02}"}
        for a, b, c, d in (
            *((1, 2, 3, 4), (1, 2, 2, 4), (1, 3, 2, 4), (1, 4, 2, 4), (1, 5, 2, 4), (2, 4, 2, 4), (2, 3, 2, 4)),
            *((2, 5, 2, 4), (3, 4, 2, 4), (3, 3, 2, 4), (3, 5, 2, 4), (4, 5, 2, 4), (5, 6, 2, 4), (2, 1, 2, 4)),
        )
    ),
    {},
]
FILE = Path(__file__).with_name("selected.json")
NO_END, NO_START = Interval(datetime(2020, 1, 2, 3, tzinfo=UTC), None), Interval(None, datetime(2020, 1, 2, tzinfo=UTC))
BOX, LOCAL, LATITUDE_FIRST = BBox(1, 2, 3, 4), crs_of(crs_uri(32633) or ""), crs_of(crs_uri(4326) or "")
assert LOCAL
assert LATITUDE_FIRST


def _in_crs(text: str, crs: Crs) -> Sql:
    return filter_sql(text, "cql2-text", QUERYABLES, crs=crs)


PARAMETERS = {
    "a box of a filter in the CRS of the column": _in_crs("S_INTERSECTS(utm, BBOX(5e5, 5e6, 5.1e5, 5.1e6))", LOCAL),
    "a place of a filter in the CRS of the column": _in_crs("S_WITHIN(utm, POINT(5e5 5e6))", LOCAL),
    "a place of a filter in another CRS": _in_crs("S_WITHIN(point, POINT(5e5 5e6))", LOCAL),
    "a box of a filter with latitude first": _in_crs("S_INTERSECTS(point, BBOX(2, 1, 4, 3))", LATITUDE_FIRST),
    "a place of a filter with latitude first": _in_crs("S_INTERSECTS(point, POINT(2 1))", LATITUDE_FIRST),
    "bbox": bbox_predicate(QUERYABLES["point"], BOX),
    "bbox, not null": bbox_predicate(QUERYABLES["point"], BOX, not_null=True),
    "bbox in the CRS of the column": bbox_predicate(QUERYABLES["utm"], BBox(5e5, 5e6, 5.1e5, 5.1e6), LOCAL),
    "bbox across the antimeridian": bbox_predicate(QUERYABLES["area"], BBox(179, -1, -179, 1)),
    "datetime of days": datetime_predicate(QUERYABLES["day"], parse_interval("2020-01-02/2020-01-03")),
    "datetime of moments": datetime_predicate(QUERYABLES["at"], parse_interval("2020-01-02")),
    "datetime without an end": datetime_predicate(QUERYABLES["local"], NO_END, not_null=True),
    "datetime without a start": datetime_predicate(QUERYABLES["zoned"], NO_START),
    "datetime of ranges of days": datetime_predicate(QUERYABLES["days"], parse_interval("2020-01-02"), not_null=True),
    "what lasts": lasting_predicate(QUERYABLES["at"], QUERYABLES["day"], parse_interval("2020-01-02/2020-01-03")),
    "what lasts, with a start": lasting_predicate(
        QUERYABLES["at"], QUERYABLES["local"], parse_interval("2020-01-02"), start_not_null=True
    ),
    "what lasts, with an end": lasting_predicate(
        QUERYABLES["at"], QUERYABLES["local"], parse_interval("2020-01-02"), end_not_null=True
    ),
    "what lasts until": lasting_predicate(QUERYABLES["at"], QUERYABLES["local"], NO_START),
    "what lasts from": lasting_predicate(QUERYABLES["at"], QUERYABLES["local"], NO_END),
    "a number": value_predicate(QUERYABLES["whole"], "5.50"),
    "true": value_predicate(QUERYABLES["flag"], "TRUE"),
    "a day of moments": value_predicate(QUERYABLES["at"], "2020-01-02"),
    "a moment": value_predicate(QUERYABLES["local"], "2020-01-02T03:00:00+01:00"),
    "a word": value_predicate(QUERYABLES["words"], " 5 "),
    "a text in JSON": value_predicate(QUERYABLES["doc"], "true"),
}


async def _truth(db: asyncpg.Connection, condition: Sql) -> str:
    text, values = condition.render()
    found = await db.fetch(f"SELECT ({text}) AS is_true FROM every ORDER BY id", *values)  # noqa: S608
    return "".join({True: "t", False: "f", None: "-"}[row["is_true"]] for row in found)


async def test_filters_and_parameters_select_their_rows(db: asyncpg.Connection) -> None:
    columns = TYPES | {name: facts["sql_type"] for name, facts in GEOMETRIES.items()}
    definitions = ", ".join(f'"{name}" {sql_type}' for name, sql_type in columns.items())
    await db.execute("CREATE EXTENSION IF NOT EXISTS citext; CREATE TYPE sql_mood AS ENUM ('sad', 'ok')")
    await db.execute(f"CREATE TABLE every (id integer, {definitions})")
    for number, row in enumerate(ROWS, start=1):
        insert = "INSERT INTO every SELECT (json_populate_record(NULL::every, $1::text::json)).*"
        await db.execute(insert, json.dumps(row | {"id": number}))
    expected: Mapping[str, str] = json.loads(FILE.read_text(encoding="utf-8"))
    assert PARAMETERS.keys() <= expected.keys()
    found = {}
    for name in expected:
        condition = PARAMETERS[name] if name in PARAMETERS else filter_sql(name, "cql2-text", QUERYABLES)
        found[name] = await _truth(db, condition)
    assert found == expected
