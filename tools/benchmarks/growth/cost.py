"""The cost of a response: processor time of all processes, over enough requests for the clock's resolution."""

from __future__ import annotations

import http.client
import itertools
import time
from collections.abc import Sequence

from tools.benchmarks.servers import Servers
from tools.benchmarks.settings import BenchmarkError
from tools.benchmarks.usage import PRODUCT, processor_seconds

_SECONDS = 2.0
"""Maximum processor time in seconds, or five times as much wall time; the kernel counts hundredths."""
_FEWEST = 5
_HOSTS = itertools.count(int(time.time()))


def milliseconds(servers: Servers, paths: Sequence[str]) -> float:
    """Return the processor time per response of services, gateway, log writer, Redis and PostgreSQL, in milliseconds.

    The paths are requested in turn, one at a time, each time with another Host, so that the gateway has no cached
    response. Raises BenchmarkError for statuses other than 200.
    """
    connection = http.client.HTTPConnection("127.0.0.1", servers.product.port, timeout=120)
    try:
        _ask(connection, servers, paths[0])
        before, started, number = _processor_seconds(servers), time.monotonic(), 0
        for number, path in enumerate(itertools.islice(itertools.cycle(paths[1:] or paths), 2000), 1):
            _ask(connection, servers, path)
            enough = _processor_seconds(servers) - before > _SECONDS or time.monotonic() - started > 5 * _SECONDS
            if number % _FEWEST == 0 and enough:
                break
        return (_processor_seconds(servers) - before) * 1000 / number
    finally:
        connection.close()


def _processor_seconds(servers: Servers) -> float:
    found = processor_seconds(servers.processes)
    return sum(found[role] for role in PRODUCT)


def _ask(connection: http.client.HTTPConnection, servers: Servers, path: str) -> None:
    headers = {"Host": f"g{next(_HOSTS)}.example", "Accept-Encoding": "gzip" if "/tiles/" in path else "identity"}
    connection.request("GET", servers.product.prefix + path, headers=headers)
    response = connection.getresponse()
    content = response.read()
    if response.status != 200:
        raise BenchmarkError(f"{path} is answered with {response.status}: {content[:300]!r}")
