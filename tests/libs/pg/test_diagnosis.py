"""A fault of a database is described in one sentence, with the statement that corrects it."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import asyncpg
import pytest

from libs.pg.diagnosis import Finding, diagnose
from tests.conftest import MakeDatabase
from tests.poolers import pgbouncer

ROLE = "diagnosed"
SCHEMAS = """
    CREATE SCHEMA own;
    CREATE SCHEMA "Odd, one";
    CREATE SCHEMA hidden;
    CREATE SCHEMA bare;
    CREATE TABLE own.places (id integer PRIMARY KEY, geom geometry(Point, 4326));
    CREATE TABLE own.secret (id integer PRIMARY KEY);
    CREATE TABLE own.many (n integer, geom geometry(Point, 4326));
    INSERT INTO own.many SELECT n, ST_Point(n % 180, 0, 4326) FROM generate_series(1, 10000) AS n;
    CREATE VIEW own.seen AS SELECT * FROM own.places;
    CREATE TABLE hidden.places (id integer PRIMARY KEY);
    ANALYZE own.many, own.places;
"""


@pytest.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """Make a database with these schemas, and a role that may only connect to it."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(f"{SCHEMAS} CREATE ROLE {ROLE} LOGIN PASSWORD 'right'")
    yield connection
    await connection.execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")
    await connection.close()


def address(url: str, *, password: str = "right", database: str | None = None) -> str:  # noqa: S107 of this test alone
    """The same server, for the role."""
    parts = urlsplit(url)
    return f"postgresql://{ROLE}:{password}@{parts.hostname}:{parts.port}/{database or parts.path[1:]}"


def said(findings: list[Finding]) -> list[str]:
    return [str(finding) for finding in findings]


async def test_all_is_told_that_keeps_a_schema_from_being_served(owner: asyncpg.Connection, database_url: str) -> None:
    url = address(database_url)
    database = urlsplit(database_url).path[1:]

    async def fatal(*schemas: str) -> list[str]:
        return said([finding for finding in await diagnose(url, schemas) if finding.fatal])

    assert await fatal("owm") == [f'There is no schema "owm" in database "{database}", but there is "own".']
    assert await fatal("own") == [
        f'Role "{ROLE}" may not use schema "own". GRANT USAGE ON SCHEMA "own" TO "{ROLE}";',
    ]
    await owner.execute(f'GRANT USAGE ON SCHEMA "own" TO "{ROLE}"')
    assert await fatal("own") == [
        f'Role "{ROLE}" may not read "many", "places", "secret" and 1 more in schema "own".'
        f' GRANT SELECT ON ALL TABLES IN SCHEMA "own" TO "{ROLE}";'
    ]
    await owner.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "own" TO "{ROLE}"')
    assert await fatal("own") == []
    assert await fatal("own", "hidden", "Odd; one") == [
        f'Role "{ROLE}" may not use schema "hidden". GRANT USAGE ON SCHEMA "hidden" TO "{ROLE}";',
        f'There is no schema "Odd; one" in database "{database}", but there is "Odd, one".',
    ]


async def test_what_is_slow_or_unsafe_is_told_after_what_is_fatal(owner: asyncpg.Connection, database_url: str) -> None:
    await owner.execute(
        f"GRANT USAGE ON SCHEMA own, bare TO {ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA own TO {ROLE}"
    )
    await owner.execute("REVOKE SELECT ON own.secret FROM diagnosed")
    found = await diagnose(address(database_url), ["own", "bare", "hidden"], connections=100_000)
    assert [finding.fatal for finding in found] == [True, False, False, False, False, False]
    sentences = said(found)
    most = await owner.fetchval(
        "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int"
    )
    assert sentences[1] == (
        f"The services may want 100000 connections at once, and the server has {most}."
        " ALTER SYSTEM SET max_connections = 100020; -- and a restart"
    )
    assert not [
        text for text in said(await diagnose(address(database_url), ["own"], connections=most)) if "may want" in text
    ]
    assert sentences[2:] == [
        f'Role "{ROLE}" may not read "secret" in schema "own". GRANT SELECT ON ALL TABLES IN SCHEMA "own" TO "{ROLE}";',
        'No key tells the rows of "many" in schema "own" apart: their features have no ids. '
        'ALTER TABLE "own"."many" ADD COLUMN feature_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY;',
        'No index finds what is near on "geom" of "own"."many", which has many rows.'
        ' CREATE INDEX ON "own"."many" USING gist ("geom");',
        'Schema "bare" has no tables and no views.',
    ]
    await owner.execute('CREATE INDEX ON "own"."many" USING gist ("geom"); CREATE UNIQUE INDEX ON own.many (n)')
    await owner.execute(
        "CREATE TABLE own.fresh (id integer PRIMARY KEY); GRANT SELECT ON own.secret, own.fresh TO PUBLIC"
    )
    assert said(await diagnose(address(database_url), ["own"])) == [
        'There are no statistics of "fresh", "secret" in schema "own". ANALYZE "own"."fresh"; ANALYZE "own"."secret";'
    ]


