"""The catalogue follows the database and the collections file, and is the same object while nothing changes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import asyncpg
import pytest

from libs.pg.diagnosis import Finding
from libs.pg.pool import Database, PoolSettings
from libs.web.conditional import weak_etag
from services.common.catalogue.keeper import CatalogueKeeper
from tests.eventually import eventually

_TABLES = """
CREATE SCHEMA kept;
CREATE TABLE kept.quakes (id integer PRIMARY KEY, code integer, at timestamptz);
INSERT INTO kept.quakes VALUES (1, 7), (2, 7);
CREATE TABLE kept.floods (id integer PRIMARY KEY, at timestamptz);
CREATE TABLE kept.scratch (id integer PRIMARY KEY);
"""


async def with_tables(owner: asyncpg.Connection) -> None:
    await owner.execute(_TABLES)


async def no_findings() -> Sequence[Finding]:
    """Return the findings for a database without faults."""
    return []


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "collections.yaml"
    found.write_text("exclude: ['*.scratch']")
    return found


Say = Callable[[str | None], None]


@pytest.fixture
def say(file: Path) -> Say:
    """Writes the collections file, or takes it away."""

    def write(text: str | None) -> None:
        if text is None:
            file.unlink()
        else:
            file.write_text(text)

    return write


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    await with_tables(connection)
    yield connection
    await connection.close()


@pytest.fixture
async def keeper(database_url: str, file: Path, owner: asyncpg.Connection) -> AsyncIterator[CatalogueKeeper]:
    """Make a keeper of existing tables, read once; the tests make it look again."""
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        found = CatalogueKeeper(
            database,
            ("kept",),
            no_findings,
            refresh_seconds=3600,
            config_files=[file],
            nonspatial_collections=("*",),
        )
        await found.refresh()
        # extents and numbers of rows come with the second look
        await found.refresh()
        yield found


async def test_what_does_not_change_stays_the_same_object(keeper: CatalogueKeeper, owner: asyncpg.Connection) -> None:
    before, document, tag = keeper.collections, keeper.document, keeper.etag
    assert [each["id"] for each in json.loads(document)["collections"]] == ["kept.floods", "kept.quakes"]
    assert tag == weak_etag(document)
    await keeper.refresh()
    assert keeper.collections is before
    assert (keeper.document, keeper.etag) == (document, tag)
    floods = before["kept.floods"]
    await owner.execute("COMMENT ON TABLE kept.quakes IS 'Earthquakes'")
    await keeper.refresh()
    assert keeper.collections is not before
    assert keeper.collections["kept.floods"] is floods
    assert b"Earthquakes" in keeper.document
    assert keeper.etag != tag


async def test_what_the_file_excludes_is_not_there(keeper: CatalogueKeeper, say: Say) -> None:
    assert [*keeper.collections] == ["kept.floods", "kept.quakes"]
    say("include: ['*.scratch', '*.floods']\nexclude: ['*.quakes']")
    await keeper.refresh()
    assert [*keeper.collections] == ["kept.floods", "kept.scratch"]


async def test_a_file_that_is_wrong_or_gone_changes_nothing(keeper: CatalogueKeeper, say: Say) -> None:
    good = "collections: {kept.quakes: {title: Earthquakes}}"
    say(good)
    await keeper.refresh()
    for wrong in ("collections: [", None):
        say(wrong)
        for _ in range(2):
            await keeper.refresh()
            assert keeper.collection("kept.quakes").title == "Earthquakes"


async def test_what_cannot_be_configured_is_offered_as_it_is(keeper: CatalogueKeeper, say: Say) -> None:
    before = keeper.collection("kept.quakes")
    say("collections: {kept.quakes: {title: Earthquakes, sort: [depth]}, kept.floods: {title: All floods}}")
    await keeper.refresh()
    assert [keeper.collection(f"kept.{name}").title for name in ("quakes", "floods")] == ["quakes", "All floods"]
    assert keeper.collection("kept.quakes") == before


async def test_ids_that_repeat_are_not_used(keeper: CatalogueKeeper, say: Say, owner: asyncpg.Connection) -> None:
    say("collections: {kept.quakes: {id_column: code, title: Earthquakes}}")
    await keeper.refresh()
    quakes = keeper.collection("kept.quakes")
    assert (quakes.key, quakes.key_repeats, quakes.title) == ("id", False, "Earthquakes")
    await owner.execute("TRUNCATE kept.quakes; ALTER TABLE kept.quakes ADD COLUMN more integer")
    await keeper.refresh()
    assert keeper.collection("kept.quakes").key == "code"


async def test_ids_of_what_is_not_offered_or_not_configured_are_not_looked_at(
    keeper: CatalogueKeeper, say: Say, owner: asyncpg.Connection
) -> None:
    # the key of the database's own repeats in a child
    await owner.execute("CREATE TABLE kept.more () INHERITS (kept.quakes); INSERT INTO kept.more VALUES (1, 9)")
    said = "collections: {kept.quakes: {id_column: at, sort: [depth]}, kept.floods: {id_column: at}}"
    say(f"exclude: ['*.floods']\n{said}")
    await keeper.refresh()
    quakes = keeper.collection("kept.quakes")
    assert (quakes.key, quakes.key_repeats) == ("id", True)
    assert "kept.floods" not in keeper.collections


async def test_topics_are_those_of_the_file_in_its_order(keeper: CatalogueKeeper, say: Say) -> None:
    said = "situation: {title: T}"
    say(
        f"collections: {{kept.quakes: {{{said}}}, kept.gone: {{{said}}}, kept.scratch: {{title: S}},"
        f" kept.floods: {{{said}, title: All floods}}}}"
    )
    await keeper.refresh()
    found = keeper.situation()
    assert [collection.id for collection, _, _ in found] == ["kept.quakes", "kept.floods"]
    # as they are configured, and with what their rows follow from
    assert found[1][0] is keeper.collection("kept.floods")
    assert all(state is not None for _, _, state in found)
    assert [asked.title for _, asked, _ in found] == ["T", "T"]


async def test_a_database_that_comes_later_is_read_at_once(database_url: str) -> None:
    """It is read at once even if a catalogue lasts long. Until then the service checks for faults now and then."""
    looked = 0

    async def findings() -> Sequence[Finding]:
        nonlocal looked
        looked += 1
        return [Finding("there is no such database", fatal=True), Finding("an index is missing", fatal=False)]

    server, _, name = database_url.rpartition("/")
    admin = await asyncpg.connect(f"{server}/postgres")
    later = f"{name}_later"
    try:
        async with (
            Database(PoolSettings(f"{server}/{later}", "test", size=2)) as database,
            CatalogueKeeper(database, ("public",), findings, refresh_seconds=3600) as keeper,
        ):
            assert await keeper.health() == "catalogue: none yet. there is no such database"
            assert keeper.emptiness() is None
            assert looked == 1
            await admin.execute(f"CREATE DATABASE {later} TEMPLATE {name}")

            async def read() -> None:
                assert await keeper.health() is None

            await eventually(read)
            # it has no tables
            assert keeper.emptiness() is not None
    finally:
        await admin.execute(f"DROP DATABASE IF EXISTS {later} WITH (FORCE)")
        await admin.close()
