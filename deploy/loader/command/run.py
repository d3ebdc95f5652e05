"""Run the command line."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import Any

import asyncpg
import orjson
from prometheus_client import start_http_server

from deploy.loader.command import reports
from deploy.loader.command.arguments import parse
from deploy.loader.command.configured import ConfigurationError, configure_sources
from deploy.loader.command.progress import Bar
from deploy.loader.documents.fetching import FetchError
from deploy.loader.loading import Outcome, Request, load
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.schedule.watching import Watch, watch
from deploy.loader.source import DocumentError, Source
from deploy.loader.sources.registry import SOURCES, sources_to_watch
from deploy.loader.store import bookkeeping
from deploy.loader.store.connection import StoreError, connect
from deploy.loader.store.lock import BusyError
from libs.web.setting_names import adopt_for_command

URL = "DAMS_DATABASE_LOADER_URL"
"""A variable, not an argument: every user of the machine can see the arguments of programs."""

DONE, FAILED, WRONG, BUSY = 0, 1, 2, 3


def main(argv: list[str] | None = None) -> int:
    """Run it and return the exit code, as listed in `--help`."""
    adopt_for_command()
    arguments = parse(argv)
    try:
        sources = configure_sources(SOURCES, os.environ)
    except ConfigurationError as error:
        print(f"error: {error}", file=sys.stderr)
        return WRONG
    if arguments.what == ["list"]:
        _say(arguments, reports.sources_as_lines(sources), [reports.source_as_json(each) for each in sources.values()])
        return DONE
    if not os.environ.get(URL):
        print(f"error: {URL} is missing: the address of the database, as a role that may write", file=sys.stderr)
        return WRONG
    try:
        return asyncio.run(_run_command(arguments, sources))
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, StoreError) as error:
        return _report_failure(arguments, None, error, FAILED)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


async def _run_command(arguments: argparse.Namespace, sources: Mapping[str, Source]) -> int:
    if arguments.what == ["status"]:
        return await _status(arguments)
    return await (_watch(arguments, sources) if arguments.watch else _load_all(arguments, sources))


async def _status(arguments: argparse.Namespace) -> int:
    async with connect(os.environ[URL], "status") as connection:
        states = await bookkeeping.states(connection)
    _say(arguments, reports.states_as_lines(states), [reports.state_as_json(state) for state in states.values()])
    return DONE


async def _watch(arguments: argparse.Namespace, sources: Mapping[str, Source]) -> int:
    """Watch until terminated; termination rolls back the current load."""
    names = arguments.what or sources_to_watch(sources)
    if arguments.metrics_port:
        start_http_server(arguments.metrics_port)

    def say(source: Source, outcome: Outcome) -> None:
        lines = reports.as_lines(source, outcome, dry_run=False)
        _say(arguments, lines, reports.as_json(source, outcome, dry_run=False))
        sys.stdout.flush()

    watching = asyncio.create_task(watch([sources[name] for name in names], Watch(url=os.environ[URL], say=say)))
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, watching.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await watching
    return DONE


async def _load_all(arguments: argparse.Namespace, sources: Mapping[str, Source]) -> int:
    """Load one source after another, also after failures. Return the highest exit code."""
    return max([await _load(arguments, sources[name]) for name in arguments.what])


async def _load(arguments: argparse.Namespace, source: Source) -> int:
    given = arguments.documents[source.name]
    request = Request(given=given, since=arguments.since, dry_run=arguments.dry_run)
    try:
        async with connect(os.environ[URL], source.name) as connection:
            with Bar(source.name, wanted=arguments.progress) as bar:
                outcome = await load(connection, source, request, bar)
    except BusyError as error:
        return _report_failure(arguments, source, error, BUSY)
    except (
        FetchError,
        DocumentError,
        SourceMissingError,
        OSError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
    ) as error:
        return _report_failure(arguments, source, error, FAILED)
    lines = reports.as_lines(source, outcome, dry_run=request.dry_run)
    _say(arguments, lines, reports.as_json(source, outcome, dry_run=request.dry_run))
    return DONE


def _report_failure(arguments: argparse.Namespace, source: Source | None, error: BaseException, code: int) -> int:
    said = str(error) or type(error).__name__
    if arguments.json:
        status = "busy" if code == BUSY else "failed"
        _say(arguments, [], {"source": source.name if source else None, "status": status, "error": said})
    print(f"error: {said}", file=sys.stderr)
    return code


def _say(arguments: argparse.Namespace, lines: list[str], document: Any) -> None:
    """Print one object per source, or a list under its own name."""
    if arguments.json:
        found = {arguments.what[0]: document} if isinstance(document, list) else document
        print(orjson.dumps(found).decode())
    else:
        print("\n".join(lines))