async def test_new_tables_are_diagnosed_without_statistics(owner: asyncpg.Connection, database_url: str) -> None:
    """As right after a load: the index that a table needs is named at once, and tables with a geometry first."""
    await owner.execute(
        "CREATE SCHEMA loaded; CREATE TABLE loaded.a_price (price integer);"
        "CREATE TABLE loaded.b_large AS SELECT n AS id, ST_Point(0, 0, 4326) AS geom FROM generate_series(1, 20000) n;"
        "CREATE TABLE loaded.c_small AS SELECT 1 AS id, ST_Point(0, 0, 4326) AS geom;"
        "ALTER TABLE loaded.b_large ALTER geom TYPE geometry(Point, 4326), ALTER geom SET NOT NULL;"
        "ALTER TABLE loaded.c_small ALTER geom TYPE geometry(Point, 4326);"
        "CREATE TABLE loaded.d_price (price integer);"
    )
    await owner.execute(
        f"GRANT USAGE ON SCHEMA loaded TO {ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA loaded TO {ROLE}"
    )
    keys, statistics, index = said(await diagnose(address(database_url), ["loaded"]))
    assert keys.startswith('No key tells the rows of "b_large", "c_small", "a_price" and 1 more in schema "loaded"')
    assert statistics.endswith('"b_large", "c_small", "a_price" and 1 more in schema "loaded". ANALYZE;')
    assert index.endswith('CREATE INDEX ON "loaded"."b_large" USING gist ("geom");')


async def test_a_database_without_postgis(owner: asyncpg.Connection, database_url: str) -> None:
    found = await diagnose(address(database_url, database="postgres"), ["public"])
    assert str(found[0]) == 'Database "postgres" has no PostGIS. CREATE EXTENSION postgis;'
    assert found[0].fatal


