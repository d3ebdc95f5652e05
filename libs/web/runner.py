"""Run a service: logs, event loop, graceful shutdown. An entry point is a few lines that call this."""

import asyncio
import ctypes
import gc
import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress

import uvloop
from aiohttp import web

from libs.tracing import spans
from libs.web.base_url import SETTINGS
from libs.web.logs import setup_logs
from libs.web.setting_names import remarks
from libs.web.settings import CHECK_CONFIG, SettingsError
from libs.web.unix_socket import bind

_GC_THRESHOLDS = (50_000, 20, 100)
"""A page of features is tens of thousands of values without cycles; searching for cycles took a third of its time."""

BACKLOG = 4096
"""If it is full, connecting to a Unix socket fails at once; TCP retries only after the gateway's timeout."""


def run(service: str, make: Callable[[Mapping[str, str]], web.Application]) -> None:
    """Serve the application that `make` builds from the environment until SIGTERM or SIGINT.

    Exits with status 78 (EX_CONFIG) if settings are invalid: restarting would not help. With the argument
    `--check-config` it only checks the settings.
    """
    try:
        if CHECK_CONFIG in sys.argv[1:]:
            make(os.environ)
            sys.stdout.write(f"{service}: the settings fit\n")
        else:
            _run(service, make)
    except SettingsError as error:
        sys.stderr.write(f"{service}: {error}\n")
        sys.exit(os.EX_CONFIG)


def _run(service: str, make: Callable[[Mapping[str, str]], web.Application]) -> None:
    app = make(os.environ)
    settings = app[SETTINGS]
    setup_logs(service, settings.log_format, settings.log_level)
    path = settings.socket
    sock = bind(path) if path else None
    fields = {"host": settings.host, "port": settings.port, **({"socket": str(path)} if path else {})}
    log = logging.getLogger("dams")
    log.info("starting", extra={"fields": fields})
    for sentence in remarks(os.environ):
        log.warning(sentence)
    if settings.traces_endpoint is not None:
        headers, share = settings.traces_headers, settings.traces_share
        spans.start(f"dams-{service}", settings.traces_endpoint, headers=headers, share=share)
        app.on_cleanup.append(_flush_spans)
    uvloop.install()
    gc.set_threshold(*_GC_THRESHOLDS)
    app.on_startup.append(_freeze_objects)
    web.run_app(
        app,
        host=settings.host,
        port=settings.port,
        sock=sock,
        print=None,
        shutdown_timeout=10,
        keepalive_timeout=75,
        backlog=BACKLOG,
        access_log=None,
        # cancel the statement of a client that has disconnected
        handler_cancellation=True,
    )


async def _flush_spans(_: web.Application) -> None:
    await asyncio.to_thread(spans.stop)


async def _freeze_objects(_: web.Application) -> None:
    """Exempt all objects created at start from garbage collection: they stay."""
    gc.collect()
    gc.freeze()
    # return memory that was only needed at start to the system (glibc)
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
