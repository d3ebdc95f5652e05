"""Update nginx and the published document when services start, stop, move or change."""

from __future__ import annotations

import asyncio
import logging

from aiohttp import ClientSession

from gateway.cache_folder import CacheFolder
from gateway.folder import CACHE
from gateway.liveness import Liveness
from gateway.nginx.config import build_config
from gateway.nginx.process import DRAIN_SECONDS, Nginx, NginxError
from gateway.nginx.routes import routes
from gateway.parts.fetch import PartsFetcher
from gateway.parts.known import KnownParts
from gateway.parts.publish import Published, Publisher
from gateway.settings import GatewaySettings
from gateway.upstreams import Addresses, backups, resolve

_LOG = logging.getLogger("dams.gateway")


class Follower:
    """Follows the addresses and parts of the services."""

    def __init__(self, settings: GatewaySettings, nginx: Nginx, publisher: Publisher, session: ClientSession) -> None:
        self._settings = settings
        self._nginx = nginx
        self._publisher = publisher
        self._fetcher = PartsFetcher(session)
        self._known = KnownParts(settings.folder)
        self._liveness = Liveness(backups(settings.upstreams))
        self._cache = CacheFolder(settings.folder / CACHE)
        self._addresses: Addresses = {}
        self._unpublished: Published | None = None
        self.used: Addresses = {}
        """The addresses of the processes that get requests."""

    async def start(self) -> None:
        """Start nginx with the routes of an earlier run; else with those of the services that are running now.

        nginx receives requests as soon as it listens, possibly next to another gateway that already knows the routes.
        Raises NginxError.
        """
        self._addresses = await resolve(self._settings.upstreams, {})
        await self._look()
        if not self._known.parts:
            await self._take_in()
        await self._nginx.start(self._configuration(self._liveness.list_alive(self._addresses)))

    async def follow(self) -> None:
        """Poll the addresses and parts of the services once."""
        self._addresses = await resolve(self._settings.upstreams, self._addresses)
        await self._look()
        await self._configure()
        await self._cache.sweep()
        await self._take_in()
        # The routes must work before the document lists them.
        if self._unpublished is not None and await self._configure():
            self._publisher.publish(self._unpublished)
            self._unpublished = None

    async def _look(self) -> None:
        await asyncio.gather(self._fetcher.refresh(self._addresses), self._liveness.check(self._addresses))

    async def _take_in(self) -> None:
        """Store new parts of the services, if they do not contradict each other."""
        present = self._fetcher.present()
        if merged := await self._publisher.merge(present):
            self._known.remember(present)
            self._unpublished = merged

    def pause(self) -> float:
        """Seconds until the next poll: few at first, because clients wait for the document."""
        return 1.0 if self._all_published() else 0.5

    def _all_published(self) -> bool:
        return len(self._publisher.services) == len(self._settings.upstreams)

    async def _configure(self) -> bool:
        """Return whether nginx has the current addresses and routes."""
        answering = self._liveness.list_alive(self._addresses)
        try:
            drain = DRAIN_SECONDS if self._all_published() else 0.0
            if await self._nginx.reload(self._configuration(answering), drain=drain):
                _LOG.info("other addresses or routes", extra={"fields": {"upstreams": dict(answering)}})
            self.used = answering
        except (NginxError, OSError) as error:
            _LOG.error("nginx does not get its configuration", extra={"fields": {"cause": str(error)}})
            return False
        return True

    def _configuration(self, answering: Addresses) -> str:
        known = routes(self._known.parts)
        user, cached = self._nginx.worker_user(), self._cache.has_room()
        return build_config(self._settings, answering, known, user=user, cached=cached)
