"""`python -m deploy.local up|down|restart|status|service|doctor|watch|history|run|load|…`: the local stack."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import asyncpg

from deploy.database.apply import keep_history, watch_tables
from deploy.local import remembered, service, stack
from deploy.local.heartbeat import beating
from deploy.local.postgresql import READER, find_programs
from deploy.local.programs import LOADER, SPARE
from deploy.local.restart import restart
from deploy.local.settings import StackError, StackSettings, read_settings
from deploy.local.state import StackState, StateFolder
from deploy.local.supervision import Supervisor
from deploy.local.users import become
from deploy.local.viewer_files import building
from libs.pg.diagnosis import Finding
from libs.web.setting_names import SettingsError, adopt

_PLACE = re.compile(r"(\[[^]]*\]|[^:]*):?(\d*)")
_TABLE = re.compile(r'(?:[^\s,"]|"[^"]*")+')


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.local", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    up = commands.add_parser("up", help="start what is not running and wait until it answers")
    up.add_argument("--servers-only", action="store_true", help="only PostgreSQL and Redis")
    up.add_argument("--build", action="store_true", help="meanwhile build the browser's files, if they are outdated")
    up.add_argument("--forget", action="store_true", help="without the settings of earlier starts")
    down = commands.add_parser("down", help="stop the stack of DAMS_STATE_DIR")
    down.add_argument("--purge", action="store_true", help="delete its data as well")
    commands.add_parser("restart", help="restart services and gateway one after another, without losing a request")
    commands.add_parser("status", help="show what runs and where it listens")
    unit = commands.add_parser("service", help="have systemd start the stack at a reboot")
    unit.add_argument("--remove", action="store_true", help="no longer; the data stay")
    commands.add_parser("doctor", help="tell what is wrong with database, Redis and ports, and what mends it")
    commands.add_parser("logs", help="follow all logs")
    run = commands.add_parser("run", help="run a module of a service with the settings of its running process")
    run.add_argument("module")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    watch = commands.add_parser("watch", help="have changes of a table seen within a second, not at the next look")
    history = commands.add_parser("history", help="keep earlier versions of rows, for requests with asOf")
    history.add_argument("--kept", default="90 days", help="an interval of PostgreSQL, or off (default: %(default)s)")
    for command in (watch, history):
        command.add_argument(
            "tables", metavar="schema.table", help="one or several; a name with blanks in double quotes"
        )
    # arguments that begin with "-" are for psql
    psql = commands.add_parser(
        "psql",
        prefix_chars="+",
        add_help=False,
        help="open the stack's own database as its owner, or DAMS_DATABASE_URL",
    )
    psql.add_argument("arguments", nargs=argparse.REMAINDER)
    schema = commands.add_parser(
        "schema", help="print, bring up to date or take back the schema of the stack's own database"
    )
    schema.add_argument("arguments", nargs=argparse.REMAINDER)
    load = commands.add_parser("load", prefix_chars="+", add_help=False, help="load data into the stack's own database")
    load.add_argument("arguments", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    try:
        # also for the programs that it starts
        doubts = adopt(os.environ)
        if arguments.command == "doctor":
            return _doctor(_settings(arguments), doubts)
        for sentence in doubts:
            _say(f"warning: {sentence}")
        return _run_command(_settings(arguments), arguments)
    except (StackError, SettingsError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        # also of a full disk or a server that is killed: a sentence, not where in the program that was noticed
        print(f"error: {str(error) or type(error).__name__}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def _run_command(settings: StackSettings, arguments: argparse.Namespace) -> int:
    """Run the command; return its exit status. Raises StackError."""
    commands: dict[str, Callable[[], int | None]] = {
        "up": lambda: _up(settings, servers_only=arguments.servers_only, build=arguments.build),
        "down": lambda: print("stopped" if stack.down(settings, purge=arguments.purge) else "nothing was running"),
        "restart": lambda: restart(settings),
        "status": lambda: _status(settings),
        "service": lambda: _service(settings, remove=arguments.remove),
        "run": lambda: _run(settings, arguments.module, arguments.arguments),
        "watch": lambda: _watch(settings, _TABLE.findall(arguments.tables)),
        "history": lambda: _keep_history(settings, _TABLE.findall(arguments.tables), arguments.kept),
        "load": lambda: _load(settings, arguments.arguments),
        "schema": lambda: _schema(settings, arguments.arguments),
        "psql": lambda: _psql(settings, arguments.arguments),
        "logs": lambda: _logs(settings),
    }
    return commands[arguments.command]() or 0


def _service(settings: StackSettings, *, remove: bool) -> None:
    """Have systemd start the stack at each reboot, or no longer."""
    if remove:
        print(service.remove(settings))
    else:
        # what was started by hand would not be a part of the unit
        stack.down(settings)
        print(service.install(settings))


def _settings(arguments: argparse.Namespace) -> StackSettings:
    """Return the settings of this command, else those of the last start; put them into the environment, too."""
    folder = read_settings(os.environ).state_dir
    up = arguments.command == "up"
    if up and arguments.forget:
        remembered.forget(folder)
    before, given = remembered.recall(folder), remembered.given_variables(os.environ)
    if up and (others := sorted(before.keys() - given.keys())):
        _say(f"With {', '.join(others)} as at the last start; make up ARGS=--forget starts without")
    os.environ.update(before | given)
    return read_settings(os.environ)


def _up(settings: StackSettings, *, servers_only: bool, build: bool) -> None:
    if not servers_only:
        with beating():
            _check(settings)
    with building() if build and not servers_only else nullcontext() as built:
        stack.up(settings, servers_only=servers_only, before_services=built)
    if not servers_only:
        remembered.remember(settings.state_dir, remembered.given_variables(os.environ))
        for line in _public_tables(settings):
            _say(line)
        if settings.live:
            _report_live(settings)
        elif not settings.database_url:
            _say("Data are those of the demo or of make load; DAMS_LIVE=yes make up fetches the current world")
        print(f"http://127.0.0.1:{settings.gateway_port}/api")


def _report_live(settings: StackSettings) -> None:
    """Report what the watchers of live sources loaded since they run."""
    from deploy.local.live import report_first_loads  # noqa: PLC0415 - most starts do without the loader

    folder = StateFolder(settings.state_dir)
    state = folder.load()
    started = Supervisor(folder, state.ports["supervisor"]).states()[LOADER]["start"]
    _say("Live sources:")
    with beating():
        report_first_loads(stack.loader_url(folder, state), datetime.fromtimestamp(started, UTC), _say)


def _check(settings: StackSettings) -> None:
    """Raises StackError for what keeps the services from starting; warns of the rest."""
    from deploy.local import doctor  # noqa: PLC0415 - four fifths of all imports, and most commands do without

    doctor.check_settings()
    if settings.database_url:
        wrong = doctor.of_database(settings, settings.database_url)
        if fatal := [str(finding) for finding in wrong if finding.fatal]:
            raise StackError("\n       ".join(fatal))
        for finding in wrong:
            _say(f"warning: {finding}")


def _doctor(settings: StackSettings, doubts: list[str]) -> int:
    from deploy.local import doctor  # noqa: PLC0415 - as above

    wrong = [*doctor.findings(settings), *map(Finding, doubts)]
    for finding in wrong:
        print(f"{'error' if finding.fatal else 'warning'}: {finding}")
    if not wrong:
        print("all is well")
    if not any(finding.fatal for finding in wrong):
        for line in _public_tables(settings):
            print(line)
    return int(any(finding.fatal for finding in wrong))


def _public_tables(settings: StackSettings) -> list[str]:
    """Which tables are public; of the stack's own database while it runs."""
    from deploy.local.published import public_report  # noqa: PLC0415 - as above

    folder = StateFolder(settings.state_dir)
    state = folder.load()
    address = settings.database_url
    if address is None and Supervisor(folder, state.ports.get("supervisor", 0)).answers():
        address = stack.reader_url(folder, state)
    return public_report(settings, address) if address else []


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _status(settings: StackSettings) -> int:
    folder = StateFolder(settings.state_dir)
    state = folder.load()
    supervisor = Supervisor(folder, state.ports.get("supervisor", 0))
    if not supervisor.answers():
        print("not running")
        return 1
    for name, process in supervisor.states().items():
        if name.endswith(SPARE) and process["statename"] == "STOPPED":
            continue
        port = settings.gateway_port if name == "gateway" else state.ports.get(name)
        address = "" if port is None else f"127.0.0.1:{port}"
        print(f"{name:<12} {process['statename']:<9} {address:<16} {process['description']}")
    return 0


