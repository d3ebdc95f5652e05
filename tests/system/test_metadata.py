"""Metadata through the gateway, which keeps them: a page is a page, JSON is JSON, and a new table shows soon."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import closing
from uuid import uuid4

import asyncpg
import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack
from tests.system.keeping import Client
from tests.system.test_stack import get, get_json

pytestmark = pytest.mark.system

BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8"
RESOURCES = ("/", "/conformance", "/collections", "/collections/hazard.hazard_eq_events", "/tileMatrixSets")


@pytest.mark.parametrize("path", RESOURCES)
def test_what_is_kept_is_kept_by_type(stack: RunningStack, path: str) -> None:
    host = f"{uuid4().hex}.example.org"
    # one connection leads to one gateway: each keeps its own
    with closing(Client(stack.base_url)) as client:
        for _ in range(3):
            for accept, kind in ((BROWSER, "text/html; charset=utf-8"), ("application/json", "application/json")):
                found = client.get(path, Host=host, Accept=accept)
                assert (found.status, found.headers["Content-Type"]) == (200, kind)
        assert found.headers["X-Cache"] == "HIT"
        again = client.get(path, Host=host, Accept=accept, **{"If-None-Match": found.headers["ETag"]})
        assert (again.status, again.headers["X-Cache"]) == (304, "HIT")


@pytest.fixture
async def owner(stack: RunningStack) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(stack.owner_url("dams"))
    yield connection
    await connection.execute("DROP TABLE IF EXISTS hazard.zz_new")
    await connection.close()


async def test_a_new_table_shows_in_what_is_kept(stack: RunningStack, owner: asyncpg.Connection) -> None:
    def listed() -> bool:
        return any(entry["id"] == "hazard.zz_new" for entry in get_json(f"{stack.base_url}/collections")["collections"])

    assert not any(listed() for _ in range(3))
    await owner.execute("CREATE TABLE hazard.zz_new (id integer PRIMARY KEY, geom geometry(Point, 4326))")
    await owner.execute("GRANT SELECT ON hazard.zz_new TO dams_reader")
    eventually_true(listed)
    queryables = f"{stack.base_url}/collections/hazard.zz_new/queryables"
    eventually_true(lambda: get(queryables)[0] == 200)
    await owner.execute("DROP TABLE hazard.zz_new")
    # others count the collections
    eventually_true(lambda: not listed())