@pytest.mark.parametrize(
    ("change", "said_of_it", "fatal"),
    [
        (
            "REVOKE USAGE ON SCHEMA public FROM PUBLIC",
            f'Role "{ROLE}" may not use PostGIS. GRANT USAGE ON SCHEMA "public" TO "{ROLE}";',
            True,
        ),
        (
            "UPDATE pg_extension SET extnamespace = 'own'::regnamespace WHERE extname = 'postgis'",
            'PostGIS is in schema "own", where it is not looked for, but in public, postgis, extensions.',
            True,
        ),
        (
            # as of a server on which it is not installed
            "DROP EXTENSION postgis CASCADE; CREATE VIEW own.pg_available_extensions AS SELECT 'plpgsql' AS name;"
            f"GRANT SELECT ON own.pg_available_extensions TO {ROLE};"
            f"ALTER ROLE {ROLE} SET search_path = own, pg_catalog",
            'Database "{database}" has no PostGIS, and its server has none to give: install it there first.'
            " CREATE EXTENSION postgis;",
            True,
        ),
        (
            f"ALTER ROLE {ROLE} SET track_counts = off",
            "Changes are not noticed. ALTER SYSTEM SET track_counts = on; SELECT pg_reload_conf();",
            False,
        ),
    ],
)
async def test_what_is_wrong_with_a_database(
    owner: asyncpg.Connection, database_url: str, change: str, said_of_it: str, fatal: bool
) -> None:
    await owner.execute(f"GRANT USAGE ON SCHEMA own TO {ROLE}; GRANT SELECT ON own.places TO {ROLE}; {change}")
    found = await diagnose(address(database_url), ["own"])
    wanted = said_of_it.format(database=urlsplit(database_url).path[1:])
    assert [finding.fatal for finding in found if str(finding) == wanted] == [fatal]


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (TimeoutError(), "PostgreSQL at the usual socket does not answer within 4 s."),
        (
            asyncpg.TooManyConnectionsError("too many clients."),
            "PostgreSQL at the usual socket refuses the connection: too many clients.",
        ),
        (asyncpg.InterfaceError("no address"), "No PostgreSQL answers at the usual socket: no address."),
    ],
)
async def test_what_a_server_says_instead_of_an_answer(
    monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    async def connect(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(asyncpg, "connect", connect)
    (found,) = await diagnose("postgresql:///b", ["own"])
    assert (str(found), found.fatal) == (told, True)


async def test_a_database_without_any_schema(make_database: MakeDatabase) -> None:
    async def emptied(owner: asyncpg.Connection) -> None:
        await owner.execute("DROP SCHEMA public CASCADE")

    url = await make_database(emptied)
    database = urlsplit(url).path[1:]
    assert f'There is no schema "own" in database "{database}".' in said(await diagnose(url, ["own"]))


async def test_behind_a_pooler_its_own_bound_counts(owner: asyncpg.Connection, database_url: str) -> None:
    await owner.execute(f"GRANT USAGE ON SCHEMA own TO {ROLE}; GRANT SELECT ON ALL TABLES IN SCHEMA own TO {ROLE}")
    with pgbouncer(address(database_url), sessions=1, pool_mode="transaction") as pooled:
        # twice: nothing that the first has prepared may be in the way
        few, many = [said(await diagnose(pooled, ["own"], connections=number)) for number in (100, 101)]
    assert not [sentence for sentence in few if "connections" in sentence]
    assert many[0] == (
        "The services may want 101 connections at once of the pooler before the database."
        " max_client_conn = 121 ; in pgbouncer.ini"
    )
    assert many[1:] == few


async def test_a_superuser_is_too_much(database_url: str) -> None:
    role = urlsplit(database_url).username
    found = said(await diagnose(database_url, ["public"]))
    assert f'Role "{role}" is a superuser: give the services one that may only read.' in found


async def test_what_keeps_from_connecting(owner: asyncpg.Connection, database_url: str) -> None:
    place, database = urlsplit(database_url).netloc.rpartition("@")[2], urlsplit(database_url).path[1:]

    async def fault(url: str) -> str:
        (found,) = await diagnose(url, ["own"])
        assert found.fatal
        return str(found)

    wrong = await fault(address(database_url, password="wrong"))
    asked = f'PostgreSQL at {place} refuses the password of role "{ROLE}".'
    assert wrong == f"""{asked} ALTER ROLE "{ROLE}" PASSWORD '…';"""
    near = await fault(address(database_url, database=f"{database}_"))
    assert near == f'There is no database "{database}_" at {place}, but there is "{database}".'
    odd = await fault(address(database_url, database="q%20%22x%22"))
    assert odd.startswith(f'There is no database "q "x"" at {place}; there are ')
    assert not {"template0", "template1"} & {*odd.rstrip(".").partition("; there are ")[2].split(", ")}
    await owner.execute(f'REVOKE CONNECT ON DATABASE "{database}" FROM PUBLIC')
    assert await fault(address(database_url)) == (
        f'Role "{ROLE}" may not connect to database "{database}" at {place}.'
        f' GRANT CONNECT ON DATABASE "{database}" TO "{ROLE}";'
    )
    assert await fault("postgresql://a@no-such-host.invalid/b") == "No host has the name in no-such-host.invalid."
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert (await fault(f"postgresql://a@127.0.0.1:{port}/b")).startswith(
            f"No PostgreSQL answers at 127.0.0.1:{port}:"
        )
