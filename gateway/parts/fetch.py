"""Follows what the services say about themselves: their parts."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.settings import SERVICES
from gateway.upstreams import Addresses
from libs.ogc.service_part import ServicePart

_LOG = logging.getLogger("dams.parts")

ABSENT_AFTER_SECONDS = 10.0
"""A service that restarts stays advertised; one that is unreachable for longer does not."""


@dataclass
class _Known:
    """The last part of a service, its ETag, and when (monotonic seconds) the service was last heard of."""

    service: str
    part: ServicePart | None = None
    etag: str | None = None
    heard: float = 0.0
    fault: str = ""
    """Why the last address that was asked gave no part."""


class PartsFetcher:
    """The parts of the services that have answered recently."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._known = {service: _Known(service) for service in SERVICES}

    async def refresh(self, addresses: Addresses) -> None:
        """Asks every service once. Never fails: what does not answer is simply not heard of."""
        await asyncio.gather(*(self._ask(service, addresses.get(service, ())) for service in SERVICES))

    def present(self) -> list[ServicePart]:
        """The part of each service that is there, in a fixed order."""
        now = time.monotonic()
        return [
            known.part
            for known in self._known.values()
            if known.part is not None and now - known.heard < ABSENT_AFTER_SECONDS
        ]

    async def _ask(self, service: str, addresses: Iterable[str]) -> None:
        known = self._known[service]
        for address in addresses:
            try:
                await self._fetch(address, known)
            except (ClientError, OSError, ValueError) as error:
                cause = f"{type(error).__name__}: {error}"
                # a service that is away is nothing unusual; one that answers with something else is, and is logged once
                unusual = isinstance(error, ValueError) and cause != known.fault
                fields = {"upstream": service, "address": address, "cause": cause}
                _LOG.log(logging.WARNING if unusual else logging.DEBUG, "no part", extra={"fields": fields})
                known.fault = cause
            else:
                known.heard, known.fault = time.monotonic(), ""
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
        part = ServicePart.from_json(orjson.loads(await response.read()))
        if part.name != known.service:
            raise ValueError(f"this is the part of {part.name}")
        known.part, known.etag = part, response.headers.get("ETag")
