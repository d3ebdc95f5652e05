"""Poll the services for their parts of the API."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout, UnixConnector

from gateway.settings import SERVICES
from gateway.upstreams import ABSENT_SECONDS, Addresses
from libs.ogc.service_part import ServicePart

_LOG = logging.getLogger("dams.parts")


@dataclass
class _Known:
    """The last part of a service, and its ETag."""

    service: str
    part: ServicePart | None = None
    etag: str | None = None
    silent_since: float | None = None
    """Time of the first poll that failed since the last contact, in monotonic seconds. The time of the last contact
    does not tell how long a service was absent: the gateway does not poll while it validates a document."""
    fault: str = ""
    """Error of the last address that returned no part."""


class PartsFetcher:
    """The parts of the services that are not absent, which means that their polls failed for `absent_seconds`."""

    def __init__(self, session: ClientSession, *, absent_seconds: float = ABSENT_SECONDS) -> None:
        self._session = session
        self._absent_seconds = absent_seconds
        self._known = {service: _Known(service) for service in SERVICES}

    async def refresh(self, addresses: Addresses) -> None:
        """Poll every service once. Never raises: a service without an answer is skipped."""
        await asyncio.gather(*(self._ask(service, addresses.get(service, ())) for service in SERVICES))

    def present(self) -> list[ServicePart]:
        """Return the part of each available service, in a fixed order."""
        now = time.monotonic()
        return [
            known.part
            for known in self._known.values()
            if known.part is not None
            and (known.silent_since is None or now - known.silent_since < self._absent_seconds)
        ]

    async def _ask(self, service: str, addresses: Iterable[str]) -> None:
        known = self._known[service]
        for address in addresses:
            try:
                await self._fetch(address, known)
            except (ClientError, OSError, ValueError) as error:
                cause = f"{type(error).__name__}: {error}"
                # an unavailable service is normal; another answer than a part is not, and is logged once
                unusual = isinstance(error, ValueError) and cause != known.fault
                fields = {"upstream": service, "address": address, "cause": cause}
                _LOG.log(logging.WARNING if unusual else logging.DEBUG, "no part", extra={"fields": fields})
                known.fault = cause
            else:
                known.silent_since, known.fault = None, ""
                return
        if known.silent_since is None:
            known.silent_since = time.monotonic()

    async def _fetch(self, address: str, known: _Known) -> None:
        if not address.startswith("unix:"):
            await _read(self._session, address, known)
            return
        # a session can use only one socket
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
