"""Data versions beside replicas: when these are read, and from when on a definition counts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import asyncpg
import pytest
from prometheus_client import REGISTRY

from deploy.database.apply import apply_schema
from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.concurrency.background import periodic
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import Rotation
from libs.pg.sql import Sql
from tests.eventually import eventually


class Replicas(Rotation):
    """Replicas whose state is set by the test."""

    def __init__(self) -> None:
        super().__init__([])
        self.found = frozenset({0, 1})
        self.servers: list[str] = []

    async def look(self, primary: Database, server: str) -> frozenset[int]:
        self.servers.append(server)
        if not self.found:
            raise RuntimeError("they are away")
        return self.found

    async def look_alone(self) -> frozenset[int]:
        return frozenset({7})


@pytest.fixture
async def table(database_url: str) -> Collection:
    """A watched table."""
    owner = await asyncpg.connect(database_url)
    await apply_schema(owner)
    await owner.execute("CREATE TABLE watched (a integer); SELECT dams.watch('watched')")
    oid = await owner.fetchval("SELECT 'watched'::regclass::oid::bigint")
    await owner.close()
    return Collection("public.watched", "public", "watched", oid, "table", "W", None, (), sources=(oid,), shape="one")


@asynccontextmanager
async def following(url: str, rotation: Rotation | None) -> AsyncIterator[DataVersions]:
    async with (
        Database(PoolSettings(url, "versions-test", size=2)) as database,
        DataVersions(database, rotation, poll_seconds=0.02) as versions,
    ):
        yield versions


async def test_what_a_look_finds_is_read_from_then_on(database_url: str) -> None:
    replicas = Replicas()
    async with following(database_url, replicas) as versions:
        assert replicas.admitted == {0, 1}
        # asked of the server that the versions are of
        assert set(replicas.servers) == {versions.server}
        replicas.found = frozenset({1})
        assert await versions.look_again()
        assert replicas.admitted == {1}


async def test_a_look_that_fails_leaves_those_that_are_there_alone(database_url: str, table: Collection) -> None:
    replicas = Replicas()
    async with following(database_url, replicas) as versions:
        assert versions.version(table) is None
        assert await versions.look_again()
        known = versions.version(table)
        assert known is not None
        replicas.found = frozenset()
        assert not await versions.look_again()
        assert replicas.admitted == {7}
        # versions stay for some seconds
        assert versions.version(table) is known


async def test_a_definition_counts_from_the_poll_after_it_was_first_seen(database_url: str, table: Collection) -> None:
    async with following(database_url, Replicas()) as versions:
        for shape in ("one", "two", "one"):
            seen = replace(table, shape=shape)
            # a replica may not have it yet
            assert versions.version(seen) is None
            assert await versions.look_again()
            found = versions.version(seen)
            assert found is not None
            assert await versions.look_again()
            assert versions.version(seen) == found
    async with following(database_url, None) as versions:
        assert versions.version(table) is not None


async def test_missing_primary_beside_replicas_is_only_a_note(
    database_url: str,
) -> None:
    nowhere = Database(PoolSettings("postgresql://nobody@127.0.0.1:9/nothing", "versions-test", size=1))
    replicas = Replicas()
    versions = DataVersions(nowhere, replicas)
    assert await versions.health() is not None
    said = [versions.trouble]
    replicas.admit(frozenset({0}))
    assert await versions.health() is None
    said.append(versions.trouble)
    assert said == [None, "database: no answer of the primary; replicas are read"]
    async with following(database_url, replicas) as known:
        assert (await known.health(), known.trouble) == (None, None)
    alone = DataVersions(nowhere)
    assert await alone.health() is not None
    assert alone.trouble is None


async def test_after_the_end_nothing_is_polled(database_url: str) -> None:
    replicas, ticks = Replicas(), 0

    async def tick() -> None:
        nonlocal ticks
        ticks += 1

    async with Database(PoolSettings(database_url, "versions-test", size=2)) as database:
        async with DataVersions(database, replicas, poll_seconds=0.01) as versions:
            assert await versions.look_again()
        number = len(replicas.servers)
        async with periodic(tick, 0.01, name="ticks"):

            async def many() -> None:
                assert ticks >= 30

            await eventually(many)
        assert len(replicas.servers) == number


async def test_when_versions_were_read_is_a_metric(database_url: str) -> None:
    before = time.time()
    async with following(database_url, None):
        assert (REGISTRY.get_sample_value("dams_data_versions_timestamp_seconds") or 0) >= before


class Uncounted(Database):
    """Counts no changes of one relation, as a replica does for unwatched tables."""

    oid = 0

    async def fetch(self, statement: Sql) -> list[Any]:
        rows = [dict(row) for row in await super().fetch(statement)]
        for row in rows:
            of_oid = zip(row["relations"], row["versions"], strict=True)
            row["versions"] = [None if oid == self.oid else version for oid, version in of_oid]
        return rows


async def test_one_source_whose_changes_nobody_counts_leaves_no_version(database_url: str, table: Collection) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE TABLE plain (a integer)")
    oid = await owner.fetchval("SELECT 'plain'::regclass::oid::bigint")
    await owner.close()
    both = replace(table, id="public.both", kind="view", sources=(table.oid, oid))
    async with Uncounted(PoolSettings(database_url, "versions-test", size=2)) as database:
        for database.oid, has_one in ((0, True), (oid, False)):
            async with DataVersions(database, poll_seconds=0.02) as versions:
                assert (versions.version(both) is not None) is has_one
                assert versions.version(table) is not None
