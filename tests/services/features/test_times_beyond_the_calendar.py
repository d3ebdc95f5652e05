"""Infinite times, and years that RFC 3339 does not have: the value that is shown is the one that is filtered."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client

TIMES = {
    1: "2020-01-01",
    2: "infinity",
    3: "-infinity",
    4: "0044-03-15 BC",
    5: "12000-01-01",
    6: None,
    7: "0001-01-01",
    8: "9999-12-31",
}
KNOWN = {1, 7, 8}
COLUMNS = {"zoned": "timestamptz", "naive": "timestamp", "day": "date"}
TABLE = "hostile.beyond_calendar"


@pytest.fixture(scope="module", params=["bare", "indexed"], autouse=True)
async def table(running: object, hostile: HostileDatabase, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    owner = await asyncpg.connect(hostile.owner_url)
    name = f"{TABLE}_{request.param}"
    columns = ", ".join(f"{column} {kind}" for column, kind in COLUMNS.items())
    await owner.execute(f"CREATE TABLE {name} (id integer PRIMARY KEY, {columns})")
    for key, value in TIMES.items():
        values = ", ".join(f"$2::text::{kind}" for kind in COLUMNS.values())
        await owner.execute(f"INSERT INTO {name} SELECT $1, {values}", key, value)
    if request.param == "indexed":
        for column in COLUMNS:
            await owner.execute(f"CREATE INDEX ON {name} ({column})")
    await owner.execute(f"GRANT SELECT ON {name} TO hostile_reader")
    yield name
    await owner.execute(f"DROP TABLE {name}")
    await owner.close()


async def _ids(features: Client, table: str, **parameters: str) -> list[int]:
    page = await eventually(lambda: features.json(f"/collections/{table}/items", limit="50", **parameters))
    return [feature["id"] for feature in page["features"]]


@pytest.mark.parametrize("column", COLUMNS)
async def test_filters_see_the_times_that_are_shown(features: Client, table: str, column: str) -> None:
    page = await eventually(lambda: features.json(f"/collections/{table}/items"))
    assert {feature["id"] for feature in page["features"] if feature["properties"][column] is not None} == KNOWN
    day, next_day = "DATE('2020-01-01')", "DATE('2020-01-02')"
    expected = {
        f"{column} > {day}": {8},
        f"{column} >= {day}": {1, 8},
        f"{column} < {day}": {7},
        f"{column} <= {day}": {1, 7},
        f"{column} <> {day}": {7, 8},
        f"{column} = {day}": {1},
        f"NOT ({column} > {day})": {1, 7},
        f"NOT ({column} < {day})": {1, 8},
        f"NOT ({column} = {day})": {7, 8},
        f"NOT ({column} > {day} AND id < 100)": {1, 7},
        f"{column} IN ({day}, {next_day})": {1},
        f"{column} NOT IN ({day}, {next_day})": {7, 8},
        f"{column} BETWEEN {day} AND DATE('9999-12-31')": {1, 8},
        f"{column} IS NULL": set(TIMES) - KNOWN,
        f"{column} IS NOT NULL": KNOWN,
        f"{column} <= day": KNOWN,
        f"T_AFTER({column}, {day})": {8},
        f"NOT T_AFTER({column}, {day})": {1, 7},
        f"T_INTERSECTS({column}, INTERVAL('2020-01-01', '..'))": {1, 8},
        f"NOT T_INTERSECTS({column}, INTERVAL('2020-01-01', '..'))": {7},
        f"T_DISJOINT({column}, INTERVAL('..', '2020-01-01'))": {8},
        f"{day} < {column}": {8},
    }
    for filter_, ids in expected.items():
        assert set(await _ids(features, table, filter=filter_)) == ids, filter_


@pytest.mark.parametrize("column", COLUMNS)
async def test_what_is_shown_as_null_is_last(features: Client, table: str, column: str) -> None:
    if table.endswith("indexed"):
        pytest.skip("an indexed column is sorted as its index is")
    nulls = sorted(set(TIMES) - KNOWN)
    assert await _ids(features, table, sortby=f"{column},id") == [7, 1, 8, *nulls]
    assert await _ids(features, table, sortby=f"-{column},id") == [8, 1, 7, *nulls]


@pytest.mark.parametrize("column", COLUMNS)
async def test_facets_count_the_times_that_are_shown(features: Client, table: str, column: str) -> None:
    await _ids(features, table)
    query = {"facets": f"{column}:edges:1000-01-01/3000-01-01"}
    facet = (await features.json(f"/collections/{table}/facets", **query))["facets"][column]
    assert ([bucket["count"] for bucket in facet["buckets"]], facet["nulls"]) == ([1, 1, 1], 5)
