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
        follower = asyncio.create_task(_follow(settings, nginx, publisher, PartsFetcher(session), addresses))
        _LOG.info("listening", extra={"fields": {"host": settings.host, "port": settings.port}})
        ended = asyncio.create_task(nginx.wait())
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait([ended, stopped, follower], return_when=asyncio.FIRST_COMPLETED)
        for task in (follower, stopped):
            task.cancel()
        if follower.done() and not follower.cancelled() and (error := follower.exception()):
            raise error
        if ended.done():
            _LOG.error("nginx has ended", extra={"fields": {"status": ended.result()}})
            return 1
        await nginx.stop()
    return 0


async def _follow(
    settings: GatewaySettings, nginx: Nginx, publisher: Publisher, fetcher: PartsFetcher, addresses: Addresses
) -> None:
    """Keeps up with services that come, go, move and change, until cancelled."""
    while True:
        addresses = await resolve(settings.upstreams, addresses)
        try:
            if await nginx.reload(build_config(settings, addresses, user=nginx.worker_user())):
                _LOG.info("other addresses", extra={"fields": {"upstreams": dict(addresses)}})
        except NginxError as error:
            _LOG.error("nginx refuses its configuration", extra={"fields": {"cause": str(error)}})
        await fetcher.refresh(addresses)
        await publisher.publish(fetcher.present())
        # Quickly at first: clients wait for the document.
        await asyncio.sleep(REFRESH_SECONDS if len(publisher.services) == len(settings.upstreams) else 0.5)


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
