"""All processes are restarted one after another, or the database is, and no client notices."""

from __future__ import annotations

import asyncio
import time

import asyncpg
import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack
from tests.system.losing import EVENTS, Clients
from tests.system.test_stack import get

pytestmark = [pytest.mark.system, pytest.mark.faults, pytest.mark.slow]


def test_a_rolling_restart_loses_no_request(stack: RunningStack) -> None:
    before = {program: stack.pid(program) for program in ("common", "features_0", "features_1", "tiles_1", "viewer")}
    gateway = stack.pid("gateway")
    with Clients(stack.base_url) as clients:
        time.sleep(1)
        stack.restart()
        time.sleep(1)
    assert clients.lost == {}
    assert min(clients.outcomes.values()) > 10, clients.outcomes
    assert all(stack.pid(program) != pid for program, pid in before.items())
    # replaced, but nginx went on
    assert stack.pid("gateway") == gateway


def test_a_restart_of_the_database_loses_no_request(stack: RunningStack) -> None:
    # as an operator does before a restart: shutting down then takes only a moment
    asyncio.run(checkpoint(stack))
    with Clients(stack.base_url) as clients:
        time.sleep(1)
        stack.stop("postgresql")
        stack.start("postgresql")
        before = clients.outcomes.copy()

        def all_go_on() -> bool:
            now = clients.outcomes.copy()
            return bool(clients.lost) or (len(now) == 5 and all(now[kind] > before[kind] + 1 for kind in now))

        eventually_true(all_go_on)
    assert clients.lost == {}


async def checkpoint(stack: RunningStack) -> None:
    owner = await asyncpg.connect(stack.owner_url("dams"))
    await owner.execute("CHECKPOINT")
    await owner.close()


def test_what_was_just_fetched_is_served_while_the_database_is_away(stack: RunningStack) -> None:
    number = time.time_ns() % 10**9
    known = f"{stack.base_url}{EVENTS}/items?limit=3&filter=magnitude>-{number}"
    unknown = f"{stack.base_url}{EVENTS}/items?limit=4&filter=magnitude>-{number}"
    # the gateway keeps answers that are requested twice
    body = [get(known)[2] for _ in range(2)][1]

    def is_stale() -> bool:
        status, headers, found = get(known)
        assert (status, found) == (200, body)
        return headers["X-Cache"] == "STALE"

    stack.stop("postgresql")
    try:
        # the service vouches for it for some seconds more
        eventually_true(is_stale)
        status, headers, _ = get(unknown)
        assert (status, "Retry-After" in headers) == (503, True)
    finally:
        stack.start("postgresql")
        eventually_true(lambda: get(unknown)[0] == 200)
