"""Follows what the services say about themselves: their parts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.settings import SERVICES
from gateway.upstreams import Addresses

_LOG = logging.getLogger("dams.parts")

Part = Mapping[str, Any]

ABSENT_AFTER_SECONDS = 10.0
"""A service that restarts stays advertised; one that is unreachable for longer does not."""

_MEMBERS = {"openapi": dict, "conformsTo": list, "landingLinks": list, "collectionLinks": list}


@dataclass
class _Known:
    """The last part of a service, its ETag, and when (monotonic seconds) the service was last heard of."""

    part: Part | None = None
    etag: str | None = None
    heard: float = field(default=float("-inf"))


class PartsFetcher:
    """The services' parts, as far as they have been heard of lately."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._known = {service: _Known() for service in SERVICES}

    async def refresh(self, addresses: Addresses) -> None:
        """Asks every service once. Never fails: what does not answer is simply not heard of."""
        await asyncio.gather(*(self._ask(service, addresses.get(service, ())) for service in SERVICES))

    def present(self) -> list[tuple[str, Part]]:
        """(service, part) of each that is there, in a fixed order."""
        now = time.monotonic()
        return [
            (service, known.part)
            for service, known in self._known.items()
            if known.part is not None and now - known.heard < ABSENT_AFTER_SECONDS
        ]

    async def _ask(self, service: str, addresses: Iterable[str]) -> None:
        known = self._known[service]
        for address in addresses:
            try:
                await self._fetch(address, known)
            except (ClientError, OSError, TimeoutError, ValueError) as error:
                cause = f"{type(error).__name__}: {error}"
                _LOG.debug("no part", extra={"fields": {"upstream": service, "address": address, "cause": cause}})
            else:
                known.heard = time.monotonic()
                return

    async def _fetch(self, address: str, known: _Known) -> None:
        if not address.startswith("unix:"):
            await _read(self._session, address, known)
            return
        # a session reaches one socket only
        async with ClientSession(connector=UnixConnector(address.removeprefix("unix:"))) as session:
            await _read(session, "localhost", known)


async def _read(session: ClientSession, host: str, known: _Known) -> None:
    headers = {"If-None-Match": known.etag} if known.etag else {}
    async with session.get(f"http://{host}/internal/part", headers=headers, timeout=ClientTimeout(total=2)) as response:
        if response.status == 304 and known.part is not None:
            return
        response.raise_for_status()
        part = orjson.loads(await response.read())
        _check(part)
        known.part, known.etag = part, response.headers.get("ETag")


def _check(part: Any) -> None:
    """Raises ValueError for what is not a part at all; what is in it is the merge's business."""
    if not isinstance(part, dict):
        raise ValueError("the part is not an object")  # noqa: TRY004 - the value is wrong, not the program
    for name, kind in _MEMBERS.items():
        if not isinstance(part.get(name), kind):
            raise ValueError(f"the part's {name} is missing or not a {kind.__name__}")  # noqa: TRY004
