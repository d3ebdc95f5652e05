"""The merged parts of all services, as the gateway publishes them."""

import logging
from contextlib import AsyncExitStack
from functools import partial
from typing import Self

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout

from libs.concurrency.background import periodic
from libs.ogc.service_part import ServicePart, Whole
from libs.web.conditional import weak_etag
from libs.web.respond import json_bytes

_LOG = logging.getLogger("dams.parts")


class PartsClient:
    """Polls the gateway's merged parts; uses only this service's part until the first response."""

    def __init__(self, url: str | None, own: ServicePart, *, refresh_seconds: float = 0.5) -> None:
        self._url = f"{url}/internal/parts" if url else None
        self._refresh_seconds = refresh_seconds
        self._use(Whole.of([own]))
        self._following = AsyncExitStack()

    async def __aenter__(self) -> Self:
        if self._url:
            session = await self._following.enter_async_context(ClientSession(timeout=ClientTimeout(total=5)))
            fetch = partial(self._fetch, session, self._url)
            await self._following.enter_async_context(periodic(fetch, self._refresh_seconds, name="parts"))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._following.aclose()

    async def _fetch(self, session: ClientSession, url: str) -> None:
        try:
            async with session.get(url) as response:
                response.raise_for_status()
                whole = Whole.from_json(orjson.loads(await response.read()))
            if whole != self.whole:
                # content made from it stays valid while it is the same object
                self._use(whole)
        except (ClientError, OSError, TimeoutError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            # clients come through the gateway: while it is unavailable, there are no requests
            _LOG.debug("no parts", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})

    def _use(self, whole: Whole) -> None:
        self.whole, self.etag = whole, weak_etag(json_bytes(whole.to_json()))
