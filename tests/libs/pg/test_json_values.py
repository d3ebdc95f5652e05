"""Members of arrays as JSON: what a column of their type would be, times in RFC 3339 and UTC, or null."""

from __future__ import annotations

import json

import pytest

from libs.pg.json_values import as_json
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import Sql, sql


@pytest.mark.parametrize(
    ("sql_type", "members", "expected"),
    [
        ("timestamp with time zone[]", "{2020-01-01 00:00:00+00,infinity}", ["2020-01-01T00:00:00Z", None]),
        ("timestamp without time zone[]", "{2020-01-01 00:00:00,-infinity}", ["2020-01-01T00:00:00Z", None]),
        ("date[]", "{2020-01-01,infinity}", ["2020-01-01", None]),
        # years that RFC 3339 does not know, and a time of no day
        ("date[]", "{0044-03-15 BC,10000-01-01}", [None, None]),
        ("timestamp with time zone[]", "{0044-03-15 00:00:00+00 BC,12345-01-01 00:00:00+00}", [None, None]),
        ("time without time zone[]", "{12:00:00}", ["12:00:00"]),
        # numbers that are not finite or beyond all doubles become null, as single values do; a text with the same
        # characters stays a text
        ("double precision[]", "{NaN,Infinity,-Infinity,1.5}", [None, None, None, 1.5]),
        ("numeric[]", "{NaN,1.50}", [None, 1.5]),
        ("numeric[]", f"{{1{'0' * 307},1{'0' * 309},-1{'0' * 309}.5}}", [10**307, None, None]),
        ("numeric[]", f"{{1{'0' * 309},2}}", [None, 2]),
        ("money[]", "{1.50,-2}", [1.5, -2]),
        ("oid[]", "{4294967295}", [4294967295]),
        ("smallint[]", "{-1}", [-1]),
        ("text[]", "{NaN,infinity}", ["NaN", "infinity"]),
        ("integer", "7", 7),
        # GeoJSON has no member for a CRS
        (
            "geometry[]",
            "{SRID=3857;POINT(1 2):SRID=4326;LINESTRING(1 2,3 4)}",
            [{"type": "Point", "coordinates": [1, 2]}, {"type": "LineString", "coordinates": [[1, 2], [3, 4]]}],
        ),
        ("text[]", '{"\\"crs\\":{\\"type\\":\\"name\\"}"}', ['"crs":{"type":"name"}']),
    ],
)
async def test_members_are_as_a_column_of_their_type(
    database_url: str, sql_type: str, members: str, expected: object
) -> None:
    value = sql("{text}::{type}", text=Sql((f"'{members}'",)), type=Sql((sql_type,)))
    async with Database(PoolSettings(database_url, "json-test", size=1)) as database:
        text = await database.fetchval(sql("SELECT {value}", value=as_json(value, sql_type)))
    assert json.loads(text) == expected
