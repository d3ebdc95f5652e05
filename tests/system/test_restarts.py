"""All processes are restarted one after another, and no client notices."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack
from tests.system.asking import Asking
from tests.system.test_stack import get

pytestmark = [pytest.mark.system, pytest.mark.faults, pytest.mark.slow]

EVENTS = "/collections/hazard.hazard_eq_events"


class Clients(Asking):
    """Clients of all kinds of answers, each over a connection that it keeps, as browsers do, and never asks twice."""

    def __init__(self, stack: RunningStack) -> None:
        self._address = urlsplit(stack.base_url)
        self._kept = threading.local()
        self._connections: list[HTTPConnection] = []
        # what an earlier run asked for may still be kept
        self._fresh = itertools.count(int(time.time() * 1000) % 10**9)
        self.outcomes: Counter[str] = Counter()
        asks = (self._item, self._tile, self._collection, self._page, self._stream)
        # processes that start need processors, too
        super().__init__([partial(self._ask, ask) for ask in asks], pause=0.05)

    def __exit__(self, *_: object) -> None:
        super().__exit__(*_)
        for connection in self._connections:
            connection.close()

    def _ask(self, ask: Callable[[], str]) -> None:
        try:
            self.outcomes[ask()] += 1
        except (OSError, HTTPException) as error:
            self.outcomes[f"{ask.__name__}: {type(error).__name__}: {error}"] += 1
            self._kept.connection.close()

    def _get(self, path: str, **headers: str) -> tuple[int, bytes]:
        if not hasattr(self._kept, "connection"):
            self._kept.connection = HTTPConnection(self._address.netloc, timeout=30)
            self._connections.append(self._kept.connection)
        connection: HTTPConnection = self._kept.connection
        connection.request("GET", f"{self._address.path}{path}", headers=headers)
        response = connection.getresponse()
        return response.status, response.read()

    def _item(self) -> str:
        return f"items {self._get(f'{EVENTS}/items?limit=2&filter=magnitude>-{next(self._fresh)}')[0]}"

    def _tile(self) -> str:
        return f"tile {self._get(f'{EVENTS}/tiles/WebMercatorQuad/3/1/3?limit={next(self._fresh) % 9000 + 500}')[0]}"

    def _collection(self) -> str:
        return f"collection {self._get(EVENTS, Host=f'a{next(self._fresh)}.example.org')[0]}"

    def _page(self) -> str:
        return f"page {self._get('/docs', Host=f'a{next(self._fresh)}.example.org')[0]}"

    def _stream(self) -> str:
        status, body = self._get(f"{EVENTS}/items?f=csv&limit=10000&filter=magnitude>-{next(self._fresh)}")
        return f"stream {status} {len(body.splitlines())}"


def lost(outcomes: Counter[str], rows: str) -> dict[str, int]:
    """All outcomes that are not whole answers."""
    whole = {"items 200", "tile 200", "collection 200", "page 200", rows}
    return {outcome: count for outcome, count in outcomes.items() if outcome not in whole}


@pytest.mark.timeout(600)
def test_a_rolling_restart_loses_no_request(stack: RunningStack) -> None:
    _, _, body = get(f"{stack.base_url}{EVENTS}/items?f=csv&limit=10000")
    before = {program: stack.pid(program) for program in ("common", "features_0", "features_1", "tiles_1", "viewer")}
    gateway = stack.pid("gateway")
    with Clients(stack) as clients:
        time.sleep(1)
        stack.restart()
        time.sleep(1)
    assert lost(clients.outcomes, f"stream 200 {len(body.splitlines())}") == {}
    assert min(clients.outcomes.values()) > 10, clients.outcomes
    assert all(stack.pid(program) != pid for program, pid in before.items())
    # replaced, but nginx went on
    assert stack.pid("gateway") == gateway


def test_what_was_just_fetched_is_served_while_the_database_is_away(stack: RunningStack) -> None:
    number = time.time_ns() % 10**9
    known = f"{stack.base_url}{EVENTS}/items?limit=3&filter=magnitude>-{number}"
    unknown = f"{stack.base_url}{EVENTS}/items?limit=4&filter=magnitude>-{number}"
    # what is asked for twice is kept
    body = [get(known)[2] for _ in range(2)][1]
    stack.stop("postgresql")
    try:
        # longer than it may be served unasked
        time.sleep(4)
        status, headers, found = get(known)
        assert (status, headers["X-Cache"], found) == (200, "STALE", body)
        status, headers, _ = get(unknown)
        assert (status, "Retry-After" in headers) == (503, True)
    finally:
        stack.start("postgresql")
        eventually_true(lambda: get(unknown)[0] == 200)
