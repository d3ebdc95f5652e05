"""What an answer costs: processor time of all that takes part, by as many requests as its clock can tell apart."""

from __future__ import annotations

import http.client
import itertools
import time
from collections.abc import Sequence

from tests.benchmarks.servers import Servers
from tests.benchmarks.settings import BenchmarkError
from tests.benchmarks.usage import PRODUCT, processor_seconds

_SECONDS = 2.0
"""Of processor time at the most, or wall time five times that; the kernel counts it in hundredths."""
_FEWEST = 5
_HOSTS = itertools.count(int(time.time()))


def milliseconds(servers: Servers, paths: Sequence[str]) -> float:
    """Processor time of the services asked, gateway, log writer, Redis and PostgreSQL for an answer, in milliseconds.

    The paths are asked for in turn, one at a time, each time by another Host, so that the gateway has no answer. Raises
    BenchmarkError for anything but 200.
    """
    connection = http.client.HTTPConnection("127.0.0.1", servers.product.port, timeout=120)
    try:
        _ask(connection, servers, paths[0])
        before, started, number = _used(servers), time.monotonic(), 0
        for number, path in enumerate(itertools.islice(itertools.cycle(paths[1:] or paths), 2000), 1):
            _ask(connection, servers, path)
            enough = _used(servers) - before > _SECONDS or time.monotonic() - started > 5 * _SECONDS
            if number % _FEWEST == 0 and enough:
                break
        return (_used(servers) - before) * 1000 / number
    finally:
        connection.close()


def _used(servers: Servers) -> float:
    found = processor_seconds(servers.processes)
    return sum(found[role] for role in PRODUCT)


def _ask(connection: http.client.HTTPConnection, servers: Servers, path: str) -> None:
    headers = {"Host": f"g{next(_HOSTS)}.example", "Accept-Encoding": "gzip" if "/tiles/" in path else "identity"}
    connection.request("GET", servers.product.prefix + path, headers=headers)
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        raise BenchmarkError(f"{path} is answered with {response.status}: {content[:300]!r}")
