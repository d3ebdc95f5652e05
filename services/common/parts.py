"""The parts of all services, as the gateway publishes them."""

import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout

from libs.concurrency.background import periodic
from libs.ogc.link import Link
from libs.ogc.service_part import CollectionLink, ServicePart

_LOG = logging.getLogger("dams.parts")


@dataclass(frozen=True, slots=True)
class Whole:
    """What the services that are there add up to."""

    conforms_to: tuple[str, ...]
    landing_links: tuple[Link, ...]
    collection_links: tuple[CollectionLink, ...]

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """From the gateway's `/internal/parts`. Raises KeyError or TypeError where it is not one."""
        return cls(
            tuple(value["conformsTo"]),
            tuple(Link(**entry) for entry in value["landingLinks"]),
            tuple(CollectionLink.from_json(entry) for entry in value["collectionLinks"]),
        )


class PartsClient:
    """Follows the gateway's list of parts; until it is heard of, this service's own part is all there is."""

    def __init__(self, url: str | None, own: ServicePart, *, refresh_seconds: float = 0.5) -> None:
        self._url = f"{url}/internal/parts" if url else None
        self._refresh_seconds = refresh_seconds
        self.whole = Whole(own.conforms_to, own.landing_links, own.collection_links)
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
                self.whole = Whole.from_json(orjson.loads(await response.read()))
        except (ClientError, OSError, TimeoutError, orjson.JSONDecodeError, KeyError, TypeError) as error:
            # the gateway is the way in for clients: while it is away nobody asks
            _LOG.debug("no parts", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
