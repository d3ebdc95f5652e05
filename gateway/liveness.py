"""Which of the services' processes get requests: not one that hangs, which takes connections and never answers.

Whoever is taken out of nginx's configuration, or put back, costs a reload of nginx. Then it closes connections on which
a client may just be asking, and the workers that leave know no other processes than those of before. So a process that
is restarted stays in it: what a process refuses goes to another at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Set
from dataclasses import dataclass, field

from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.upstreams import Addresses

_LOG = logging.getLogger("dams.upstreams")

_TIMEOUT = ClientTimeout(total=1.5)
_FAILURES = 2
"""So many in a row: a busy process answers one of them."""
ABSENT_SECONDS = 30.0
"""Longer than a process that restarts takes to end and to start again."""


@dataclass(slots=True)
class _Failing:
    """What is known of a process that does not answer."""

    since: float = field(default_factory=time.monotonic)
    failures: int = 0
    silences: int = 0
    """The failures, the last ones in a row, in which it took the connection, or seemed to, and said nothing."""


class Liveness:
    """What is known of each process from asking it again and again.

    `backups` are addresses that nginx asks only where others fail: they may be absent for ever.
    """

    def __init__(self, backups: Set[str] = frozenset(), *, absent_seconds: float = ABSENT_SECONDS) -> None:
        self._backups = backups
        self._absent_seconds = absent_seconds
        self._failing: dict[str, _Failing] = {}

    async def check(self, addresses: Addresses) -> None:
        """Asks every process of the services that have several. Never fails."""
        asked = {address for several in addresses.values() if len(several) > 1 for address in several}
        for address in self._failing.keys() - asked:
            del self._failing[address]
        await asyncio.gather(*(self._ask(address) for address in asked))

    def answering(self, addresses: Addresses) -> Addresses:
        """The addresses without those of processes that hang, or are long gone; all where no other is left.

        One that does not answer may be busy, where all are.
        """
        return {service: self._of(several) for service, several in addresses.items()}

    def _of(self, several: tuple[str, ...]) -> tuple[str, ...]:
        if not any(map(self._answers, several)):
            return several
        return tuple(address for address in several if not self._is_out(address))

    def _answers(self, address: str) -> bool:
        failing = self._failing.get(address)
        return failing is None or failing.failures < _FAILURES

    def _is_out(self, address: str) -> bool:
        failing = self._failing.get(address)
        if failing is None:
            return False
        absent = time.monotonic() - failing.since >= self._absent_seconds
        return failing.silences >= _FAILURES or (absent and address not in self._backups)

    async def _ask(self, address: str) -> None:
        was_out = self._is_out(address)
        try:
            await _heard(address)
        except TimeoutError:
            failing = self._failing.setdefault(address, _Failing())
            failing.failures, failing.silences = failing.failures + 1, failing.silences + 1
            if not was_out and self._is_out(address):
                _LOG.warning("does not answer", extra={"fields": {"address": address}})
        except (ClientError, OSError) as error:
            # one that is not there is nothing unusual
            failing = self._failing.setdefault(address, _Failing())
            failing.failures, failing.silences = failing.failures + 1, 0
            if not was_out and self._is_out(address):
                cause = f"{type(error).__name__}: {error}"
                _LOG.info("is not there", extra={"fields": {"address": address, "cause": cause}})
        else:
            self._failing.pop(address, None)
            if was_out:
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
