"""The SQL of filters and parameters, word for word, so that no type, bound, operand or parenthesis changes unnoticed.

Other tests check with databases which rows it finds. `python -m tests.libs.cql.test_sql` rewrites compiled.json after
an intended change of the SQL; read the differences.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import shapely

from libs.cql import bbox_predicate, datetime_predicate, filter_sql, lasting_predicate, queryable, value_predicate
from libs.geo.crs import Crs, crs_of
from libs.geo.shape_sql import simple_shape
from libs.ogc.bbox import BBox
from libs.ogc.crs import crs_uri
from libs.ogc.temporal import Interval, parse_interval
from libs.pg.sql import Sql
from libs.pg.text_folding import Folding, TextFolding

TYPES = {
    **{"small": "smallint", "whole": "integer", "big": "bigint", "exact": "numeric(20,10)", "single": "real"},
    **{"double": "double precision", "words": "text", "short": "character varying(3)", "fixed": "character(5)"},
    **{"folded": "public.citext", "flag": "boolean", "day": "date", "at": "timestamp with time zone"},
    **{
        "until": "timestamp with time zone",
        "local": "timestamp without time zone",
        "code": "uuid",
        "doc": "jsonb",
        "raw": "json",
        "span": "interval",
    },
    **{"address": "inet", "owner": "oid", "price": "money", "days": "daterange", "plain": "tsrange"},
    **{
        "zoned": "tstzrange",
        "tags": "text[]",
        "labels": "text[]",
        "shorts": "character varying(5)[]",
        "sizes": "integer[]",
    },
    **{"numbers": "numeric[]", "doubles": "double precision[]", "flags": "boolean[]", "dates": "date[]"},
    **{"moments": "timestamp without time zone[]", "codes": "uuid[]", "owners": "oid[]"},
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
    **{name: queryable(name, sql_type) for name, sql_type in TYPES.items()},
    **{name: queryable(name, facts.pop("sql_type"), **facts) for name, facts in GEOMETRIES.items()},
    "mood": queryable("mood", "a.mood", enum=("sad", "ok")),
    "moods": queryable("moods", "a.mood[]", enum=("sad", "ok")),
}
FILE = Path(__file__).with_name("compiled.json")
CASES: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
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


FOLDING = TextFolding(Folding("lower({text})", plain="ascii({text})"), Folding("unaccent({text})"))
MADE_SIMPLE = ('"any"', *(f"{name}.g" for name in ("placed_0", "in_lonlat", "degrees_0", "degrees_1")))
"""The SQL that makes simple features; it fills half a page and has its own tests."""


def _shown(value: object) -> str:
    return shapely.to_wkt(shapely.from_wkb(value)) if isinstance(value, bytes) else repr(value)


def compiled(condition: Sql) -> dict[str, Any]:
    """Return the statement, and its bound values, each with its type in Python."""
    text, values = condition.render()
    for shape in MADE_SIMPLE:
        text = text.replace(simple_shape(Sql((shape,))).render()[0], f"simple({shape})")
    return {"sql": text, "values": [_shown(value) for value in values]}


def made(name: str) -> dict[str, Any]:
    """A parameter, or a filter by its text."""
    if name in PARAMETERS:
        return compiled(PARAMETERS[name])
    return compiled(filter_sql(name, "cql2-text", QUERYABLES, folding=FOLDING))


@pytest.mark.parametrize("name", CASES)
def test_a_filter_or_parameter_in_sql(name: str) -> None:
    assert made(name) == CASES[name]


def test_every_parameter_is_there() -> None:
    assert PARAMETERS.keys() <= CASES.keys()


if __name__ == "__main__":
    FILE.write_text(
        json.dumps({name: made(name) for name in CASES}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
