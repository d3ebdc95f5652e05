"""Apply the schema or take its newest versions back, and create or update the login role of the services."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import asyncpg

from deploy.database.migrations import FIRST, Migration, current_version, migrate_down, migrate_up, read_migrations
from deploy.database.scram import scram_verifier

SCHEMA_DIRECTORY = Path(__file__).parent / "schema"

_TEMP_FILE_LIMIT = "4GB"
"""Most bytes that a session of a reader may put on the disk to sort."""
_OTHER_DATABASES = ("postgres", "template1")
"""Databases of every server, in which every role may write unless it is kept out."""

_VERSION = "01_schema_version.sql"
_CHANGE_LOG = "10_change_log.sql"
_HISTORY = "16_history.sql"

# Only one schema change at a time per database; the number must only be the same everywhere.
_APPLY_LOCK = 0x44414D53


async def apply_schema(connection: asyncpg.Connection, migrations: Mapping[int, Migration] | None = None) -> list[str]:
    """Run missing migrations and every file of schema/ in order of name, all in one transaction.

    Running again changes nothing. Returns the names of the files. Raises MigrationError if the schema is that of a
    newer release, and asyncpg.PostgresError; the database is then unchanged.
    """
    known = read_migrations() if migrations is None else migrations
    files = sorted(SCHEMA_DIRECTORY.glob("*.sql"))
    async with connection.transaction():
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _APPLY_LOCK)
        version = await current_version(connection)
        done = []
        for file in files:
            await connection.execute(file.read_text(encoding="utf-8"))
            if file.name == _VERSION and version is not None:
                done = await migrate_up(connection, known, version)
        if version is None:
            done = await migrate_up(connection, known, FIRST)
    return [*done, *(file.name for file in files)]


async def revert_schema(
    connection: asyncpg.Connection, to: int, migrations: Mapping[int, Migration] | None = None
) -> list[str]:
    """Take back the migrations after version `to`; return their names.

    Raises MigrationError or asyncpg.PostgresError, and leaves the database unchanged.
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _APPLY_LOCK)
        return await migrate_down(connection, read_migrations() if migrations is None else migrations, to)


_RELATION = """
SELECT coalesce(
    to_regclass(format('%I.%I', split_part($1::text, '.', 1), substr($1, strpos($1, '.') + 1))),
    $1::regclass
)::oid"""
"""The table is named as its collection, else as in SQL, where a name with capitals is in double quotes."""


async def watch_tables(connection: asyncpg.Connection, tables: Iterable[str], reader: str) -> None:
    """Make services of the role `reader` notice every change of these tables at commit.

    This needs only the change log of the schema and creates it if it is missing. Raises asyncpg.PostgresError and
    leaves the database unchanged.
    """
    async with connection.transaction():
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _APPLY_LOCK)
        await connection.execute("CREATE SCHEMA IF NOT EXISTS dams")
        await connection.execute((SCHEMA_DIRECTORY / _CHANGE_LOG).read_text(encoding="utf-8"))
        for table in tables:
            await connection.execute("SELECT dams.watch($1::oid::regclass)", await _relation(connection, table))
        await _execute(connection, "GRANT USAGE ON SCHEMA dams TO %I", reader)
        await _execute(connection, "GRANT EXECUTE ON FUNCTION dams.data_versions() TO %I", reader)


async def _relation(connection: asyncpg.Connection, table: str) -> int:
    """Return the oid of a table. Raises asyncpg.PostgresError if there is none."""
    return int(await connection.fetchval(_RELATION, table))


async def keep_history(connection: asyncpg.Connection, tables: Sequence[str], reader: str, kept: str | None) -> None:
    """Keep earlier versions of the rows of these tables for services of the role `reader`, and watch the tables.

    kept: an interval of PostgreSQL, or None to delete the versions and keep none. Raises asyncpg.PostgresError and
    leaves the database unchanged.
    """
    async with connection.transaction():
        await watch_tables(connection, tables, reader)
        await connection.execute("SET LOCAL client_min_messages = warning")
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _APPLY_LOCK)
        await connection.execute((SCHEMA_DIRECTORY / _HISTORY).read_text(encoding="utf-8"))
        await _execute(connection, "GRANT USAGE ON SCHEMA dams_history TO %I", reader)
        await _execute(connection, "GRANT EXECUTE ON FUNCTION dams.histories() TO %I", reader)
        for table in tables:
            relation = await _relation(connection, table)
            if kept is None:
                await connection.execute("SELECT dams.forget_history($1::oid::regclass)", relation)
                continue
            await connection.execute("SELECT dams.keep_history($1::oid::regclass, $2::text::interval)", relation, kept)
            name = await connection.fetchval(
                "SELECT name FROM dams.history WHERE relation = $1 AND has_table_privilege($2, relation, 'SELECT')",
                relation,
                reader,
            )
            if name is None:
                raise asyncpg.InsufficientPrivilegeError(f"role {reader} may not read {table}")
            await _execute(connection, "GRANT SELECT ON dams_history.%I TO %I", name, reader)
            await _execute(connection, "GRANT SELECT ON dams_history.%I TO %I", f"{name} starts", reader)


