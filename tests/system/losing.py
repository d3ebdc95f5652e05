"""What is lost while something happens: `python -m tests.system.losing http://127.0.0.1:8080/api -- COMMAND…`.

Clients of all kinds of answers ask the service while the command runs. Ends with 1 where an answer was lost, short or
no 200, or where the command failed.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from functools import partial
from http.client import HTTPException

from tests.system.asking import Asking
from tests.system.keeping import Client

EVENTS = "/collections/hazard.hazard_eq_events"
_CSV = f"{EVENTS}/items?f=csv&limit=10000"
_WHOLE = ("items 200 2", "tile 200", "collection 200", "page 200")


class Clients(Asking):
    """Clients of all kinds of answers, `clients` of each kind, that never ask twice.

    Each pauses for `pause` seconds between its requests: processes that start need processors, too.
    """

    def __init__(self, base_url: str, *, clients: int = 1, pause: float = 0.05) -> None:
        with closing(Client(base_url)) as first:
            status, rows = self._rows(first, _CSV)
        if status != 200:
            raise RuntimeError(f"the service does not answer: {status}")
        self._whole = {*_WHOLE, f"stream 200 {rows}"}
        # addresses requested by an earlier run may still be cached
        self._fresh = itertools.count(int(time.time() * 1000) % 10**9)
        self.outcomes: Counter[str] = Counter()
        self.slowest = 0.0
        """Seconds that an answer took to its end."""
        asks = (self._item, self._tile, self._collection, self._page, self._stream)
        self._clients = [Client(base_url) for _ in asks * clients]
        pairs = zip(asks * clients, self._clients, strict=True)
        super().__init__([partial(self._ask, ask, client) for ask, client in pairs], pause=pause)

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        for client in self._clients:
            client.close()

    @property
    def lost(self) -> dict[str, int]:
        """All outcomes that are not whole answers."""
        return {outcome: count for outcome, count in self.outcomes.items() if outcome not in self._whole}

    def _ask(self, ask: Callable[[Client], str], client: Client) -> None:
        started = time.monotonic()
        try:
            outcome = ask(client)
        except (OSError, HTTPException, ValueError) as error:
            client.close()
            outcome = f"{ask.__name__.strip('_')}: {type(error).__name__}: {error}"
        self.slowest = max(self.slowest, time.monotonic() - started)
        self.outcomes[outcome] += 1

    def _item(self, client: Client) -> str:
        answer = client.get(f"{EVENTS}/items?limit=2&filter=magnitude>-{next(self._fresh)}")
        return f"items {answer.status} {len(json.loads(answer.body).get('features', ()))}"

    def _tile(self, client: Client) -> str:
        answer = client.get(f"{EVENTS}/tiles/WebMercatorQuad/3/1/3?limit={next(self._fresh) % 9000 + 500}")
        return f"tile {answer.status}"

    def _collection(self, client: Client) -> str:
        return f"collection {client.get(EVENTS, Host=f'a{next(self._fresh)}.example.org').status}"

    def _page(self, client: Client) -> str:
        return f"page {client.get('/docs', Host=f'a{next(self._fresh)}.example.org').status}"

    def _stream(self, client: Client) -> str:
        status, rows = self._rows(client, f"{_CSV}&filter=magnitude>-{next(self._fresh)}")
        return f"stream {status} {rows}"

    @staticmethod
    def _rows(client: Client, path: str) -> tuple[int, int]:
        answer = client.get(path)
        return answer.status, len(answer.body.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.system.losing", description=__doc__)
    parser.add_argument("base_url")
    parser.add_argument("--clients", type=int, default=1, help="of each of the five kinds")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two requests of one")
    parser.add_argument("command", nargs="+", metavar="COMMAND")
    given = parser.parse_args()
    with Clients(given.base_url, clients=given.clients, pause=given.pause) as clients:
        time.sleep(1)
        status = subprocess.run(given.command, check=False).returncode
        time.sleep(1)
    print(f"{sum(clients.lost.values())} lost of {clients.outcomes.total()}: {clients.lost}")
    print(f"all: {dict(clients.outcomes)}; the slowest took {clients.slowest:.1f} s; the command ended with {status}")
    return 1 if clients.lost or status else 0


if __name__ == "__main__":
    sys.exit(main())
