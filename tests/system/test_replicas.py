"""Tiles scale alone: a replica dies and joins unnoticed; cached tiles outlive processes, not changes of the data."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial

import asyncpg
import pytest
from mapbox_vector_tile import decode

from deploy.local.settings import REPOSITORY
from tests.eventually import eventually_true
from tests.running_stack import RunningStack
from tests.system.asking import Asking
from tests.system.test_stack import FRESH, get

pytestmark = pytest.mark.system

EVENTS, TRACKS = "hazard.hazard_eq_events", "hazard.hazard_ts_tracks"
REPLICAS = ("tiles_0", "tiles_1")
NEW = 2_000_000_123


def path(collection: str, z: int, x: int, y: int) -> str:
    return f"/collections/{collection}/tiles/WebMercatorQuad/{z}/{x}/{y}"


class Clients(Asking):
    """Four clients that request uncached tiles without a pause."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        # another start each time: what an earlier run asked for may still be kept
        self._limits = itertools.count(1000 + int(time.time() * 10) % 7000)
        self.statuses: Counter[int] = Counter()
        super().__init__([self._ask] * 4)

    def _ask(self) -> None:
        url = f"{self._stack.base_url}{path(EVENTS, 4, 2, 6)}?limit={next(self._limits) % 9000 + 1000}"
        try:
            status, _, _ = get(url, **{"Accept-Encoding": "gzip"})
        except OSError:
            status = 0
        self.statuses[status] += 1


def tiles_served(stack: RunningStack, replica: str) -> float:
    """How many tile requests a process has answered since it started; 0 while it does not answer."""
    try:
        text = get(f"{stack.service_urls[replica]}/internal/metrics")[2].decode()
    except OSError:
        return 0
    lines = [line for line in text.splitlines() if line.startswith("dams_tiles_total{")]
    return sum(float(line.rpartition(" ")[2]) for line in lines)


def test_a_replica_that_is_killed_and_comes_back_costs_no_client_an_error(stack: RunningStack) -> None:
    with Clients(stack) as clients:
        eventually_true(lambda: clients.statuses[200] > 20)
        before = stack.pid("tiles_0")
        os.kill(before, signal.SIGKILL)
        eventually_true(lambda: stack.pid("tiles_0") not in {0, before} and tiles_served(stack, "tiles_0") > 3)
    assert clients.statuses.keys() == {200}, clients.statuses
    assert clients.statuses[200] > 50


def test_load_is_spread_over_the_replicas(stack: RunningStack) -> None:
    before = [tiles_served(stack, replica) for replica in REPLICAS]

    def more() -> list[float]:
        return [tiles_served(stack, replica) - count for replica, count in zip(REPLICAS, before, strict=True)]

    def is_spread() -> bool:
        counts = more()
        return sum(counts) > 40 and min(counts) > 0.25 * sum(counts)

    with Clients(stack):
        # a replica that was killed by the test before may still be starting
        eventually_true(is_spread)


@pytest.fixture
async def owner(stack: RunningStack) -> AsyncIterator[asyncpg.Connection]:
    """Make a connection that may change the demo data; deletes the new row afterwards."""
    connection = await asyncpg.connect(stack.owner_url("dams"))
    yield connection
    await connection.execute(f"DELETE FROM hazard.hazard_eq_events WHERE id = {NEW}")  # noqa: S608 - our own names
    await connection.close()


def tier(stack: RunningStack, address: str) -> str:
    """Return the tier behind the gateway that answered. The gateway's cache has nothing for a new host name."""
    status, headers, _ = get(stack.base_url + address, Host=f"tier-{next(FRESH)}.example.org")
    assert status == 200
    return headers["Server-Timing"].partition(";")[0]


def is_healthy(stack: RunningStack, program: str) -> bool:
    return get(f"{stack.service_urls[program]}/internal/health")[0] == 200


def has_new(stack: RunningStack) -> bool:
    body = get(stack.base_url + path(EVENTS, 9, 300, 300))[2]
    return bool(body) and NEW in {feature["id"] for feature in decode(body)[EVENTS]["features"]}


async def test_a_commit_shows_and_leaves_the_other_collections_warm(
    stack: RunningStack, owner: asyncpg.Connection
) -> None:
    # not one of those that are warmed up
    other = path(TRACKS, 5, 9, 13)
    # a tile is stored in Redis after the response: the other replica may still have to render it
    eventually_true(lambda: tier(stack, other) == "redis")
    # the gateway has the tile as it was
    assert not has_new(stack)
    place = "ST_Transform(ST_Centroid(ST_TileEnvelope(9, 300, 300)), 4326)"
    columns = "id, event_id, magnitude, geom"
    required = await owner.fetch(
        "SELECT column_name FROM information_schema.columns WHERE table_schema = 'hazard'"
        " AND table_name = 'hazard_eq_events' AND is_nullable = 'NO' AND column_default IS NULL"
    )
    assert {row[0] for row in required} <= set(columns.split(", ")) | {"event_date"}
    await owner.execute(
        f"INSERT INTO hazard.hazard_eq_events ({columns}, event_date)"  # noqa: S608 - our own names
        f" VALUES ({NEW}, 'test', 5, {place}, now())"
    )
    eventually_true(lambda: has_new(stack))
    assert tier(stack, other) == "redis"


def test_a_restart_keeps_the_cache(stack: RunningStack) -> None:
    address = path(TRACKS, 5, 10, 13)
    tier(stack, address)
    stack.stop("tiles_0")
    stack.start("tiles_0")
    eventually_true(partial(is_healthy, stack, "tiles_0"))
    status, headers, _ = get(stack.service_urls["tiles_0"] + address)
    assert (status, headers["Server-Timing"].partition(";")[0]) == (200, "redis")


def test_conditional_requests_pass_the_gateway(stack: RunningStack) -> None:
    url = stack.base_url + path(TRACKS, 5, 11, 13)
    status, headers, body = get(url)
    assert (status, bool(body)) == (200, True)
    assert get(url, **{"If-None-Match": headers["ETag"]})[0] == 304
    assert get(url, **{"If-None-Match": 'W/"other"'})[0] == 200
    assert "max-age=1" in headers["Cache-Control"]


def test_the_command_works_on_the_running_stack(stack: RunningStack) -> None:
    outputs = []
    for arguments in (["seed", TRACKS, "--zoom", "3", "--bbox", "100,0,150,30"], ["inspect", TRACKS, "--zoom", "3"]):
        ran = subprocess.run(
            [sys.executable, "-m", "deploy.local", "run", "services.tiles.command", *arguments],
            cwd=REPOSITORY,
            # none of the settings that the stack was started with
            env={
                "PATH": os.environ["PATH"],
                "DAMS_STATE_DIR": str(stack.state_dir),
                "DAMS_FEATURES_PROCESSES": "3",
                "DAMS_TILES_PROCESSES": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        outputs.append(ran.stdout)
    assert "4 tiles in" in outputs[0]
    assert "0 errors" in outputs[0]
    assert f"{TRACKS}  WebMercatorQuad     3" in outputs[1]
