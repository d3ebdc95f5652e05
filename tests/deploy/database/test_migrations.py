"""Migrations upgrade the schema of an older release, and roll back a newer one, without losing rows."""

from __future__ import annotations

from pathlib import Path

import asyncpg
import pytest

from deploy.database.apply import apply_schema, revert_schema
from deploy.database.migrations import FIRST, Migration, MigrationError, current_version, newest, read_migrations

KNOWN = read_migrations()
NEXT = newest(KNOWN) + 1
MADE_UP = {
    **KNOWN,
    NEXT: Migration(
        "made_up",
        "ALTER TABLE hazard.hazard_eq_events ADD COLUMN IF NOT EXISTS made_up integer",
        "ALTER TABLE hazard.hazard_eq_events DROP COLUMN made_up",
    ),
}
COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = 'hazard.hazard_eq_events'::regclass AND NOT attisdropped"
EVERYTHING = (
    "SELECT c.oid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod), a.attstorage::text, "
    "pg_get_expr(d.adbin, d.adrelid) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped "
    "LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum "
    "WHERE n.nspname IN ('dams', 'hazard', 'exposure', 'impact') ORDER BY 1, 2"
)


async def columns(connection: asyncpg.Connection) -> set[str]:
    return {row[0] for row in await connection.fetch(COLUMNS)}


async def add_earthquake(connection: asyncpg.Connection) -> None:
    await connection.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, event_date, geom) VALUES ('a', now(), 'SRID=4326;POINT(1 2)')"
    )


async def test_a_new_database_has_the_newest_version(owner: asyncpg.Connection) -> None:
    assert await current_version(owner) == newest(KNOWN)


async def test_a_database_without_the_schema_has_no_version(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    try:
        assert await current_version(connection) is None
        with pytest.raises(MigrationError, match="has no schema"):
            await revert_schema(connection, FIRST)
    finally:
        await connection.close()


async def test_each_migration_leads_back_and_forth(owner: asyncpg.Connection) -> None:
    await add_earthquake(owner)
    before = await owner.fetch(EVERYTHING)
    for version in range(newest(KNOWN) - 1, FIRST - 1, -1):
        await revert_schema(owner, version)
        assert await current_version(owner) == version
        assert await owner.fetch(EVERYTHING) != before
    await apply_schema(owner)
    assert (await current_version(owner), await owner.fetch(EVERYTHING)) == (newest(KNOWN), before)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1


async def test_a_database_of_the_first_release_is_brought_up_to_date(owner: asyncpg.Connection) -> None:
    # the first release recorded no version
    await revert_schema(owner, FIRST)
    await owner.execute("DROP TABLE dams.schema_version")
    assert await current_version(owner) == FIRST
    done = await apply_schema(owner, MADE_UP)
    assert {migration.name for migration in MADE_UP.values()} <= {*done}
    assert await current_version(owner) == NEXT
    assert "made_up" in await columns(owner)


async def test_the_first_release_may_have_no_table_of_rasters(owner: asyncpg.Connection) -> None:
    await revert_schema(owner, FIRST)
    await owner.execute("DROP TABLE impact.raster, dams.schema_version")
    await apply_schema(owner)
    storage = "SELECT attstorage FROM pg_attribute WHERE attrelid = 'impact.raster'::regclass AND attname = 'tif'"
    assert (await current_version(owner), await owner.fetchval(storage)) == (newest(KNOWN), b"e")
    await owner.execute("DROP TABLE impact.raster")
    assert "0002_raster_storage" in await revert_schema(owner, FIRST)


async def test_rows_outlive_an_upgrade_and_the_way_back(owner: asyncpg.Connection) -> None:
    await add_earthquake(owner)
    await apply_schema(owner, MADE_UP)
    await owner.execute("UPDATE hazard.hazard_eq_events SET made_up = 5")
    assert await revert_schema(owner, NEXT - 1, MADE_UP) == ["made_up"]
    assert "made_up" not in await columns(owner)
    assert await owner.fetchval("SELECT event_id FROM hazard.hazard_eq_events") == "a"
    assert await apply_schema(owner) == await apply_schema(owner)


async def test_an_older_release_leaves_a_newer_schema_alone(owner: asyncpg.Connection) -> None:
    await apply_schema(owner, MADE_UP)
    with pytest.raises(MigrationError, match=f"version {NEXT} of the schema.*revert --to {NEXT - 1}"):
        await apply_schema(owner)
    assert await current_version(owner) == NEXT
    with pytest.raises(MigrationError, match="cannot go from there"):
        await revert_schema(owner, FIRST)


async def test_a_failed_migration_changes_nothing(owner: asyncpg.Connection) -> None:
    wrong = {**MADE_UP, NEXT + 1: Migration("wrong", "ALTER TABLE hazard.none ADD COLUMN a int", "")}
    with pytest.raises(asyncpg.UndefinedTableError):
        await apply_schema(owner, wrong)
    assert await current_version(owner) == newest(KNOWN)
    assert "made_up" not in await columns(owner)


def test_a_migration_needs_both_directions(tmp_path: Path) -> None:
    (tmp_path / "0002_one.up.sql").touch()
    with pytest.raises(MigrationError, match="'one', 'down'"):
        read_migrations(tmp_path)