def _find_running(settings: StackSettings) -> tuple[StateFolder, StackState]:
    folder = StateFolder(settings.state_dir)
    state = folder.load()
    if not Supervisor(folder, state.ports.get("supervisor", 0)).answers():
        raise StackError(f"no stack runs in {settings.state_dir}; `make up` starts one")
    return folder, state


_WithTables = Callable[[asyncpg.Connection, str], Coroutine[Any, Any, None]]


def _watch(settings: StackSettings, tables: list[str]) -> None:
    _as_owner(settings, tables, lambda connection, reader: watch_tables(connection, tables, reader))
    print(f"changes of {', '.join(tables)} are seen within a second")


def _keep_history(settings: StackSettings, tables: list[str], kept: str) -> None:
    wanted = None if kept == "off" else kept
    _as_owner(settings, tables, lambda connection, reader: keep_history(connection, tables, reader, wanted))
    said = "are not kept" if wanted is None else f"are kept for {wanted}"
    print(f"earlier versions of the rows of {', '.join(tables)} {said}")


def _as_owner(settings: StackSettings, tables: list[str], change: _WithTables) -> None:
    """Run `change` as the owner of the tables, with the name of the services' role."""
    if not tables:
        raise StackError("TABLE is missing: TABLE=public.roads")
    if settings.database_url:
        owner, reader = os.environ.get("DAMS_DATABASE_OWNER_URL"), urlsplit(settings.database_url).username
        if not owner or not reader:
            raise StackError(
                "DAMS_DATABASE_OWNER_URL is missing: the address of the database, as the owner of the tables"
            )
    else:
        owner, reader = stack.owner_url(*_find_running(settings)), READER

    async def run() -> None:
        # unnamed statements, because poolers in transaction mode lose named ones
        connection = await asyncpg.connect(owner, statement_cache_size=0)
        try:
            await change(connection, unquote(reader))
        finally:
            await connection.close()

    try:
        asyncio.run(run())
    except asyncpg.WrongObjectTypeError as error:
        raise StackError(f"{error}; of a view, name the tables that it reads") from error
    except (OSError, asyncpg.PostgresError) as error:
        raise StackError(str(error)) from error


