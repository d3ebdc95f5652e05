"""The collections file while the service runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import asyncpg
import pytest

from libs.pg.diagnosis import Finding
from libs.pg.pool import Database, PoolSettings
from services.common.catalogue.configuration import CatalogueConfig, ConfigError
from services.common.catalogue.keeper import CatalogueKeeper
from tests.eventually import eventually
from tests.services.common.introspection.asking import Asking


async def no_findings() -> list[Finding]:
    """Return the findings for a database without faults."""
    return []


async def test_a_file_that_could_not_be_read_is_read_when_it_can_be(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rights that are given back change no time of the file."""
    file = tmp_path / "collections.yaml"
    file.write_text("collections: {kept.quakes: {title: Earthquakes}}")

    def refuse(_: Path) -> CatalogueConfig:
        raise ConfigError("Permission denied")

    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE SCHEMA kept; CREATE TABLE kept.quakes (id integer PRIMARY KEY)")
    await owner.close()
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        keeper = CatalogueKeeper(
            database,
            ("kept",),
            no_findings,
            refresh_seconds=60,
            config_files=[file],
            nonspatial_collections=("*",),
        )
        with monkeypatch.context() as patched:
            patched.setattr(CatalogueConfig, "load", refuse)
            for _ in range(2):
                await keeper.refresh()
        assert keeper.collection("kept.quakes").title == "quakes"
        await keeper.refresh()
        assert keeper.collection("kept.quakes").title == "Earthquakes"


async def test_invalid_file_at_the_start_stops_the_service(database_url: str, tmp_path: Path) -> None:
    (tmp_path / "wrong.yaml").write_text("collections: [")
    async with Database(PoolSettings(database_url, "test", size=1)) as database:
        for name, fault in (("wrong.yaml", "expected"), ("none.yaml", "No such file")):
            keeper = CatalogueKeeper(
                database, ("kept",), no_findings, refresh_seconds=60, config_files=[tmp_path / name]
            )
            with pytest.raises(ConfigError, match=fault):
                await keeper.__aenter__()


async def test_what_is_merely_slow_is_told_where_there_is_nothing_else_to_tell(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA full_one; CREATE TABLE full_one.quakes (id integer PRIMARY KEY); CREATE SCHEMA empty_one"
    )
    await owner.close()

    async def findings() -> list[Finding]:
        return [Finding("an index is missing", fatal=False), Finding("so are statistics", fatal=False)]

    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        for schema, told in (("full_one", []), ("empty_one", ["an index is missing", "so are statistics"])):
            async with CatalogueKeeper(
                database, (schema,), findings, refresh_seconds=60, nonspatial_collections=("*",)
            ) as keeper:
                empty = f"catalogue: no collections. {' '.join(told)}"
                assert keeper.emptiness() == (empty if told else None)


@pytest.mark.parametrize("is_empty", [False, True])
async def test_missing_catalogue_is_diagnosed_every_five_seconds(
    database_url: str, monkeypatch: pytest.MonkeyPatch, is_empty: bool
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE SCHEMA own; CREATE SCHEMA other; CREATE TABLE own.quakes (id integer PRIMARY KEY)")
    await owner.close()
    asked = looked = 0

    def monotonic() -> float:
        nonlocal asked
        asked += 1
        return asked * 4.0

    async def findings() -> list[Finding]:
        nonlocal looked
        looked += 1
        return [Finding("there is no table", fatal=True)]

    monkeypatch.setattr("services.common.catalogue.keeper.time", SimpleNamespace(monotonic=monotonic))
    async with Asking(PoolSettings(database_url, "test", size=2)) as database:

        async def often() -> None:
            assert database.times > 40
            assert asked >= (5 if is_empty else 1)

        schema = "other" if is_empty else "own"
        async with CatalogueKeeper(database, (schema,), findings, refresh_seconds=0.01, nonspatial_collections=("*",)):
            await eventually(often)
    # each second time eight seconds have passed
    assert looked == (asked + 1) // 2
    assert (asked > 1) is is_empty


_WITH_SECRETS = """
CREATE SCHEMA own;
CREATE TABLE own.places (id integer PRIMARY KEY, geom geometry(Point, 4326));
CREATE TABLE own.regions (id integer PRIMARY KEY, area geography(Polygon));
CREATE TABLE own.users (id integer PRIMARY KEY, password_hash text);
CREATE VIEW own.accounts AS SELECT * FROM own.users;
CREATE MATERIALIZED VIEW own.logins AS SELECT * FROM own.users;
CREATE FUNCTION own.all_users() RETURNS SETOF own.users LANGUAGE sql STABLE AS 'SELECT * FROM own.users';
CREATE FUNCTION own.near(n integer) RETURNS SETOF own.places LANGUAGE sql STABLE AS 'SELECT * FROM own.places LIMIT n';
"""
_SPATIAL = ["own.near", "own.places", "own.regions"]


@pytest.mark.parametrize(
    ("said", "settings", "more"),
    [
        ("{}", ((), ()), []),
        # a pattern of `include` names no table
        ("include: ['own.*']", ((), ()), []),
        ("include: ['own.*', own.users]", ((), ()), ["own.users"]),
        ("collections: {own.users: {properties: [id]}}", ((), ()), ["own.users"]),
        ("exclude: [own.users]\ncollections: {own.users: {properties: [id]}}", ((), ()), []),
        ("{}", ((), ("own.acc*", "own.all_users")), ["own.accounts", "own.all_users"]),
        ("exclude: [own.accounts]", ((), ("own.a*",)), ["own.all_users"]),
        ("{}", (("own.logins",), ()), ["own.logins"]),
    ],
)
async def test_nonspatial_tables_are_public_only_by_name(
    database_url: str, tmp_path: Path, said: str, settings: tuple[tuple[str, ...], tuple[str, ...]], more: list[str]
) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(_WITH_SECRETS)
    await owner.close()
    file = tmp_path / "collections.yaml"
    file.write_text(said)
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        keeper = CatalogueKeeper(
            database,
            ("own",),
            no_findings,
            refresh_seconds=60,
            config_files=[file],
            extension_collections=settings[0],
            nonspatial_collections=settings[1],
        )
        await keeper.refresh()
        assert sorted(keeper.collections) == sorted([*_SPATIAL, *more])


async def test_a_catalogue_of_nonspatial_tables_says_why_it_is_empty(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE SCHEMA own; CREATE TABLE own.users (id integer PRIMARY KEY, password_hash text)")
    await owner.close()
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        keeper = CatalogueKeeper(database, ("own",), no_findings, refresh_seconds=60)
        for _ in range(2):
            await keeper.refresh()
        assert keeper.emptiness() == (
            "catalogue: no collections. Tables without a geometry are not public (1);"
            " DAMS_NONSPATIAL_COLLECTIONS names those to publish."
        )
