"""An unprepared database: PostGIS and tables, but none of our schema."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.running_stack import Cluster
from tests.services.in_process import Services, services

Start = Callable[..., Awaitable[Services]]
_CQL2 = "http://www.opengis.net/spec/cql2/1.0/conf/"
_CASE, _ACCENTS = f"{_CQL2}case-insensitive-comparison", f"{_CQL2}accent-insensitive-comparison"


@pytest.fixture
async def start(cluster: Cluster) -> AsyncIterator[Start]:
    """Starts common and features on a database of this locale and encoding, filled by SQL; dropped after the test."""
    admin = await asyncpg.connect(cluster.owner_url("postgres"))
    made: list[str] = []

    async with AsyncExitStack() as stack:

        async def started(tables: str, ctype: str = "C", encoding: str = "UTF8") -> Services:
            name = f"plain_{uuid4().hex}"
            await admin.execute(
                f"CREATE DATABASE {name} LC_COLLATE 'C' LC_CTYPE '{ctype}' ENCODING '{encoding}' TEMPLATE template0"
            )
            made.append(name)
            owner = await asyncpg.connect(cluster.owner_url(name))
            await owner.execute(f"CREATE EXTENSION postgis; CREATE SCHEMA own; {tables}")
            await owner.close()
            running = await stack.enter_async_context(services())
            for service in ("common", "features"):
                env = {"DAMS_DATABASE_URL": cluster.owner_url(name), "DAMS_COLLECTION_SCHEMAS": "own"}
                await running.start(service, env)
            return running

        yield started
    for name in made:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def classes(running: Services) -> list[str]:
    """Return the conformance classes of the features service."""
    part: dict[str, Any] = await running["features"].json("/internal/part")
    return list(part["conformsTo"])


async def test_case_and_accents_are_folded(start: Start) -> None:
    running = await start(
        "CREATE TABLE own.places (id integer PRIMARY KEY, name text);"
        "INSERT INTO own.places VALUES (1, 'Łódź'), (2, 'ŁÓDŹ'), (3, 'Lodz'), (4, 'Йод')"
    )
    for filter_, expected in {
        "CASEI(name) = CASEI('łódź')": 2,
        "ACCENTI(name) = 'Lodz'": 2,
        "CASEI(ACCENTI(name)) = 'lodz' AND ACCENTI(CASEI(name)) LIKE 'lod%'": 3,
        "ACCENTI(name) = ACCENTI('Иод')": 1,
    }.items():
        items = await running["features"].json("/collections/own.places/items", filter=filter_)
        assert items["numberMatched"] == expected, filter_
    assert {_CASE, _ACCENTS} < set(await classes(running))


async def test_a_class_that_the_database_cannot_fulfil_is_not_declared(start: Start) -> None:
    running = await start("CREATE TABLE own.places (id integer PRIMARY KEY, name text)", encoding="LATIN1")
    declared = await classes(running)
    assert _CASE in declared
    assert _ACCENTS not in declared
    for resource in ("items", "items?f=html", "feed", "export", "facets", "programs"):
        path, _, form = resource.partition("?f=")
        path, parameters = f"/collections/own.places/{path}", {"f": form} if form else {}
        assert (await running["features"].get(path, {**parameters, "filter": "CASEI(name) = 'a'"})).status == 200
        answer = await running["features"].get(path, {**parameters, "filter": "ACCENTI(name) = 'a'"})
        assert answer.status == 422
        assert "this server does not offer ACCENTI: its database cannot do it" in answer.body.decode()


async def test_pages_files_and_what_watches_have_sessions_of_their_own(start: Start, cluster: Cluster) -> None:
    settings = ("application_name", "statement_timeout", "lock_timeout", "default_transaction_read_only", "jit")
    columns = ", ".join(f"current_setting('{name}') AS {name}" for name in settings)
    view = f"CREATE VIEW own.told AS SELECT {columns} FROM own.here"  # noqa: S608 ours
    running = await start(f"CREATE TABLE own.here AS SELECT 1 AS id; {view}")
    features, path = running["features"], "/collections/own.told"
    (row,) = await features.json(f"{path}/items", f="json")
    assert [row[name] for name in settings] == ["dams-features", "10s", "2s", "on", "off"]
    (file,) = await features.json(f"{path}/export", f="json")
    assert [file[name] for name in settings] == ["dams-features-export", "1min", "2s", "on", "off"]
    admin = await asyncpg.connect(cluster.owner_url("postgres"))
    names = await admin.fetch(
        # the connection that makes such databases has no name
        "SELECT DISTINCT application_name AS name FROM pg_stat_activity"
        " WHERE datname LIKE 'plain%' AND application_name <> '' ORDER BY 1"
    )
    await admin.close()
    assert [each["name"] for each in names] == [
        "dams-common",
        "dams-features",
        "dams-features-export",
        "dams-features-watch",
    ]
