"""Decide which processes of the services get requests: not a hung one, which accepts connections but never answers.

Removing or re-adding a process costs an nginx reload. A reload closes connections on which a client may just send a
request, and the old workers only know the old processes. So a process that restarts is not removed: if it refuses a
connection, nginx tries another process at once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Set
from dataclasses import dataclass, field

from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.upstreams import ABSENT_SECONDS, Addresses

_LOG = logging.getLogger("dams.upstreams")

_TIMEOUT = ClientTimeout(total=1.5)
_FAILURES = 2
"""Failures in a row after which a process counts as hung: a busy process answers one of two checks."""


@dataclass(slots=True)
class _Failing:
    """State of a process that does not answer."""

    since: float = field(default_factory=time.monotonic)
    failures: int = 0
    silences: int = 0
    """The last failures in a row in which it accepted the connection, or seemed to, but sent nothing."""


class Liveness:
    """State of each process from regular checks.

    `backups` are addresses that nginx only uses if others fail: they may be absent forever.
    """

    def __init__(self, backups: Set[str] = frozenset(), *, absent_seconds: float = ABSENT_SECONDS) -> None:
        self._backups = backups
        self._absent_seconds = absent_seconds
        self._failing: dict[str, _Failing] = {}

    async def check(self, addresses: Addresses) -> None:
        """Check every process of services with several processes. Never raises."""
        asked = {address for several in addresses.values() if len(several) > 1 for address in several}
        for address in self._failing.keys() - asked:
            del self._failing[address]
        await asyncio.gather(*(self._ask(address) for address in asked))

    def list_alive(self, addresses: Addresses) -> Addresses:
        """Return the addresses without those of hung or long absent processes; all of them if none would remain.

        A process that does not answer may be busy if none of them answers.
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
            await _wait_for_headers(address)
        except TimeoutError:
            failing = self._failing.setdefault(address, _Failing())
            failing.failures, failing.silences = failing.failures + 1, failing.silences + 1
            if not was_out and self._is_out(address):
                _LOG.warning("does not answer", extra={"fields": {"address": address}})
        except (ClientError, OSError) as error:
            # an absent process is not worth a warning
            failing = self._failing.setdefault(address, _Failing())
            failing.failures, failing.silences = failing.failures + 1, 0
            if not was_out and self._is_out(address):
                cause = f"{type(error).__name__}: {error}"
                _LOG.info("is not there", extra={"fields": {"address": address, "cause": cause}})
        else:
            self._failing.pop(address, None)
            if was_out:
                _LOG.info("answers again", extra={"fields": {"address": address}})


async def _wait_for_headers(address: str) -> None:
    """Wait for response headers. Any status counts as alive.

    Uses a fresh connection, which proves more than an open one.
    """
    connector = UnixConnector(address.removeprefix("unix:")) if address.startswith("unix:") else None
    host = "localhost" if connector else address
    async with (
        ClientSession(connector=connector) as session,
        session.get(f"http://{host}/internal/part", headers={"If-None-Match": "*"}, timeout=_TIMEOUT),
    ):
        pass
