"""Columns that become something else while the list of collections is seconds old."""

from __future__ import annotations

import asyncpg
import pytest

from tests.faults.places import ITEMS, good, make_places, on_places

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("change", ["TYPE integer USING 1", "TYPE date USING '2024-01-01'", "TYPE bytea USING ''"])
async def test_a_column_of_another_type_is_no_fault_of_the_request(database_url: str, change: str) -> None:
    await make_places(database_url)
    async with on_places(database_url, "features", DAMS_CATALOGUE_REFRESH_SECONDS="600") as started:
        await good(started["features"], ITEMS, filter="name = 'first'")
        owner = await asyncpg.connect(database_url)
        await owner.execute(f"ALTER TABLE places.towns ALTER COLUMN name {change}")
        await owner.close()
        for text in ("name = 'first'", "name LIKE 'f%'", "name IN ('first', 'last')", "name > 'a'"):
            answer = await started["features"].get(ITEMS, {"filter": text})
            assert answer.status in {200, 503}, (text, answer.body)
