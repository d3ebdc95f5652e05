"""A table with children (INHERITS): each numbers its rows by itself, and pages take every row once all the same."""

from __future__ import annotations

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client

_EACH = 120


@pytest.mark.parametrize(
    ("name", "key"), [("hostile.inherited", ""), ("hostile.inherited_with_keys", "id integer PRIMARY KEY, ")]
)
async def test_pages_have_each_row_once(features: Client, owner: asyncpg.Connection, name: str, key: str) -> None:
    """Also where children repeat the keys of their parent, whose index does not cover them."""
    await owner.execute(
        f"CREATE TABLE {name} ({key}word text, geom geometry(Point, 4326));"
        f"CREATE TABLE {name}_a () INHERITS ({name}); CREATE TABLE {name}_b () INHERITS ({name});"
    )
    tables = (name, f"{name}_a", f"{name}_b")
    try:
        for table in tables:
            await owner.execute(
                f"INSERT INTO {table} SELECT {'n, ' if key else ''}'{table} ' || n,"  # noqa: S608
                f" ST_SetSRID(ST_MakePoint(n % 90, n % 80), 4326) FROM generate_series(1, {_EACH}) n"
            )
        await owner.execute(f"GRANT SELECT ON {name} TO hostile_reader")
        await eventually(lambda: features.json(f"/collections/{name}/items", limit="1"))
        words: list[str] = []
        answer = await features.get(f"/collections/{name}/items", {"limit": "7"})
        while True:
            words += [feature["properties"]["word"] for feature in answer.json()["features"]]
            following = answer.link("next")
            if following is None:
                break
            answer = await features.get(following)
        assert sorted(words) == sorted(f"{table} {n}" for table in tables for n in range(1, _EACH + 1))
    finally:
        await owner.execute(f"DROP TABLE {name} CASCADE")