async def ensure_reader(connection: asyncpg.Connection, user: str, password: str) -> None:
    """Create or update the login role `user`: a member of dams_reader that only reads, in UTC.

    The password is sent and stored as a SCRAM-SHA-256 verifier, so it appears in no statement log. Raises ValueError
    for an empty or non-ASCII password, or if `user` is a superuser; asyncpg.PostgresError if the owner may not create
    roles.
    """
    async with connection.transaction():
        await _ensure_login(connection, user, password, "dams_reader")
        await _execute(connection, "ALTER ROLE %I SET default_transaction_read_only = on", user)
        if await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = current_user"):
            await _execute(connection, "ALTER ROLE %I SET temp_file_limit = %L", user, _TEMP_FILE_LIMIT)


async def ensure_loader(connection: asyncpg.Connection, user: str, password: str) -> None:
    """Create or update the login role `user`: a member of dams_loader, which writes the data, in UTC.

    The same rules as for the reader; also raises ValueError if `user` is the services' role.
    """
    async with connection.transaction():
        is_reader = "SELECT pg_has_role(oid, 'dams_reader', 'MEMBER') AND NOT rolsuper FROM pg_roles WHERE rolname = $1"
        if await connection.fetchval(is_reader, user):
            raise ValueError(f"role {user!r} is the services'; they must not be able to write")
        await _ensure_login(connection, user, password, "dams_loader")


async def _ensure_login(connection: asyncpg.Connection, user: str, password: str, group: str) -> None:
    verifier = scram_verifier(password)
    superuser = await connection.fetchval("SELECT rolsuper FROM pg_roles WHERE rolname = $1", user)
    if superuser:
        raise ValueError(f"role {user!r} is a superuser; the services must not be able to write")
    await connection.execute("SELECT pg_advisory_xact_lock($1)", _APPLY_LOCK)
    if superuser is None:
        await _execute(connection, "CREATE ROLE %I", user)
    await _execute(connection, "ALTER ROLE %I LOGIN INHERIT PASSWORD %L", user, verifier)
    await _execute(connection, "GRANT %I TO %I", group, user)
    await _execute(connection, "ALTER ROLE %I SET timezone = 'UTC'", user)
    database = await connection.fetchval("SELECT current_database()")
    await _execute(connection, "GRANT CONNECT ON DATABASE %I TO %I", database, user)


async def close_other_databases(connection: asyncpg.Connection) -> None:
    """Keep every role but superusers out of the databases that every server has, of a server that is ours alone.

    Raises asyncpg.PostgresError where the owner may not do that.
    """
    for database in await connection.fetch(
        "SELECT datname FROM pg_database WHERE datname = ANY ($1::text[]) AND datname <> current_database()",
        _OTHER_DATABASES,
    ):
        await _execute(connection, "REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC", database["datname"])


async def revoke_statements(connection: asyncpg.Connection, user: str) -> list[str]:
    """Return statements that take from `user` what no reader needs, mostly by taking it from PUBLIC.

    `apply` runs them, where the owner may.
    """
    rights = await connection.fetch(
        "SELECT format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()) AS revoke "
        "WHERE has_database_privilege($1, current_database(), 'TEMPORARY') "
        "UNION ALL SELECT 'REVOKE CREATE ON SCHEMA public FROM PUBLIC' "
        "FROM pg_namespace WHERE nspname = 'public' AND has_schema_privilege($1, oid, 'CREATE') "
        "UNION ALL SELECT format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure) FROM pg_proc "
        "WHERE pronamespace = 'pg_catalog'::regnamespace "
        "AND proname IN ('lo_creat', 'lo_create', 'lo_from_bytea', 'pg_logical_emit_message') "
        "AND has_function_privilege($1, oid, 'EXECUTE') "
        "UNION ALL SELECT format('REVOKE CONNECT, TEMPORARY ON DATABASE %I FROM PUBLIC', datname) FROM pg_database "
        "WHERE datname = ANY ($2::text[]) AND datname <> current_database() "
        "AND has_database_privilege($1, datname, 'CONNECT') "
        "UNION ALL SELECT format('ALTER ROLE %I SET temp_file_limit = %L', $1::text, $3::text) "
        "FROM pg_settings WHERE name = 'temp_file_limit' AND setting = '-1' AND NOT EXISTS ("
        "SELECT FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole, unnest(s.setconfig) AS said "
        "WHERE r.rolname = $1 AND said LIKE 'temp_file_limit=%')",
        user,
        _OTHER_DATABASES,
        _TEMP_FILE_LIMIT,
    )
    return [row["revoke"] for row in rights]


async def _execute(connection: asyncpg.Connection, template: str, *arguments: str) -> None:
    """Run a utility statement, which cannot have binds: the server quotes the arguments."""
    places = ", ".join(f"${number}::text" for number in range(2, len(arguments) + 2))
    await connection.execute(await connection.fetchval(f"SELECT format($1::text, {places})", template, *arguments))
