"""PostgreSQL and Redis of a stack: started twice, crashed, side by side, in folders that are hard to get into."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import psutil
import pytest
import redis

from deploy.local import stack
from deploy.local.processes import MARK, find_orphans
from deploy.local.settings import REPOSITORY
from deploy.local.state import StateFolder
from tests.eventually import eventually_true
from tests.running_stack import Cluster
from tests.services.tiles.cache import OwnRedis


def of_own(database: str, cache: str = "redis://127.0.0.1:1", schemas: str = "public") -> dict[str, str]:
    """Return the settings of a stack on servers of one's own."""
    return {"DAMS_DATABASE_URL": database, "DAMS_COLLECTION_SCHEMAS": schemas, "DAMS_REDIS_URL": cache}


def command(state_dir: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs `python -m deploy.local` on a stack."""
    return subprocess.run(
        [sys.executable, "-m", "deploy.local", *arguments],
        cwd=REPOSITORY,
        env=os.environ | {"DAMS_STATE_DIR": str(state_dir), "DAMS_GATEWAY_PORT": "31999"} | settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def up(state_dir: Path) -> Cluster:
    result = command(state_dir, "up", "--servers-only")
    assert result.returncode == 0, result.stdout + result.stderr
    return Cluster(state_dir)


def cluster_of(state_dir: Path) -> Path:
    return Path(json.loads((state_dir / "stack.json").read_text())["cluster"])


def sockets_of(state_dir: Path) -> Path | None:
    sockets = json.loads((state_dir / "stack.json").read_text())["sockets"]
    return Path(sockets) if sockets else None


async def reached_by_services(state_dir: Path) -> str | None:
    """Both servers answer at the addresses that services get; PostgreSQL's name for the way taken."""
    folder = StateFolder(state_dir)
    state = folder.load()
    assert redis.from_url(stack.redis_url(folder, state)).ping()
    password = folder.secret("reader-password")
    owner = await asyncpg.connect(stack.owner_url(folder, state, "postgres"))
    with suppress(asyncpg.DuplicateObjectError):
        await owner.execute(f"CREATE ROLE dams LOGIN PASSWORD '{password}'")
    await owner.close()
    reader = await asyncpg.connect(stack.reader_url(folder, state).rpartition("/")[0] + "/postgres")
    address = await reader.fetchval("SELECT host(inet_server_addr())")
    await reader.close()
    return str(address) if address else None


def unmake(cluster: Path) -> None:
    """Leaves what an interrupted initdb leaves."""
    half = cluster.rename(cluster.with_name("cluster.new"))
    (half / "PG_VERSION").unlink()


async def remembered(cluster: Cluster) -> str:
    """Writes and reads a row: the server works and its data are those of this cluster."""
    connection = await asyncpg.connect(cluster.owner_url("postgres"))
    await connection.execute("CREATE TABLE IF NOT EXISTS seen (at timestamptz PRIMARY KEY)")
    await connection.execute("INSERT INTO seen SELECT now() WHERE NOT EXISTS (SELECT FROM seen)")
    value = await connection.fetchval("SELECT min(at)::text FROM seen")
    await connection.close()
    assert redis.from_url(cluster.redis_url).ping()
    return str(value)


@contextmanager
def hard_to_get_into(parent: Path) -> Iterator[Path]:
    """A folder in one that only its owner may enter, with a blank and more characters than a socket path has."""
    folder = parent / "only mine" / ("x" * 60) / ("y" * 60)
    folder.mkdir(parents=True)
    (parent / "only mine").chmod(0o700)
    yield folder
    result = command(folder, "down", "--purge")
    assert result.returncode == 0, result.stderr
    assert not folder.exists()
    assert find_orphans(folder, None) == []


@pytest.fixture
def state_dir(tmp_path: Path) -> Iterator[Path]:
    """Return such a folder, without a stack."""
    with hard_to_get_into(tmp_path) as folder:
        yield folder


@pytest.fixture(scope="module")
def used_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return such a folder for several tests.

    They leave a stack there, running or stopped, as each new one takes seconds.
    """
    with hard_to_get_into(tmp_path_factory.mktemp("used")) as folder:
        yield folder


async def test_up_twice_down_twice(used_dir: Path) -> None:
    value = await remembered(up(used_dir))
    before = {process.pid for process in find_orphans(used_dir, None)}
    assert await remembered(up(used_dir)) == value
    assert {process.pid for process in find_orphans(used_dir, None)} == before
    assert command(used_dir, "down").stdout == "stopped\n"
    assert command(used_dir, "down").stdout == "nothing was running\n"
    assert await remembered(up(used_dir)) == value


def test_two_may_delete_a_stack_at_once(tmp_path: Path) -> None:
    folder = StateFolder(tmp_path / "stack")
    arguments = [sys.executable, "-m", "deploy.local", "down", "--purge"]
    environment = os.environ | {"DAMS_STATE_DIR": str(folder.path)}
    with folder.lock():
        both = [psutil.Popen(arguments, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL) for _ in range(2)]
        # both wait for their turn
        eventually_true(lambda: all(any(file.path.endswith("/lock") for file in each.open_files()) for each in both))
    assert [each.wait(30) for each in both] == [0, 0]
    assert not folder.path.exists()


async def test_settings_of_the_server(used_dir: Path) -> None:
    connection = await asyncpg.connect(up(used_dir).owner_url("postgres"))
    shown = {name: await connection.fetchval(f"SHOW {name}") for name in ("timezone", "jit", "fsync")}
    shown["collation"] = await connection.fetchval("SELECT datcollate FROM pg_database WHERE datname = 'postgres'")
    methods = await connection.fetch("SELECT DISTINCT auth_method FROM pg_hba_file_rules")
    await connection.close()
    assert shown == {"timezone": "UTC", "jit": "off", "fsync": "on", "collation": "C.UTF-8"}
    assert [row["auth_method"] for row in methods] == ["scram-sha-256"]


def test_psql_opens_the_database_as_its_owner(used_dir: Path) -> None:
    command(used_dir, "down")
    assert "no stack runs" in command(used_dir, "psql", "-c", "SELECT 1").stderr
    cluster = up(used_dir)
    result = command(used_dir, "psql", "-Atd", "postgres", "-c", "SELECT current_user, current_database()")
    assert (result.stdout, result.stderr) == ("dams_owner|postgres\n", "")
    assert command(used_dir, "psql", "-d", "postgres", "-c", "no such command").returncode == 1
    # of one's own it opens that, from any of its servers
    own = cluster.owner_url("postgres").replace("@127.0.0.1", "@localhost:1,127.0.0.1") + "?target_session_attrs=any"
    shown = command(used_dir, "psql", "-Atc", "SELECT current_user, current_database()", DAMS_DATABASE_URL=own)
    assert (shown.stdout, shown.stderr) == ("dams_owner|postgres\n", "")


async def test_services_reach_the_servers_by_unix_sockets(used_dir: Path) -> None:
    up(used_dir)
    sockets = sockets_of(used_dir)
    assert sockets is not None
    assert await reached_by_services(used_dir) is None
    # others pass through to what they may use, and see nothing
    assert sockets.stat().st_mode & 0o777 == 0o711
    assert command(used_dir, "down").returncode == 0
    assert not sockets.exists()


async def test_without_a_folder_for_sockets_all_goes_by_tcp(state_dir: Path, tmp_path: Path) -> None:
    temporary = tmp_path / ("x" * 100)
    temporary.mkdir()
    result = command(state_dir, "up", "--servers-only", TMPDIR=str(temporary))
    assert result.returncode == 0, result.stderr
    assert "No Unix sockets, only TCP: " in result.stdout
    assert sockets_of(state_dir) is None
    assert await reached_by_services(state_dir) == "127.0.0.1"


@pytest.mark.skipif(os.geteuid() != 0, reason="PostgreSQL runs as the same user")
async def test_a_folder_that_postgresql_cannot_get_into_is_not_used(state_dir: Path) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        result = command(state_dir, "up", "--servers-only", TMPDIR=temporary)
        assert os.listdir(temporary) == []  # noqa: PTH208 - pathlib is refused in asynchronous functions
    assert "No Unix sockets, only TCP: the user postgres cannot get into" in result.stdout
    assert await reached_by_services(state_dir) == "127.0.0.1"


async def test_sockets_that_are_gone_are_made_again(used_dir: Path) -> None:
    up(used_dir)
    sockets = sockets_of(used_dir)
    assert sockets is not None
    shutil.rmtree(sockets)
    up(used_dir)
    assert await reached_by_services(used_dir) is None


async def test_a_killed_supervisor(used_dir: Path) -> None:
    value = await remembered(up(used_dir))
    os.kill(int((used_dir / "supervisord.pid").read_text()), signal.SIGKILL)
    orphans = find_orphans(used_dir, cluster_of(used_dir))
    assert {process.name() for process in orphans} >= {"postgres", "redis-server"}
    assert await remembered(up(used_dir)) == value


async def test_everything_killed(used_dir: Path) -> None:
    value = await remembered(up(used_dir))
    cluster = cluster_of(used_dir)
    victims = find_orphans(used_dir, cluster)
    for process in victims:
        process.kill()
    psutil.wait_procs(victims, timeout=10)
    lock = (cluster / "postmaster.pid").read_text().splitlines()
    # The number belongs to another process by now: this one.
    (cluster / "postmaster.pid").write_text("\n".join([str(os.getpid()), *lock[1:]]) + "\n")
    assert await remembered(up(used_dir)) == value


async def test_a_half_made_cluster(used_dir: Path) -> None:
    up(used_dir)
    command(used_dir, "down")
    unmake(cluster_of(used_dir))
    assert await remembered(up(used_dir))


async def test_a_folder_that_was_deleted_by_hand(state_dir: Path) -> None:
    value = await remembered(up(state_dir))
    shutil.rmtree(state_dir)
    assert await remembered(up(state_dir)) != value


async def test_two_side_by_side(state_dir: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    first, second = up(state_dir), up(other)
    try:
        assert await remembered(first) != await remembered(second)
        assert command(other, "down", "--purge").stdout == "stopped\n"
        await remembered(first)
    finally:
        command(other, "down", "--purge")


def test_a_taken_gateway_port_starts_nothing(state_dir: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        result = command(state_dir, "up", DAMS_GATEWAY_PORT=port)
    assert result.returncode == 1
    assert f"error: port {port} is taken" in result.stderr
    assert not [process for process in psutil.process_iter() if environment(process).get(MARK) == str(state_dir)]


def test_a_service_that_does_not_start_is_shown(state_dir: Path, database_url: str, tmp_path: Path) -> None:
    # a package that the services have and the command has not, and that each imports before most others
    (tmp_path / "aiohttp.py").write_text("raise RuntimeError('half installed')")
    result = command(
        state_dir,
        "up",
        **of_own(database_url),
        PYTHONPATH=str(tmp_path),
    )
    assert result.returncode == 1
    assert "common does not stay up" in result.stderr
    assert "RuntimeError: half installed" in result.stderr
    assert find_orphans(state_dir, None) == []


def test_a_database_that_cannot_be_served_is_told_before_anything_starts(state_dir: Path, database_url: str) -> None:
    for result in (
        command(state_dir, "up", DAMS_DATABASE_URL=database_url, DAMS_COLLECTION_SCHEMAS="publik"),
        command(state_dir, "doctor", DAMS_DATABASE_URL=database_url, DAMS_COLLECTION_SCHEMAS="publik"),
    ):
        assert result.returncode == 1
        (line,) = [line for line in (result.stderr + result.stdout).splitlines() if line.startswith("error: ")]
        assert line.startswith('error: There is no schema "publik" in database ')
        assert line.endswith(', but there is "public".')
    assert find_orphans(state_dir, None) == []
    result = command(state_dir, "up", DAMS_DATABASE_URL="mysql://a@b/c")
    assert (result.returncode, result.stderr) == (
        1,
        "error: DAMS_DATABASE_URL is not an address like postgresql://user@host:5432/database\n",
    )


def test_settings_that_do_not_fit_are_named(state_dir: Path, database_url: str) -> None:
    for name, value, fault in (
        ("DAMS_POOL_SIZE", "many", "DAMS_POOL_SIZE='many' should be a valid integer"),
        ("DAMS_COLLECTION_SCHEMAS", ",", "DAMS_COLLECTION_SCHEMAS=',' names nothing"),
        ("DAMS_REDIS_URL", "redis+sentinel://a:1", "DAMS_REDIS_URL names no master"),
        ("DAMS_GATEWAY_TIMEOUT_SECONDS", "0", "DAMS_GATEWAY_TIMEOUT_SECONDS='0' should be greater than"),
        ("DAMS_COLLECTIONS_CONFIG", "/nowhere.yaml", "DAMS_COLLECTIONS_CONFIG cannot be used: /nowhere.yaml: "),
    ):
        result = command(state_dir, "doctor", **{"DAMS_DATABASE_URL": database_url, name: value})
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith(f"error: {fault}")


def test_a_doctor_who_finds_nothing_fatal_says_so(state_dir: Path, database_url: str) -> None:
    result = command(
        state_dir,
        "doctor",
        **of_own(database_url),
    )
    assert result.returncode == 0
    assert 'warning: Schema "public" has no tables and no views.' in result.stdout
    assert "warning: Redis cannot be used" in result.stdout
    assert "did you mean" not in result.stdout
    result = command(state_dir, "doctor", FEATURE="2", DAMS_DATABASE_URL=database_url, DAMS_COLLECTION_SCHEMAS="public")
    assert "warning: FEATURE is not a setting and has no effect; did you mean DAMS_FEATURES_PROCESSES?" in result.stdout


async def test_doctor_lists_what_is_public(state_dir: Path, database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE SCHEMA own; CREATE TABLE own.places (id integer PRIMARY KEY, geom geometry(Point, 4326));"
        'CREATE TABLE own.users (id integer PRIMARY KEY, password_hash text); CREATE TABLE own."Users, old" (id int);'
        "CREATE TABLE own.scratch (id integer PRIMARY KEY, geom geometry(Point, 4326)); ANALYZE"
    )
    await owner.close()
    settings = of_own(database_url, schemas="own")
    # the user of the services cannot read the folders of pytest
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # noqa: ASYNC240
        file = Path(folder) / "collections.yaml"
        file.write_text("exclude: [own.scratch]")
        result = await asyncio.to_thread(command, state_dir, "doctor", DAMS_COLLECTIONS_CONFIG=str(file), **settings)
    assert result.stdout.splitlines()[-4:] == [
        "public (1): own.places",
        'not public, as they have no geometry (2): "own.Users, old", own.users',
        "  to publish one: "
        """DAMS_NONSPATIAL_COLLECTIONS='"own.Users, old"' make up, or name it in DAMS_COLLECTIONS_CONFIG""",
        "not public, as DAMS_COLLECTIONS_CONFIG excludes them (1): own.scratch",
    ]
    result = await asyncio.to_thread(command, state_dir, "doctor", DAMS_NONSPATIAL_COLLECTIONS="own.users", **settings)
    assert "public (3): own.places, own.scratch, own.users" in result.stdout.splitlines()


async def test_doctor_prints_what_takes_rights_from_a_role_of_yours(state_dir: Path, database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute("CREATE ROLE nosy LOGIN PASSWORD 'secret'")
    address = urlsplit(database_url)
    url = address._replace(netloc=f"nosy:secret@{address.hostname}:{address.port}").geturl()
    try:
        result = await asyncio.to_thread(
            command, state_dir, "doctor", DAMS_DATABASE_URL=url, DAMS_COLLECTION_SCHEMAS="public"
        )
    finally:
        await owner.execute("DROP ROLE nosy")
        await owner.close()
    (line,) = [line for line in result.stdout.splitlines() if line.startswith('warning: Role "nosy" may use the disk')]
    for statement in (
        f"REVOKE TEMPORARY ON DATABASE {address.path[1:]} FROM PUBLIC;",
        "REVOKE CONNECT, TEMPORARY ON DATABASE template1 FROM PUBLIC;",
        "ALTER ROLE nosy SET temp_file_limit = '4GB';",
    ):
        assert statement in line
    assert result.returncode == 0


def test_a_redis_that_says_nothing_is_told(state_dir: Path, database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}"
        result = command(state_dir, "doctor", **of_own(database_url, url))
    sentence = "Redis cannot be used, so each process renders every tile again: TimeoutError."
    assert (result.returncode, f"warning: {sentence}" in result.stdout) == (0, True)


async def test_a_redis_that_refuses_what_is_new_is_told(state_dir: Path, database_url: str, tmp_path: Path) -> None:
    async with OwnRedis(tmp_path) as own:
        for policy, told in (("noeviction", True), ("allkeys-lru", False)):
            async with own.client() as client:
                await client.config_set("maxmemory-policy", policy)
            settings = of_own(database_url, own.url)
            result = await asyncio.to_thread(command, state_dir, "doctor", **settings)
            assert ("CONFIG SET maxmemory-policy allkeys-lru" in result.stdout) == told


def environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except psutil.Error:
        return {}
