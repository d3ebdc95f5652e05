"""`python -m gateway`: runs nginx in front of the services until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys

from aiohttp import ClientSession, web

from gateway.internal import make_internal_app
from gateway.nginx.config import build_config
from gateway.nginx.process import Nginx, NginxError
from gateway.parts.fetch import PartsFetcher
from gateway.parts.publish import Publisher
from gateway.settings import GatewaySettings
from gateway.upstreams import Addresses, resolve
from libs.concurrency.background import periodic
from libs.web.logs import setup_logs
from libs.web.settings import SettingsError

_LOG = logging.getLogger("dams.gateway")
REFRESH_SECONDS = 2.0


async def serve(settings: GatewaySettings) -> int:
    """Runs the gateway; its exit status. Raises NginxError where nginx does not start."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    settings.folder.mkdir(parents=True, exist_ok=True)
    nginx = Nginx(settings.folder)
    nginx.prepare()
    publisher = Publisher(settings.folder, settings.public_url)
    addresses = await resolve(settings.upstreams, {})
    async with ClientSession() as session, contextlib.AsyncExitStack() as stack:
        internal = web.AppRunner(make_internal_app(nginx, publisher), access_log=None)
        await internal.setup()
        stack.push_async_callback(internal.cleanup)
        await web.TCPSite(internal, settings.host, settings.internal_port).start()
        await nginx.start(build_config(settings, addresses, user=nginx.worker_user()))
        stack.push_async_callback(nginx.stop)
        follower = _Follower(settings, nginx, publisher, PartsFetcher(session), addresses)
        await stack.enter_async_context(periodic(follower.follow, follower.pause, name="services"))
        _LOG.info("listening", extra={"fields": {"host": settings.host, "port": settings.port}})
        ended = asyncio.create_task(nginx.wait())
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([ended, stopped], return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if ended.done():
            _LOG.error("nginx has ended", extra={"fields": {"status": ended.result()}})
            return 1
    return 0


class _Follower:
    """Keeps up with services that come, go, move and change."""

    def __init__(
        self, settings: GatewaySettings, nginx: Nginx, publisher: Publisher, fetcher: PartsFetcher, addresses: Addresses
    ) -> None:
        self._settings = settings
        self._nginx = nginx
        self._publisher = publisher
        self._fetcher = fetcher
        self._addresses = addresses

    async def follow(self) -> None:
        """Looks once where the services are and what they say of themselves."""
        self._addresses = await resolve(self._settings.upstreams, self._addresses)
        try:
            if await self._nginx.reload(build_config(self._settings, self._addresses, user=self._nginx.worker_user())):
                _LOG.info("other addresses", extra={"fields": {"upstreams": dict(self._addresses)}})
        except NginxError as error:
            _LOG.error("nginx refuses its configuration", extra={"fields": {"cause": str(error)}})
        await self._fetcher.refresh(self._addresses)
        await self._publisher.publish(self._fetcher.present())

    def pause(self) -> float:
        """Seconds until the next look: few at first, as clients wait for the document."""
        return REFRESH_SECONDS if len(self._publisher.services) == len(self._settings.upstreams) else 0.5


def main() -> int:
    try:
        settings = GatewaySettings.from_env(os.environ)
        setup_logs("gateway", settings.log_format, settings.log_level)
        return asyncio.run(serve(settings))
    except (SettingsError, NginxError) as error:
        sys.stderr.write(f"gateway: {error}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"gateway: {error}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