def _psql(settings: StackSettings, arguments: list[str]) -> None:
    address = settings.database_url
    if address is None:
        folder, state = _find_running(settings)
        address = stack.owner_url(folder, state)
    program = str(shutil.which("psql") or find_programs() / "psql")
    os.execve(program, [program, *arguments], os.environ | _for_libpq(address))  # noqa: S606 - no shell is wanted


def _for_libpq(address: str) -> dict[str, str]:
    """Return the address as variables: every user can see arguments of programs, and these take precedence."""
    url = urlsplit(address)
    account, _, hosts = url.netloc.rpartition("@")
    user, _, password = account.partition(":")
    # each of several servers may have its own port
    places = [_PLACE.fullmatch(place) for place in hosts.split(",")]
    found = {
        "PGHOST": ",".join(place[1].strip("[]") for place in places if place),
        "PGPORT": ",".join(place[2] or "5432" for place in places if place),
        "PGUSER": user,
        "PGPASSWORD": password,
        "PGDATABASE": url.path.removeprefix("/"),
    }
    said = {f"PG{name.upper().replace('_', '')}": value for name, value in parse_qsl(url.query)}
    return {name: unquote(value) for name, value in found.items() if value} | said


def _load(settings: StackSettings, arguments: list[str]) -> None:
    folder, state = _find_running(settings)
    environment = dict(os.environ)
    if "postgresql" in state.ports:
        # not as an argument: every user of the machine can see those of all programs
        environment["DAMS_DATABASE_LOADER_URL"] = stack.loader_url(folder, state)
    os.execve(sys.executable, [sys.executable, "-m", "deploy.loader", *arguments], environment)  # noqa: S606 - no shell


def _schema(settings: StackSettings, arguments: list[str]) -> None:
    folder, state = _find_running(settings)
    environment = dict(os.environ)
    if "postgresql" in state.ports:
        environment["DAMS_DATABASE_OWNER_URL"] = stack.owner_url(folder, state)
    os.execve(sys.executable, [sys.executable, "-m", "deploy.database", *arguments], environment)  # noqa: S606 - no shell


def _run(settings: StackSettings, module: str, arguments: list[str]) -> None:
    folder, state = _find_running(settings)
    supervisor = Supervisor(folder, state.ports["supervisor"])
    # read from the running processes, not recomputed: `make up` may have had other settings
    environment = os.environ | supervisor.environment(module.removeprefix("services.").partition(".")[0])
    if state.user:
        become(state.user)
    os.execve(sys.executable, [sys.executable, "-m", module, *arguments], environment)  # noqa: S606 - no shell is wanted


def _logs(settings: StackSettings) -> None:
    files = sorted(str(file) for file in StateFolder(settings.state_dir).log.glob("*.log"))
    if not files:
        raise StackError(f"there are no logs in {settings.state_dir}")
    os.execvp("tail", ["tail", "-n", "10", "-F", *files])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    sys.exit(main())
