"""`python -m gateway`: run nginx in front of the services until it is stopped."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time

from aiohttp import ClientSession, web

from gateway.folder import COUNTS
from gateway.follow import Follower
from gateway.internal import make_internal_app
from gateway.nginx.counts import Counts
from gateway.nginx.errors import write_error_pages
from gateway.nginx.process import Nginx, NginxError
from gateway.nginx.routes import PREFIX
from gateway.parts.publish import Publisher
from gateway.settings import GatewaySettings
from libs.concurrency.background import periodic
from libs.web.logs import setup_logs
from libs.web.setting_names import remarks
from libs.web.settings import CHECK_CONFIG, SettingsError

_LOG = logging.getLogger("dams.gateway")


_CRASH_SECONDS = 30.0
_MOST_CRASHES = 3
"""How often nginx may crash within `_CRASH_SECONDS` before this program gives up, and its supervisor takes over."""


async def serve(settings: GatewaySettings) -> int | None:
    """Run the gateway and return its exit status; None if it is to be replaced.

    Raises NginxError if nginx does not start.

    SIGTERM stops it. SIGHUP replaces it by the current version of the program, while nginx continues.
    """
    stop, replace = asyncio.Event(), asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, replace.set)
    nginx = Nginx(settings.folder)
    nginx.prepare()
    write_error_pages(settings.folder, settings.public_url or PREFIX, settings.site_title)
    publisher = Publisher(settings.folder, settings.public_url)
    async with ClientSession() as session, contextlib.AsyncExitStack() as stack:
        follower = Follower(settings, nginx, publisher, session)
        counts = Counts(settings.folder / COUNTS)
        internal = web.AppRunner(make_internal_app(nginx, publisher, follower, counts), access_log=None)
        await internal.setup()
        stack.push_async_callback(internal.cleanup)
        await web.TCPSite(internal, settings.host, settings.internal_port).start()
        await follower.start()
        await stack.enter_async_context(periodic(counts.count, 1.0, name="counts"))
        stack.push_async_callback(_leave, nginx, stop, replace)
        await stack.enter_async_context(periodic(follower.follow, follower.pause, name="services"))
        _LOG.info("listening", extra={"fields": {"host": settings.host, "port": settings.port}})
        kept = asyncio.create_task(_keep_running(nginx))
        signalled = [asyncio.create_task(event.wait()) for event in (stop, replace)]
        await asyncio.wait([kept, *signalled], return_when=asyncio.FIRST_COMPLETED)
        for task in signalled:
            task.cancel()
        if kept.done():
            return 1
        kept.cancel()
    return 0 if stop.is_set() else None


async def _keep_running(nginx: Nginx) -> None:
    """Start nginx again at once where it is killed or crashes; return where it ends otherwise, or again and again.

    To start this program again takes seconds, in which clients are refused.
    """
    crashes: list[float] = []
    while (status := await nginx.wait()) != 0:
        now = time.monotonic()
        crashes = [*(at for at in crashes if now - at < _CRASH_SECONDS), now]
        if len(crashes) > _MOST_CRASHES:
            break
        _LOG.error("nginx was killed or has crashed, and is started again", extra={"fields": {"status": status}})
        await nginx.revive()
    _LOG.error("nginx has ended", extra={"fields": {"status": status}})


async def _leave(nginx: Nginx, stop: asyncio.Event, replace: asyncio.Event) -> None:
    if stop.is_set() or not replace.is_set():
        await nginx.stop()


def main() -> int:
    try:
        settings = GatewaySettings.from_env(os.environ)
        if settings.http3:
            Nginx(settings.folder).check_http3()
        if CHECK_CONFIG in sys.argv[1:]:
            sys.stdout.write("gateway: the settings fit\n")
            return 0
        setup_logs("gateway", settings.log_format, settings.log_level)
        for sentence in remarks(os.environ):
            _LOG.warning(sentence)
        status = asyncio.run(serve(settings))
    except SettingsError as error:
        sys.stderr.write(f"gateway: {error}\n")
        return os.EX_CONFIG
    except (NginxError, OSError) as error:
        sys.stderr.write(f"gateway: {error}\n")
        return 1
    if status is None:
        # ignore SIGHUP until the new program can handle it
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        # exec keeps the process, so that nginx keeps its parent
        os.execv(sys.executable, [sys.executable, "-m", "gateway"])  # noqa: S606 - no shell is wanted
    return status


if __name__ == "__main__":
    sys.exit(main())
