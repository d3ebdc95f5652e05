"""A table with children (INHERITS): each numbers its rows by itself, and pages take every row once all the same."""

from __future__ import annotations

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client

_NAME = "hostile.inherited"
_EACH = 120


@pytest.mark.parametrize("key", ["", "id integer PRIMARY KEY, "])
async def test_pages_have_each_row_once(features: Client, owner: asyncpg.Connection, key: str) -> None:
    """Also where children repeat the keys of their parent, whose index does not cover them."""
    await owner.execute(
        f"CREATE TABLE {_NAME} ({key}word text, geom geometry(Point, 4326));"
        f"CREATE TABLE {_NAME}_a () INHERITS ({_NAME}); CREATE TABLE {_NAME}_b () INHERITS ({_NAME});"
    )
    tables = (_NAME, f"{_NAME}_a", f"{_NAME}_b")
    try:
        for table in tables:
            await owner.execute(
                f"INSERT INTO {table} SELECT {'n, ' if key else ''}'{table} ' || n,"  # noqa: S608
                f" ST_SetSRID(ST_MakePoint(n % 90, n % 80), 4326) FROM generate_series(1, {_EACH}) n"
            )
        await owner.execute(f"GRANT SELECT ON {_NAME} TO hostile_reader")
        await eventually(lambda: features.json(f"/collections/{_NAME}/items", limit="1"))
        words: list[str] = []
        answer = await features.get(f"/collections/{_NAME}/items", {"limit": "7"})
        while True:
            words += [feature["properties"]["word"] for feature in answer.json()["features"]]
            following = answer.link("next")
            if following is None:
                break
            answer = await features.get(following)
        assert sorted(words) == sorted(f"{table} {n}" for table in tables for n in range(1, _EACH + 1))
    finally:
        await owner.execute(f"DROP TABLE {_NAME} CASCADE")
