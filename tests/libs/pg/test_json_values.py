"""Members of arrays as JSON: times are in RFC 3339 and UTC, or null, as a column of their type would be."""

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
    ],
)
async def test_times(database_url: str, sql_type: str, members: str, expected: list[str | None]) -> None:
    value = sql("{text}::{type}", text=Sql((f"'{members}'",)), type=Sql((sql_type,)))
    async with Database(PoolSettings(database_url, "json-test", size=1)) as database:
        text = await database.fetchval(sql("SELECT {value}", value=as_json(value, sql_type)))
    assert json.loads(text) == expected
