"""Run a service: logs, event loop, graceful shutdown. An entry point is a few lines over this."""

import logging
import os
import sys
from collections.abc import Callable, Mapping

import uvloop
from aiohttp import web

from libs.web.base_url import SETTINGS
from libs.web.logs import setup_logs
from libs.web.settings import SettingsError, choice


def run(service: str, make: Callable[[Mapping[str, str]], web.Application]) -> None:
    """Serve the application that `make` builds from the environment until SIGTERM or SIGINT."""
    env = os.environ
    try:
        setup_logs(
            service,
            choice(env, "LOG_FORMAT", ("json", "text")),
            choice(env, "LOG_LEVEL", ("INFO", "DEBUG", "WARNING", "ERROR")),
        )
        app = make(env)
    except SettingsError as error:
        sys.exit(f"{service}: {error}")
    settings = app[SETTINGS]
    logging.getLogger("dams").info("listening", extra={"fields": {"host": settings.host, "port": settings.port}})
    uvloop.install()
    web.run_app(
        app,
        host=settings.host,
        port=settings.port,
        access_log=None,
        print=None,
        shutdown_timeout=10,
        keepalive_timeout=75,
        backlog=1024,
    )
