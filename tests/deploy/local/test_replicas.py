"""`make up DAMS_REPLICAS=1`: a real replica of the stack's own PostgreSQL follows it, is read, and ends with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from deploy.local.postgresql import owner_url
from deploy.local.processes import find_orphans
from deploy.local.settings import StackError, read_settings
from deploy.local.stack import make_plan
from deploy.local.state import StateFolder
from tests.deploy.local.test_servers import cluster_of, command, remembered
from tests.eventually import eventually
from tests.running_stack import Cluster


@pytest.fixture
def state_dir(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "stack"
    assert command(tmp_path / "stack", "down", "--purge").returncode == 0


def up(state_dir: Path, **settings: str) -> Cluster:
    result = command(state_dir, "up", "--servers-only", **settings)
    assert result.returncode == 0, result.stdout + result.stderr
    return Cluster(state_dir)


async def of_replica(state_dir: Path) -> asyncpg.Connection:
    """A connection to the first replica, as owner."""
    folder = StateFolder(state_dir)
    return await asyncpg.connect(
        owner_url(folder.load().ports["replica_0"], folder.secret("owner-password"), "postgres")
    )


def of_status(state_dir: Path) -> list[str]:
    """The words of the replica's line: name, state, address, `pid`, its number, …"""
    lines = command(state_dir, "status").stdout.splitlines()
    return next(line.split() for line in lines if line.startswith("replica"))


async def test_a_replica_follows_and_ends_with_the_stack(state_dir: Path) -> None:
    value = await remembered(up(state_dir, DAMS_REPLICAS="1"))

    async def followed() -> None:
        replica = await of_replica(state_dir)
        try:
            assert await replica.fetchval("SELECT pg_is_in_recovery() AND EXISTS (SELECT FROM seen)")
            assert await replica.fetchval("SELECT min(at)::text FROM seen") == value
        except asyncpg.UndefinedTableError as error:
            raise AssertionError from error
        finally:
            await replica.close()

    await eventually(followed)
    before = of_status(state_dir)
    assert before[:4] == ["replica_0", "RUNNING", before[2], "pid"]
    # once more: what runs is left alone
    up(state_dir, DAMS_REPLICAS="1")
    assert of_status(state_dir)[:5] == before[:5]
    await eventually(followed)
    assert command(state_dir, "down").stdout == "stopped\n"
    assert find_orphans(state_dir, cluster_of(state_dir)) == []
    # without it the stack is what it was
    assert await remembered(up(state_dir, DAMS_REPLICAS="0")) == value
    assert "replica" not in command(state_dir, "status").stdout


def test_services_are_told_of_replicas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = StateFolder(tmp_path)
    state = folder.load()
    state.cluster = str(tmp_path / "postgresql" / "cluster")
    settings = read_settings({"DAMS_STATE_DIR": str(tmp_path), "DAMS_REPLICAS": "2"})
    names = ("postgresql", "replica_0", "replica_1")
    state.ports = dict.fromkeys(
        ("supervisor", "redis", "common", "viewer", "gateway_internal", "common_spare", "viewer_spare"), 1
    ) | {f"{service}_{number}": 2 for service in ("features", "tiles") for number in (0, 1, "spare")}
    state.ports |= {name: 5000 + number for number, name in enumerate(names)}
    plan = make_plan(settings, folder, state)
    assert [address.rpartition("@")[2] for address in plan.environment["DAMS_DATABASE_READ_URLS"].split(",")] == [
        "127.0.0.1:5001/dams",
        "127.0.0.1:5002/dams",
    ]
    assert "[program:replica_1]" in plan.configuration
    monkeypatch.setenv("DAMS_DATABASE_READ_URLS", "postgresql://other/dams")
    with pytest.raises(StackError, match="REPLICAS and DAMS_DATABASE_READ_URLS both"):
        make_plan(settings, folder, state)


def test_replicas_are_of_the_stacks_own_database() -> None:
    with pytest.raises(StackError, match="REPLICAS are of the stack's own database"):
        read_settings({"DAMS_DATABASE_URL": "postgresql://x/y", "DAMS_REPLICAS": "1"})
    with pytest.raises(StackError, match="DAMS_REPLICAS='-1'"):
        read_settings({"DAMS_REPLICAS": "-1"})
