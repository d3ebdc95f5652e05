"""Find problems of a stack's environment: database, Redis, ports."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import asyncpg
import redis

from deploy.database.apply import revoke_statements
from deploy.local import stack, users
from deploy.local.ports import require_free
from deploy.local.programs import PASSED_ON
from deploy.local.settings import StackError, StackSettings
from deploy.local.state import StateFolder
from deploy.local.supervision import Supervisor
from gateway.settings import GatewaySettings
from libs.cache.links import link_to
from libs.pg.diagnosis import Finding, diagnose
from libs.web.settings import DatabaseSettings, SettingsError, names_of
from services.common.catalogue.configuration import CatalogueConfig, ConfigError
from services.common.settings import Settings as CommonSettings
from services.features.settings import Settings as FeaturesSettings
from services.tiles.settings import Settings as TilesSettings
from services.viewer.settings import Settings as ViewerSettings

_REDIS_SECONDS = 2
_DATABASE_SECONDS = 4
_OTHERS = 8
"""Connections of `common`, and those with which the other services watch the database."""


def findings(settings: StackSettings) -> list[Finding]:
    """Return all problems, fatal ones first; also of the stack's own servers while they run.

    Raises StackError for invalid settings.
    """
    folder = StateFolder(settings.state_dir)
    state = folder.load()
    runs = Supervisor(folder, state.ports.get("supervisor", 0)).answers()
    check_settings()
    found: list[Finding] = []
    if database := settings.database_url or (stack.reader_url(folder, state) if runs else None):
        found += of_database(settings, database)
    if cache := settings.redis_url or (stack.redis_url(folder, state) if runs else None):
        found += _of_redis(cache)
    if not runs:
        found += _of_port(settings.gateway_port)
    return sorted(found, key=lambda finding: not finding.fatal)


def check_settings() -> None:
    """Raise StackError for settings that the programs would reject at start, before any running program is stopped."""
    given = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    given |= {"DAMS_DATABASE_URL": "postgresql://localhost", "DAMS_GATEWAY_DIR": ".", "DAMS_PORT": "1"}
    try:
        for program in (FeaturesSettings, TilesSettings, ViewerSettings, GatewaySettings):
            program.from_env(given)
        files = CommonSettings.from_env(given).collections_config or ()
        CatalogueConfig.load(*files)
    except ConfigError as error:
        raise StackError(f"DAMS_COLLECTIONS_CONFIG cannot be used: {error}") from None
    except SettingsError as error:
        raise StackError(str(error)) from None
    if hidden := [str(file) for file in files if not users.can_read(file)]:
        raise StackError(
            f"DAMS_COLLECTIONS_CONFIG: the user {users.USER}, as whom services run, cannot read {hidden[0]}"
        )


def of_database(settings: StackSettings, url: str) -> list[Finding]:
    """Return the problems of the database at `url`, fatal ones first. Raises StackError for invalid settings."""
    try:
        given = {"DAMS_POOL_SIZE": os.environ.get("DAMS_POOL_SIZE", ""), "DAMS_PORT": "1", "DAMS_DATABASE_URL": url}
        pool = DatabaseSettings.from_env(given).pool_size
        schemas = names_of(settings.collection_schemas)
    except SettingsError as error:
        raise StackError(str(error)) from None
    except ValueError as error:
        raise StackError(f"DAMS_COLLECTION_SCHEMAS={settings.collection_schemas!r} {error}") from None
    processes = settings.features_processes + settings.tiles_processes
    found = asyncio.run(diagnose(url, schemas, connections=processes * pool + _OTHERS))
    return found if any(finding.fatal for finding in found) else [*found, *asyncio.run(_rights(url))]


async def _rights(url: str) -> list[Finding]:
    """What the role may do that no reader needs, with the statements that take it away."""
    try:
        connection = await asyncpg.connect(url, timeout=_DATABASE_SECONDS, statement_cache_size=0)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        # told by the diagnosis
        return []
    try:
        role, superuser = await connection.fetchrow(
            "SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user"
        )
        left = [] if superuser else await revoke_statements(connection, role)
    finally:
        await connection.close()
    sentence = f'Role "{role}" may use the disk of the server, mostly as every role may; a superuser takes that away:'
    return [Finding(sentence, "; ".join(left) + ";")] if left else []


def _of_redis(url: str) -> Iterator[Finding]:
    try:
        policy = asyncio.run(_policy(url))
    except (redis.RedisError, OSError) as error:
        yield Finding(
            f"Redis cannot be used, so each process renders every tile again: {str(error) or type(error).__name__}."
        )
        return
    if policy and not policy.startswith("allkeys"):
        statement = "CONFIG SET maxmemory-policy allkeys-lru"
        yield Finding(f'Redis refuses tiles when it is full (maxmemory-policy "{policy}").', statement)


async def _policy(url: str) -> str:
    """Return Redis's policy for a full memory; empty if it does not report one, like managed servers."""
    link = link_to(url)
    try:
        async with asyncio.timeout(_REDIS_SECONDS):
            await link.connect()
            (reply,) = await link.exchange([("CONFIG", "GET", "maxmemory-policy")])
    finally:
        await link.close()
    if isinstance(reply, redis.ResponseError):
        return ""
    told = [*reply.values()] if isinstance(reply, dict) else reply[1::2]
    return b"".join(told).decode()


def _of_port(port: int) -> Iterator[Finding]:
    try:
        require_free(port)
    except StackError as error:
        yield Finding(str(error), fatal=True)
