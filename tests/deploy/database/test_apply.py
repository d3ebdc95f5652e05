"""The schema in the view of database users, and the reader's privileges."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from deploy.database.apply import apply_schema, close_other_databases, ensure_reader, revoke_statements
from deploy.database.scram import scram_verifier
from tests.deploy.database.private_cluster import private_cluster

COLLECTIONS = {
    "hazard_eq_events": "POINT",
    "hazard_eq_contours": "MULTILINESTRING",
    "hazard_fl_events": "MULTIPOLYGON",
    "hazard_fl_alerts": "MULTIPOLYGON",
    "hazard_fl_alerts_mom_forecast": "MULTIPOLYGON",
    "hazard_fl_alerts_mom_runs": "POINT",
    "hazard_fl_glofas_gauges_forecast": "POINT",
    "hazard_ts_events": "POINT",
    "hazard_ts_tracks": "MULTILINESTRING",
    "hazard_ts_buffers": "MULTIPOLYGON",
    "hazard_ts_nodes": "POINT",
    "hazard_ts_disturbance_events": "POINT",
    "hazard_ts_disturbance_tracks": "MULTILINESTRING",
    "hazard_ts_disturbance_buffers": "MULTIPOLYGON",
    "hazard_ts_disturbance_nodes": "POINT",
    "hazard_ts_advisory_tracks": "MULTILINESTRING",
    "hazard_ts_advisory_nodes": "POINT",
    "hazard_ts_advisory_buffers": "MULTIPOLYGON",
}


@pytest.fixture
async def reader(owner: asyncpg.Connection, database_url: str) -> AsyncIterator[asyncpg.Connection]:
    """Yield a connection as a new reader."""
    user = f"reader_{uuid4().hex}"
    await ensure_reader(owner, user, "a password: 'quoted' \\")
    connection = await asyncpg.connect(database_url, user=user, password="a password: 'quoted' \\")
    yield connection
    await connection.close()
    await owner.execute(f"DROP OWNED BY {user}; DROP ROLE {user}")


async def test_the_collections_with_their_geometry(schema: asyncpg.Connection) -> None:
    found = await schema.fetch(
        "SELECT f_table_name, type, srid FROM geometry_columns WHERE f_table_schema = 'hazard' ORDER BY 1"
    )
    assert [tuple(row) for row in found] == sorted((name, kind, 4326) for name, kind in COLLECTIONS.items())


async def test_applying_again_changes_nothing(owner: asyncpg.Connection) -> None:
    state = "SELECT relation, version FROM dams.data_versions() ORDER BY 1"
    await owner.execute(
        "INSERT INTO hazard.hazard_ts_events (event_id, start_date, geom) VALUES ('a', now(), "
        "ST_SetSRID(ST_Point(0, 0), 4326))"
    )
    before = await owner.fetch(state)
    await apply_schema(owner)
    assert await owner.fetch(state) == before
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 1


@pytest.mark.parametrize("table", COLLECTIONS)
async def test_key_indexes_comments_and_triggers(schema: asyncpg.Connection, table: str) -> None:
    relation = f"hazard.{table}"
    indexes = [
        row[0]
        for row in await schema.fetch(
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'hazard' AND tablename = $1", table
        )
    ]
    assert any("UNIQUE" in index and index.endswith("(id)") for index in indexes)
    assert any("gist (geom)" in index for index in indexes)
    assert any("(event_id" in index for index in indexes)
    columns = await schema.fetch(
        "SELECT attname, format_type(atttypid, NULL) AS type, col_description(attrelid, attnum) AS comment "
        "FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 ORDER BY attnum",
        relation,
    )
    assert columns[0]["attname"] == "id"
    assert columns[0]["type"] == "integer"
    for column in columns:
        assert column["comment"], column["attname"]
        assert re.fullmatch(r"[^.]+\. .+[.\]]", column["comment"]), column["comment"]
    times = [column["attname"] for column in columns if column["type"].startswith("timestamp")]
    assert times
    assert any(f"({times[0]}, id)" in index for index in indexes), times[0]
    title, _, description = (await schema.fetchval("SELECT obj_description($1::text::regclass)", relation)).partition(
        "\n"
    )
    assert title
    assert description
    assert (
        await schema.fetchval("SELECT count(*) FROM dams.data_versions() WHERE relation = $1::text::regclass", relation)
        == 1
    )


async def test_unaccent_can_be_indexed(owner: asyncpg.Connection) -> None:
    assert await owner.fetchval("SELECT dams.unaccent('Chișinău Ñuñoa')") == "Chisinau Nunoa"
    await owner.execute(
        "SET search_path = pg_catalog; CREATE TABLE public.t (a text); "
        "CREATE INDEX ON public.t (dams.unaccent(a)); INSERT INTO public.t VALUES ('é')"
    )


async def test_reader_reads_data_and_versions(reader: asyncpg.Connection) -> None:
    assert await reader.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 0
    # and that of the impacts of events
    assert await reader.fetchval("SELECT count(*) FROM dams.data_versions()") == len(COLLECTIONS) + 1
    for relation in ("exposure.place", "exposure.facility", "exposure.dataset", "impact.event"):
        assert await reader.fetchval(f"SELECT count(*) FROM {relation}") == 0  # noqa: S608 - constant
    assert await reader.fetchval("SELECT dams.unaccent('é')") == "e"
    assert await reader.fetchval("SHOW timezone") == "UTC"
    assert await reader.fetchval("SHOW default_transaction_read_only") == "on"
    assert await reader.fetchval("SHOW temp_file_limit") == "4GB"


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM hazard.hazard_eq_events",
        "CREATE TABLE hazard.t ()",
        "CREATE TABLE public.t ()",
        "SELECT * FROM dams.change_log",
        "SELECT * FROM dams.demo_load",
        "SELECT dams.prune_change_log()",
        "SELECT dams.watch('dams.demo_load')",
        "CREATE ROLE another",
        "CREATE TEMPORARY TABLE t ()",
        "SELECT lo_creat(-1)",
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT pg_logical_emit_message(false, 'a', 'b')",
        "SELECT pg_logical_emit_message(true, 'a', 'b'::bytea)",
        "SET temp_file_limit = -1",
        "SELECT lo_import('/etc/hostname')",
        "SELECT pg_read_file('/etc/hostname')",
        "COPY hazard.hazard_eq_events TO '/tmp/t'",
        "COPY hazard.hazard_eq_events TO PROGRAM 'true'",
    ],
)
async def test_reader_may_nothing_else(reader: asyncpg.Connection, statement: str) -> None:
    await reader.execute("SET default_transaction_read_only = off")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await reader.execute(statement)


async def test_what_an_owner_cannot_take_from_everybody_is_said(database_url: str) -> None:
    superuser = await asyncpg.connect(database_url)
    owner, user = (f"{kind}_{uuid4().hex}" for kind in ("owner", "reader"))
    database = await superuser.fetchval("SELECT current_database()")
    # as in a database that someone else manages
    await superuser.execute(f"CREATE EXTENSION unaccent; CREATE ROLE {owner} LOGIN CREATEROLE PASSWORD 'secret'")
    await superuser.execute(f"ALTER DATABASE {database} OWNER TO {owner}")
    address = urlsplit(database_url)
    url = address._replace(netloc=f"{owner}:secret@{address.hostname}:{address.port}").geturl()
    try:
        connection = await asyncpg.connect(url)
        await apply_schema(connection)
        await connection.execute(f"CREATE ROLE {user}")
        left = await revoke_statements(connection, user)
        await connection.close()
        # PostgreSQL 17 gave them a further parameter
        emits = [
            row["name"]
            for row in await superuser.fetch(
                "SELECT oid::regprocedure::text AS name FROM pg_proc WHERE proname = 'pg_logical_emit_message'"
            )
        ]
        functions = ("lo_creat(integer)", "lo_create(oid)", "lo_from_bytea(oid,bytea)", *emits)
        others = [f"REVOKE CONNECT, TEMPORARY ON DATABASE {name} FROM PUBLIC" for name in ("postgres", "template1")]
        limit = f"ALTER ROLE {user} SET temp_file_limit = '4GB'"
        assert sorted(left) == sorted(
            [*(f"REVOKE EXECUTE ON FUNCTION {name} FROM PUBLIC" for name in functions), *others, limit]
        )
        await superuser.execute(";".join(left))
        assert await revoke_statements(superuser, user) == []
    finally:
        await superuser.execute("GRANT CONNECT, TEMPORARY ON DATABASE postgres, template1 TO PUBLIC")
        await superuser.execute(
            f"ALTER DATABASE {database} OWNER TO CURRENT_USER; REASSIGN OWNED BY {owner} TO CURRENT_USER; "
            f"DROP OWNED BY {owner}; DROP ROLE {user}; DROP ROLE {owner}"
        )
        await superuser.close()


async def test_a_reader_of_our_own_server_has_no_other_database() -> None:
    with private_cluster() as cluster:
        owner = await asyncpg.connect(cluster.url("postgres"))
        await owner.execute("CREATE DATABASE ours")
        await owner.close()
        owner = await asyncpg.connect(cluster.url("ours"))
        await apply_schema(owner)
        await ensure_reader(owner, "reader", "secret")
        for database in ("postgres", "template1"):
            connection = await asyncpg.connect(cluster.url(database), user="reader")
            await connection.execute("SET default_transaction_read_only = off")
            await connection.execute("SELECT lo_create(0)")
            await connection.close()
        await close_other_databases(owner)
        for database in ("postgres", "template1"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
                await asyncpg.connect(cluster.url(database), user="reader")
        assert await revoke_statements(owner, "reader") == []
        await owner.close()


async def test_reader_sees_tables_created_later(owner: asyncpg.Connection, reader: asyncpg.Connection) -> None:
    await owner.execute("CREATE TABLE hazard.later (a integer)")
    assert await reader.fetchval("SELECT count(*) FROM hazard.later") == 0


async def test_a_superuser_is_refused_as_reader(owner: asyncpg.Connection) -> None:
    user = await owner.fetchval("SELECT current_user")
    with pytest.raises(ValueError, match="superuser"):
        await ensure_reader(owner, user, "x")


def test_verifier_is_that_of_the_standard() -> None:
    # The exchange of RFC 7677, section 3: password "pencil", its salt and its ServerSignature.
    verifier = scram_verifier("pencil", bytes.fromhex("5b6d99689d12358eec a04b14 1236fa81"))
    assert verifier == (
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"
        "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    )


@pytest.mark.parametrize("password", ["", "naïve", "two\nlines"])
def test_passwords_that_need_preparation_are_refused(password: str) -> None:
    with pytest.raises(ValueError, match="printable ASCII"):
        scram_verifier(password)


def test_command_line_says_what_is_wrong(tmp_path: Path) -> None:
    nowhere = "postgresql://127.0.0.1:1/none"
    nameless = _command("apply")
    assert (nameless.returncode, "DAMS_DATABASE_OWNER_URL is missing" in nameless.stderr) == (2, True)
    half = _command("apply", "--reader-user", "x", url=nowhere)
    assert (half.returncode, "belong together" in half.stderr) == (2, True)
    missing = _command("demo", "--npm", str(tmp_path), url=nowhere)
    assert (missing.returncode, "npm ci" in missing.stderr, "Traceback" in missing.stderr) == (1, True, False)
    unreachable = _command("apply", url=nowhere)
    assert (unreachable.returncode, unreachable.stderr[:7], "Traceback" in unreachable.stderr) == (1, "error: ", False)


def _command(*arguments: str, url: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deploy.database", *arguments]
    environment = os.environ | {"DAMS_DATABASE_OWNER_URL": url}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
