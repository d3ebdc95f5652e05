"""A crawler beside a busy map: `python -m tests.system.crawl http://127.0.0.1:8080/api --addresses 1000000`.

It asks for that many different addresses of tiles and of items, each once, and one client in ten leaves before its
answer. At the same time it requests forty addresses repeatedly; how many of their answers come out of the gateway's
cache is counted before the crawl and during it. Ends with 1 where an answer was an error, or fewer of them were kept.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import threading
import time
from collections import Counter
from functools import partial
from http.client import HTTPException

from tests.system.asking import Asking
from tests.system.keeping import Client

_EVENTS = "/collections/hazard.hazard_eq_events"
_HOT = [f"{_EVENTS}/tiles/WebMercatorQuad/5/{x}/{y}" for x in range(5) for y in range(10, 14)]
_HOT += [f"{_EVENTS}/items?limit={limit}" for limit in range(1, 21)]
_KEPT = {"HIT", "STALE", "UPDATING", "REVALIDATED"}
_ALONE_SECONDS = 15.0


def address(number: int) -> str:
    """Another address for each number below 10^7: a tile of zoom 13, or a page of a small box."""
    number, is_page = divmod(number, 2)
    y, x = divmod(number, 8192)
    if not is_page:
        return f"{_EVENTS}/tiles/WebMercatorQuad/13/{x}/{y + 2000}"
    west, south = x * 359 / 8192 - 180, y * 140 / 8192 - 70
    return f"{_EVENTS}/items?limit=1&bbox={west:.4f},{south:.4f},{west + 0.3:.4f},{south + 0.3:.4f}"


class Crawl(Asking):
    """`clients` of them, each over a connection that it keeps."""

    def __init__(self, base_url: str, clients: int, addresses: int, first: int) -> None:
        self._base_url = base_url
        self._numbers = iter(range(first, first + addresses))
        self._lock = threading.Lock()
        self.asked = 0
        self.left = 0
        self.done = threading.Event()
        self.outcomes: Counter[str] = Counter()
        super().__init__([partial(self._ask, Client(base_url)) for _ in range(clients)])

    def _ask(self, client: Client) -> None:
        with self._lock:
            number = next(self._numbers, None)
            if number is not None:
                self.asked += 1
        if number is None:
            self.done.set()
            self.done.wait()
            time.sleep(0.1)
            return
        path = address(number)
        if self.asked % 10 == 0:
            client.leave(path)
            self.left += 1
            return
        outcome = _outcome(client, path)
        with self._lock:
            self.outcomes[outcome.partition(" ")[0] if outcome[:1] == "2" else f"{outcome} {path}"] += 1


class Hot(Asking):
    """One client that asks for the same forty addresses, each twice a second or so."""

    def __init__(self, base_url: str) -> None:
        self._paths = itertools.cycle(_HOT)
        self.outcomes: Counter[str] = Counter()
        super().__init__([partial(self._ask, Client(base_url))], pause=0.01)

    def _ask(self, client: Client) -> None:
        self.outcomes[_outcome(client, next(self._paths))] += 1

    def kept(self) -> float:
        """The share of answers that the gateway had."""
        of_cache = sum(count for outcome, count in self.outcomes.items() if outcome.rpartition(" ")[2] in _KEPT)
        return of_cache / max(1, self.outcomes.total())

    def errors(self) -> int:
        return sum(count for outcome, count in self.outcomes.items() if outcome[:1] != "2")


def _outcome(client: Client, path: str) -> str:
    try:
        answer = client.get(path)
    except (OSError, HTTPException) as error:
        client.close()
        return f"{type(error).__name__}: {error}"
    return f"{answer.status} {answer.headers.get('X-Cache', 'none')}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.crawl", description=__doc__)
    parser.add_argument("base_url")
    parser.add_argument("--addresses", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first address: another for another run")
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3600, help="at the most")
    given = parser.parse_args()
    with Hot(given.base_url) as alone:
        time.sleep(_ALONE_SECONDS)
    started = time.monotonic()
    crawl = Crawl(given.base_url, given.clients, given.addresses, given.first)
    with Hot(given.base_url) as hot, crawl:
        while not crawl.done.wait(30) and time.monotonic() - started < given.seconds:
            print(f"{time.monotonic() - started:5.0f} s  {crawl.asked} addresses", flush=True)
    seconds = time.monotonic() - started
    print(f"{crawl.asked} addresses in {seconds:.0f} s, {crawl.left} clients left; answers: {dict(crawl.outcomes)}")
    for name, clients in (("alone", alone), ("crawled", hot)):
        print(f"hot, {name}: {clients.outcomes.total()} answers, {clients.kept():.2%} kept, {dict(clients.outcomes)}")
    errors = sum(count for outcome, count in crawl.outcomes.items() if outcome[:1] != "2")
    good = errors + hot.errors() + alone.errors() == 0 and hot.kept() > alone.kept() - 0.02
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
