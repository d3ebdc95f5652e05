"""Start and stop a stack. Every step can be repeated: existing parts stay, missing ones are created."""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from deploy.local import postgresql, processes, programs, sockets, users
from deploy.local.database import content_version, fill_database
from deploy.local.heartbeat import beating
from deploy.local.ports import choose_ports, require_free
from deploy.local.programs import Program
from deploy.local.readiness import accepts_connections, answers_ok, wait_for, wait_for_document
from deploy.local.replicas import make_replica
from deploy.local.settings import REPOSITORY, StackError, StackSettings
from deploy.local.state import StackState, StateFolder
from deploy.local.supervision import Supervisor, configuration_text

CODE = ("libs", "services", "gateway", "deploy/impact", "deploy/loader")


@dataclass(frozen=True)
class Plan:
    """Everything that a start needs, computed from settings and remembered state."""

    servers: list[Program]
    replicas: list[Program]
    services: list[Program]
    spares: list[Program]
    gateway: Program
    workers: list[Program]
    environment: dict[str, str]
    configuration: str

    @property
    def settings_version(self) -> str:
        """Changes if a running stack would have to be stopped and started to match this plan."""
        parts = [self.configuration, *(f"{name}={value}" for name, value in sorted(self.environment.items()))]
        parts += [f"{name}={os.environ.get(name, '')}" for name in programs.PASSED_ON]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()

    @property
    def version(self) -> str:
        """Changes if the processes of a running stack would have to be restarted to match this plan."""
        parts = [self.settings_version, *(content_version(REPOSITORY / folder) for folder in CODE)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def make_plan(settings: StackSettings, folder: StateFolder, state: StackState) -> Plan:
    """Return the programs of a stack with given ports, cluster and sockets."""
    cluster = None if settings.database_url else Path(state.cluster or "")
    within = _sockets(state)
    servers = programs.server_programs(settings, folder, cluster, state.ports, within, user=state.user)
    replicas = programs.replica_programs(settings, cluster, state.ports, within)
    processes = programs.service_programs(settings, state.ports, within, state.user)
    services = [program for program in processes if not program.name.endswith(programs.SPARE)]
    spares = [program for program in processes if program not in services]
    gateway = programs.gateway_program(settings, folder, state.ports, within, state.user)
    workers = programs.worker_programs(settings, folder, state.user)
    database_url = settings.database_url or reader_url(folder, state)
    if replicas and os.environ.get("DAMS_DATABASE_READ_URLS"):
        raise StackError("DAMS_REPLICAS and DAMS_DATABASE_READ_URLS both name what is read; one of them has to go")
    read_urls = [reader_url(folder, state, replica.name) for replica in replicas]
    environment = programs.shared_environment(settings, folder, state.ports, within, database_url, read_urls=read_urls)
    all_programs = [*servers, *replicas, *services, *spares, gateway, *workers]
    text = configuration_text(all_programs, folder, state.ports["supervisor"])
    return Plan(servers, replicas, services, spares, gateway, workers, environment, text)


def owner_url(folder: StateFolder, state: StackState, database: str = postgresql.DATABASE) -> str:
    """Return the address of the private cluster for the role that owns everything in it."""
    return postgresql.owner_url(state.ports["postgresql"], folder.secret("owner-password"), database)


def loader_url(folder: StateFolder, state: StackState) -> str:
    """Return the address of the private cluster for the role that loads data."""
    return postgresql.loader_url(state.ports["postgresql"], folder.secret("loader-password"))


def reader_url(folder: StateFolder, state: StackState, server: str = "postgresql") -> str:
    """Return the address of the private cluster, or of its replica `server`, for the role of the services."""
    return postgresql.reader_url(state.ports[server], folder.secret("reader-password"), _sockets(state))


def redis_url(folder: StateFolder, state: StackState) -> str:
    """Return the address of the stack's own Redis."""
    return programs.redis_url(folder, state.ports, _sockets(state))


def _sockets(state: StackState) -> Path | None:
    return Path(state.sockets) if state.sockets else None


def up(
    settings: StackSettings, *, servers_only: bool = False, before_services: Callable[[], None] | None = None
) -> None:
    """Start the stack, or only PostgreSQL and Redis, and wait until it answers.

    `before_services` is called once the database is filled. Raises StackError if a program does not start; the programs
    that this call started are stopped again.
    """
    folder = StateFolder(settings.state_dir)
    with folder.lock():
        state = folder.load()
        supervisor = _running_supervisor(settings, folder, state)
        was_running = supervisor is not None
        if supervisor is None:
            supervisor = _start_supervisor(settings, folder, state, servers_only=servers_only)
        try:
            _start_servers(settings, folder, state, supervisor)
            if not servers_only:
                _start_services(settings, folder, state, supervisor, before_services)
        except BaseException:
            if not was_running:
                supervisor.shut_down()
            raise


def down(settings: StackSettings, *, purge: bool = False) -> bool:
    """Stop the stack; with `purge` also delete its data. Returns whether there was anything to stop."""
    folder = StateFolder(settings.state_dir)
    if not folder.path.exists():
        return False
    with folder.lock():
        state = folder.load()
        supervisor = Supervisor(folder, state.ports.get("supervisor", 0))
        was_running = supervisor.answers()
        if was_running:
            supervisor.shut_down()
        cluster = Path(state.cluster) if state.cluster else None
        orphans = processes.find_orphans(folder.path, cluster)
        processes.stop(orphans)
        if state.sockets:
            sockets.remove_folder(Path(state.sockets))
        if purge:
            _purge(folder, cluster)
    return was_running or bool(orphans)


def _running_supervisor(settings: StackSettings, folder: StateFolder, state: StackState) -> Supervisor | None:
    supervisor = Supervisor(folder, state.ports.get("supervisor", 0))
    if not supervisor.answers():
        return None
    same_ports = set(programs.port_names(settings)) == set(state.ports)
    same_sockets = state.sockets is None or sockets.is_ours(Path(state.sockets))
    if same_ports and same_sockets and make_plan(settings, folder, state).version == state.configuration:
        return supervisor
    _say("Settings or code have changed: restarting")
    supervisor.shut_down()
    return None


def _start_supervisor(
    settings: StackSettings, folder: StateFolder, state: StackState, *, servers_only: bool
) -> Supervisor:
    cluster = Path(state.cluster) if state.cluster else None
    if settings.database_url is None and cluster is None:
        cluster = _choose_cluster(folder, state)
    processes.stop(processes.find_orphans(folder.path, cluster))
    if not servers_only:
        require_free(settings.gateway_port)
    if cluster is not None and settings.database_url is None:
        if not (cluster / "PG_VERSION").exists():
            _say("Creating a PostgreSQL cluster")
            state.loaded = None
            with beating():
                postgresql.make_cluster(cluster, folder.secret("owner-password"))
        postgresql.remove_stale_lock(cluster)
    state.user = _choose_user(folder)
    state.sockets = _make_sockets(settings, folder, state)
    state.ports = choose_ports(programs.port_names(settings), state.ports, folder.path, avoid=settings.gateway_port)
    plan = make_plan(settings, folder, state)
    state.configuration, state.settings = plan.version, plan.settings_version
    folder.save(state)
    supervisor = Supervisor(folder, state.ports["supervisor"])
    supervisor.start(plan.configuration, plan.environment)
    return supervisor


def _choose_user(folder: StateFolder) -> str | None:
    """Return the user for the programs that write folders here, except PostgreSQL; nothing of this stack runs."""
    for name in users.FOLDERS:
        folder.folder(name)
    try:
        user = users.choose_user(folder.path)
    except StackError as error:
        _say(f"Services, gateway and Redis run as root: {error}")
        user = None
    for name in users.FOLDERS:
        users.hand_over(folder.folder(name), user)
    return user


def _make_sockets(settings: StackSettings, folder: StateFolder, state: StackState) -> str | None:
    """Return a new folder of sockets, since nothing of this stack runs; None if it cannot be created."""
    if state.sockets:
        sockets.remove_folder(Path(state.sockets))
    try:
        made = sockets.make_folder(folder.path)
        try:
            if settings.database_url is None:
                postgresql.make_socket_folder(made, state.user)
            sockets.make_services_folder(made, state.user)
        except (OSError, StackError):
            sockets.remove_folder(made)
            raise
    except (OSError, StackError) as error:
        _say(f"No Unix sockets, only TCP: {error}")
        return None
    return str(made)


def _choose_cluster(folder: StateFolder, state: StackState) -> Path:
    cluster = postgresql.choose_cluster(folder)
    # Left from a DAMS_STATE_DIR that was deleted by hand; its passwords are lost.
    processes.stop(processes.find_orphans(folder.path, cluster))
    shutil.rmtree(cluster, ignore_errors=True)
    state.cluster = str(cluster)
    folder.save(state)
    return cluster


def _start_servers(settings: StackSettings, folder: StateFolder, state: StackState, supervisor: Supervisor) -> None:
    plan = make_plan(settings, folder, state)
    for program in plan.servers:
        supervisor.start_program(program.name)
    for program in plan.servers:
        _wait(program, supervisor, _server_check(program, folder, state))
    _start_replicas(plan.replicas, folder, state, supervisor)


def _start_services(
    settings: StackSettings,
    folder: StateFolder,
    state: StackState,
    supervisor: Supervisor,
    before_services: Callable[[], None] | None,
) -> None:
    plan = make_plan(settings, folder, state)
    if settings.database_url is None:
        fill_database(folder, state, demo_data=settings.demo_data)
    if before_services is not None:
        before_services()
    if supervisor.states()["gateway"]["statename"] != "RUNNING":
        require_free(settings.gateway_port)
    for program in [*plan.services, plan.gateway]:
        supervisor.start_program(program.name)
    for program in [*plan.services, plan.gateway]:
        _wait(program, supervisor, partial(answers_ok, program))
    # after the services are ready: impacts of demo data take half a minute
    for program in plan.workers:
        supervisor.start_program(program.name)
    with beating():
        published = wait_for_document(state.ports["gateway_internal"], settings.gateway_port)
    if not published:
        log = folder.log / "gateway.log"
        _say(f"warning: the gateway does not publish the API description of all services; {log} says why")


def _start_replicas(replicas: list[Program], folder: StateFolder, state: StackState, supervisor: Supervisor) -> None:
    states = supervisor.states()
    for program in replicas:
        if states[program.name]["statename"] == "RUNNING":
            continue
        with beating():
            make_replica(Path(state.cluster or ""), program.name, state.ports, folder.secret("owner-password"))
        supervisor.start_program(program.name)
        url = postgresql.owner_url(program.port, folder.secret("owner-password"), "postgres")
        _wait(program, supervisor, partial(_takes_connections, url))


def _server_check(program: Program, folder: StateFolder, state: StackState) -> Callable[[], bool]:
    if program.name == "postgresql":
        return partial(_takes_connections, owner_url(folder, state, "postgres"))
    return lambda: accepts_connections(program)


def _takes_connections(url: str) -> bool:
    return asyncio.run(postgresql.is_ready(url))


def _wait(program: Program, supervisor: Supervisor, is_ready: Callable[[], bool]) -> None:
    begun = time.monotonic()
    with beating():
        wait_for(program, supervisor, is_ready)
    _say(f"{program.name:<12} ready on port {program.port} ({time.monotonic() - begun:.1f} s)")


def _purge(folder: StateFolder, cluster: Path | None) -> None:
    if cluster is not None:
        shutil.rmtree(cluster.parent, ignore_errors=True)
    # By name, not DAMS_STATE_DIR as a whole: it may contain other files.
    for name in ("gateway", "log", "postgresql", "redis", "secrets", "services"):
        shutil.rmtree(folder.path / name, ignore_errors=True)
    for file in ("redis.conf", "supervisord.conf", "supervisord.pid", "settings.json", "stack.json", "lock"):
        (folder.path / file).unlink(missing_ok=True)
    # another `down` may have deleted it while this one waited for its turn
    if folder.path.exists() and not any(folder.path.iterdir()):
        folder.path.rmdir()


def _say(line: str) -> None:
    print(line, flush=True)
