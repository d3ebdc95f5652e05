"""Which of the services' processes answer. One that hangs takes connections like any other, and never answers."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter

from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.upstreams import Addresses

_LOG = logging.getLogger("dams.upstreams")

_TIMEOUT = ClientTimeout(total=1.5)
_FAILURES = 2
"""So many in a row: a process that restarts is back before, and a busy one answers one of them."""


class Liveness:
    """What is known of each process from asking it again and again."""

    def __init__(self) -> None:
        self._failures: Counter[str] = Counter()

    async def check(self, addresses: Addresses) -> None:
        """Asks every process of the services that have several. Never fails."""
        asked = {address for several in addresses.values() if len(several) > 1 for address in several}
        for address in self._failures.keys() - asked:
            del self._failures[address]
        await asyncio.gather(*(self._ask(address) for address in asked))

    def answering(self, addresses: Addresses) -> Addresses:
        """The addresses without those of processes that do not answer; all of a service where none of it does."""
        return {service: tuple(filter(self._answers, several)) or several for service, several in addresses.items()}

    def _answers(self, address: str) -> bool:
        return self._failures[address] < _FAILURES

    async def _ask(self, address: str) -> None:
        was = self._answers(address)
        try:
            await _heard(address)
        except (ClientError, OSError, TimeoutError) as error:
            self._failures[address] += 1
            if was and not self._answers(address):
                # one that is not there is nothing unusual
                level = logging.WARNING if isinstance(error, TimeoutError) else logging.DEBUG
                cause = f"{type(error).__name__}: {error}"
                _LOG.log(level, "does not answer", extra={"fields": {"address": address, "cause": cause}})
        else:
            self._failures[address] = 0
            if not was:
                _LOG.info("answers again", extra={"fields": {"address": address}})


async def _heard(address: str) -> None:
    """Waits for the beginning of an answer, whatever it says. A connection of its own: one that is open proves less."""
    connector = UnixConnector(address.removeprefix("unix:")) if address.startswith("unix:") else None
    host = "localhost" if connector else address
    async with (
        ClientSession(connector=connector) as session,
        session.get(f"http://{host}/internal/part", headers={"If-None-Match": "*"}, timeout=_TIMEOUT),
    ):
        pass
