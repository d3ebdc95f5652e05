"""Find reasons why a database cannot be served, or only slowly: a sentence for each, and the statement that fixes it.

For operators, because it names roles and hosts; clients never see it.
"""

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from socket import gaierror
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from libs.pg.row_srids import SridOfRows, advice, srids_of_rows
from libs.pg.sessions import own_session
from libs.pg.sql import ident

_SECONDS = 4.0
"""Timeout of the server in seconds: the result must be ready within five."""
_SAMPLE_MS = 200
"""Maximum time for the SRIDs of a column, in milliseconds."""
_MANY_ROWS = 10_000
"""Number of rows above which reading all of them is noticeably slow."""
_MOST_NAMED = 3
_FACTS = (Path(__file__).parent / "diagnosis.sql").read_text(encoding="utf-8")
_SEARCHED = ("public", "postgis", "extensions")
_CLIENTS_OF_PGBOUNCER = 100
"""PgBouncer's default limit of clients."""

Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem."""

    sentence: str
    mended_by: str | None = None
    """A statement that fixes it, if there is one."""
    fatal: bool = False
    """Whether the problem prevents serving the database, or one of its schemas."""

    def __str__(self) -> str:
        return f"{self.sentence} {self.mended_by}" if self.mended_by else self.sentence


async def diagnose(url: str, schemas: Iterable[str], *, connections: int = 0) -> list[Finding]:
    """Return all problems of the database at `url`, fatal ones first; empty if there are none.

    `connections` is the number that the services need at once.
    """
    wanted = list(schemas)
    try:
        async with asyncio.timeout(_SECONDS):
            facts = await _facts(url, wanted)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        return [await _unreachable(url, error)]
    found = [
        *_of_database(facts, connections),
        *(finding for schema in wanted for finding in _of_schema(schema, facts)),
    ]
    return sorted(found, key=lambda finding: not finding.fatal)


async def _facts(url: str, schemas: list[str]) -> Facts:
    connection = await asyncpg.connect(url, timeout=_SECONDS, statement_cache_size=0)
    try:
        facts: dict[str, Any] = json.loads(await connection.fetchval(_FACTS, schemas, _MANY_ROWS))
        facts["srids"] = await _srids(connection, facts)
        facts["pooler"] = await connection.execute(f"SELECT WHERE {own_session(connection)}") != "SELECT 1"
    finally:
        connection.terminate()
    return facts


async def _srids(connection: "asyncpg.Connection[Any]", facts: Facts) -> list[tuple[str, Finding]]:
    """Return, with their schemas, the findings about columns without a declared SRID. A slow table has none."""
    found: list[tuple[str, Finding]] = []
    if facts["postgis"] is None:
        return found
    await connection.execute(f"SET statement_timeout = {_SAMPLE_MS}")
    for relation in facts["relations"] or ():
        for column in relation["geometries_without_srid"] if relation["readable"] else ():
            schema, name, rows = relation["schema"], relation["name"], relation["rows"]
            text, arguments = srids_of_rows(
                schema, name, column, sampled_of=rows if rows > _MANY_ROWS else None
            ).render()
            # another schema's rights, a lock or a broken index concern only this table
            with suppress(asyncpg.PostgresError):
                srids = [SridOfRows(*row) for row in await connection.fetch(text, *arguments)]
                if said := advice(schema, name, column, srids):
                    found.append((schema, Finding(*said)))
    return found


async def _unreachable(url: str, error: BaseException) -> Finding:
    parts = urlsplit(url)
    place = unquote(parts.netloc.rpartition("@")[2]) or "the usual socket"
    role, database = unquote(parts.username or ""), unquote(parts.path.removeprefix("/"))
    statement = None
    match error:
        case asyncpg.InvalidPasswordError():
            sentence = f'PostgreSQL at {place} refuses the password of role "{role}"'
            statement = f"ALTER ROLE {_name(role)} PASSWORD '…';"
        case asyncpg.InvalidCatalogNameError():
            others = await _databases(urlunsplit(parts._replace(path="/postgres")))
            sentence = f'There is no database "{database}" at {place}{_suggest(database, others)}'
        case asyncpg.InsufficientPrivilegeError():
            sentence = f'Role "{role}" may not connect to database "{database}" at {place}'
            statement = f"GRANT CONNECT ON DATABASE {_name(database)} TO {_name(role)};"
        case asyncpg.PostgresError():
            sentence = f"PostgreSQL at {place} refuses the connection: {error}".rstrip(".")
        case gaierror():
            sentence = f"No host has the name in {place}"
        case TimeoutError():
            sentence = f"PostgreSQL at {place} does not answer within {_SECONDS:.0f} s"
        case _:
            sentence = f"No PostgreSQL answers at {place}: {error}".rstrip(".")
    return Finding(f"{sentence}.", statement, fatal=True)


async def _databases(url: str) -> list[str]:
    try:
        connection = await asyncpg.connect(url, timeout=1)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
        return []
    try:
        rows = await connection.fetch("SELECT datname FROM pg_database WHERE NOT datistemplate ORDER BY datname")
    finally:
        connection.terminate()
    return [row[0] for row in rows]


def _of_database(facts: Facts, connections: int) -> Iterator[Finding]:
    database, postgis = facts["database"], facts["postgis"]
    if postgis is None:
        sentence = f'Database "{database}" has no PostGIS.'
        if not facts["postgis_installed"]:
            sentence = f'Database "{database}" has no PostGIS, and its server has none to give: install it there first.'
        yield Finding(sentence, "CREATE EXTENSION postgis;", fatal=True)
    elif not postgis["usable"]:
        yield Finding(
            f'Role "{facts["role"]}" may not use PostGIS.',
            f"GRANT USAGE ON SCHEMA {_name(postgis['schema'])} TO {_name(facts['role'])};",
            fatal=True,
        )
    elif postgis["schema"] not in _SEARCHED:
        yield Finding(
            f'PostGIS is in schema "{postgis["schema"]}", where it is not looked for, but in {", ".join(_SEARCHED)}.',
            fatal=True,
        )
    if facts["superuser"]:
        yield Finding(f'Role "{facts["role"]}" is a superuser: give the services one that may only read.')
    if not facts["counting"]:
        yield Finding("Changes are not noticed.", "ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf();")
    if facts["pooler"]:
        # the server's own limit does not apply here, and the pooler's limit is not public
        if connections > _CLIENTS_OF_PGBOUNCER:
            sentence = f"The services may want {connections} connections at once of the pooler before the database."
            yield Finding(sentence, f"max_client_conn = {connections + 20} ; in pgbouncer.ini")
    elif connections > facts["connections"]:
        yield Finding(
            f"The services may want {connections} connections at once, and the server has {facts['connections']}.",
            f"ALTER SYSTEM SET max_connections = {connections + 20}; -- and a restart",
        )


def _of_schema(schema: str, facts: Facts) -> Iterator[Finding]:
    role = facts["role"]
    if schema not in facts["schemas"]:
        instead = _suggest(schema, facts["schemas"])
        yield Finding(f'There is no schema "{schema}" in database "{facts["database"]}"{instead}.', fatal=True)
        return
    if not facts["schemas"][schema]:
        statement = f"GRANT USAGE ON SCHEMA {_name(schema)} TO {_name(role)};"
        yield Finding(f'Role "{role}" may not use schema "{schema}".', statement, fatal=True)
        return
    relations = [relation for relation in facts["relations"] or () if relation["schema"] == schema]
    readable = [relation for relation in relations if relation["readable"]]
    # only some are named, and those without a geometry are public only where a setting says so
    readable.sort(key=lambda relation: not relation["has_geometry"])
    if not relations:
        yield Finding(f'Schema "{schema}" has no tables and no views.')
    if len(readable) < len(relations):
        hidden = _list_names(relation for relation in relations if not relation["readable"])
        statement = f"GRANT SELECT ON ALL TABLES IN SCHEMA {_name(schema)} TO {_name(role)};"
        yield Finding(f'Role "{role}" may not read {hidden} in schema "{schema}".', statement, fatal=not readable)
    if no_key := [relation for relation in readable if not relation["has_key"]]:
        names = _list_names(no_key)
        sentence = f'No key tells the rows of {names} in schema "{schema}" apart: their features have no ids.'
        yield Finding(sentence, " ".join(_key_of(relation) for relation in no_key[:_MOST_NAMED]))
    if no_statistics := [relation for relation in readable if not relation["analysed"]]:
        tables = [f"ANALYZE {_name(schema, relation['name'])}" for relation in no_statistics]
        statement = "; ".join(tables) if len(tables) <= _MOST_NAMED else "ANALYZE"
        yield Finding(f'There are no statistics of {_list_names(no_statistics)} in schema "{schema}".', f"{statement};")
    for relation in readable:
        for column in relation["geometries_without_index"]:
            name = f'"{schema}"."{relation["name"]}"'
            statement = f"CREATE INDEX ON {_name(schema, relation['name'])} USING gist ({_name(column)});"
            yield Finding(f'No index finds what is near on "{column}" of {name}, which has many rows.', statement)
    for owner, finding in facts["srids"]:
        if owner == schema:
            yield finding


def _key_of(relation: Mapping[str, Any]) -> str:
    """Return a statement that gives the rows of a relation a key."""
    name = _name(relation["schema"], relation["name"])
    if relation["kind"] == "m":
        return f"CREATE UNIQUE INDEX ON {name} (…);"
    return f"ALTER TABLE {name} ADD COLUMN feature_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;"


def _list_names(relations: Iterable[Mapping[str, Any]]) -> str:
    names = [f'"{relation["name"]}"' for relation in relations]
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _suggest(name: str, names: Iterable[str]) -> str:
    close = get_close_matches(name, list(names), n=1)
    if close:
        return f', but there is "{close[0]}"'
    return f"; there are {found}" if (found := ", ".join(names)) else ""


def _name(*names: str) -> str:
    return ident(*names).render()[0]
