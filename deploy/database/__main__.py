"""`python -m deploy.database apply|revert|version|demo`; DAMS_DATABASE_OWNER_URL is the address, as the owner."""

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import asyncpg

from deploy.database.apply import (
    apply_schema,
    close_other_databases,
    ensure_loader,
    ensure_reader,
    revert_schema,
    revoke_statements,
)
from deploy.database.demo.collections import DemoCollections
from deploy.database.demo.load import DemoDataConflictError, load_demo, move_demo
from deploy.database.demo.sources import Sources
from deploy.database.migrations import MigrationError, current_version, newest, read_migrations
from deploy.loader.places.packaged import SourceMissingError
from libs.web.setting_names import adopt_for_command

_URL = "DAMS_DATABASE_OWNER_URL"
"""A variable, not an argument: every user of the machine can see the arguments of programs."""

_TODAY = "DAMS_DEMO_TODAY"

_NPM_DIRECTORY = Path(__file__).parent / "node_modules"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.database", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    apply = commands.add_parser("apply", help="create or update schema and roles; harmless to repeat")
    revert = commands.add_parser("revert", help="take back the newest versions of the schema, before an older release")
    revert.add_argument("--to", type=int, required=True, metavar="VERSION", help="the version of the older release")
    commands.add_parser("version", help="print the version of the schema: of this release and of the database")
    demo = commands.add_parser("demo", help="load the demo data; does nothing where they are loaded")
    apply.add_argument("--reader-user", help="login role of the services, created or updated")
    apply.add_argument("--reader-password-file", type=Path, help="its password, on the file's first line")
    apply.add_argument("--loader-user", help="login role of the loader, which writes; created or updated")
    apply.add_argument("--loader-password-file", type=Path, help="its password, on the file's first line")
    apply.add_argument(
        "--own-server",
        action="store_true",
        help="the server has no other use: keep all roles but superusers out of its databases postgres and template1",
    )
    demo.add_argument("--npm", type=Path, default=_NPM_DIRECTORY, help="node_modules with the data packages")
    demo.add_argument(
        "--progress", action=argparse.BooleanOptionalAction, default=True, help="a bar, or lines where no terminal"
    )
    demo.add_argument(
        "--today",
        type=date.fromisoformat,
        default=os.environ.get(_TODAY) or datetime.now(UTC).date(),
        metavar="YYYY-MM-DD",
        help=f"the day up to which floods are simulated; otherwise {_TODAY}, otherwise today, UTC",
    )
    demo.add_argument(
        "--move",
        action="store_true",
        help="only bring what is simulated to the day; leaves tables with other rows alone",
    )
    others = demo.add_mutually_exclusive_group()
    others.add_argument("--replace", action="store_true", help="replace rows that are not the demo loader's")
    others.add_argument("--keep", action="store_true", help="leave tables with other rows as they are")
    return parser


async def _connect() -> asyncpg.Connection:
    # unnamed statements, because poolers in transaction mode lose named ones
    return await asyncpg.connect(os.environ[_URL], statement_cache_size=0)


async def _apply(arguments: argparse.Namespace) -> None:
    connection = await _connect()
    try:
        files = await apply_schema(connection)
        print(f"schema applied: {', '.join(files)}")
        if arguments.own_server:
            await close_other_databases(connection)
        if arguments.reader_user:
            await ensure_reader(connection, arguments.reader_user, _first_line(arguments.reader_password_file))
            print(f"role {arguments.reader_user} may read")
            if left := await revoke_statements(connection, arguments.reader_user):
                print("it may also use the disk, as every role may; a superuser can take that away:")
                print("".join(f"  {statement};\n" for statement in left), end="")
        if arguments.loader_user:
            await ensure_loader(connection, arguments.loader_user, _first_line(arguments.loader_password_file))
            print(f"role {arguments.loader_user} may load data")
    finally:
        await connection.close()


async def _revert(arguments: argparse.Namespace) -> None:
    connection = await _connect()
    try:
        done = await revert_schema(connection, arguments.to)
        print(f"the schema has version {arguments.to}; taken back: {', '.join(done) or 'nothing'}")
    finally:
        await connection.close()


async def _version(_arguments: argparse.Namespace) -> None:
    connection = await _connect()
    try:
        print(f"release {newest(read_migrations())}, database {await current_version(connection) or 'none'}")
    finally:
        await connection.close()


def _first_line(file: Path) -> str:
    return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")


async def _demo(arguments: argparse.Namespace) -> None:
    data = DemoCollections(Sources.find(arguments.npm), arguments.today)
    connection = await _connect()
    try:
        if arguments.move:
            await move_demo(connection, data, progress=arguments.progress)
        else:
            await load_demo(
                connection, data, progress=arguments.progress, replace=arguments.replace, keep=arguments.keep
            )
    finally:
        await connection.close()


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], Coroutine[Any, Any, None]]] = {
    "apply": _apply,
    "revert": _revert,
    "version": _version,
    "demo": _demo,
}


def main(argv: list[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 failed with a message, 2 wrong arguments."""
    adopt_for_command()
    parser = _parser()
    arguments = parser.parse_args(argv)
    for role in ("reader", "loader") if arguments.command == "apply" else ():
        if bool(getattr(arguments, f"{role}_user")) != bool(getattr(arguments, f"{role}_password_file")):
            parser.error(f"--{role}-user and --{role}-password-file belong together")
    if not os.environ.get(_URL):
        parser.error(
            f"{_URL} is missing: the address of the database, as its owner (postgresql://owner:…@host/database)"
        )
    try:
        asyncio.run(_COMMANDS[arguments.command](arguments))
    except (
        OSError,
        ValueError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        MigrationError,
        SourceMissingError,
        DemoDataConflictError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
