"""`python -m deploy.impact update|watch`: the worker of impacts.

DAMS_DATABASE_LOADER_URL has the address of the database. The worker reads the section `exposure` of the collections
files in DAMS_COLLECTIONS_CONFIG.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys

import asyncpg

from deploy.impact.watching import update, watch
from deploy.loader.store.connection import StoreError, connect
from deploy.loader.store.lock import BusyError, hold_lock
from libs.web.setting_names import adopt_for_command
from libs.web.settings import SettingsError

URL = "DAMS_DATABASE_LOADER_URL"
"""A variable, not an argument: other users of the machine see arguments."""


def main(argv: list[str] | None = None) -> int:
    """Run one command; return the exit code: 0 done, 1 failed with a message, 2 wrong arguments."""
    adopt_for_command()
    parser = argparse.ArgumentParser(prog="python -m deploy.impact", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("update", help="load exposure data, compute what is due, and end")
    commands.add_parser("watch", help="the same after each change of the data, until a signal")
    arguments = parser.parse_args(argv)
    url = os.environ.get(URL)
    if not url:
        parser.error(f"{URL} is missing: the address of the database, as a role that may write")
    try:
        asyncio.run(_update(url) if arguments.command == "update" else run_watch(url))
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, StoreError, BusyError, SettingsError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


async def _update(url: str) -> None:
    async with connect(url, "impact") as connection, hold_lock(connection, "impact"):
        await update(connection, _say)


async def run_watch(url: str) -> None:
    """Watch the database of this address until a signal ends it."""
    watching = asyncio.create_task(watch(url, _say))
    for each in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(each, watching.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await watching


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
