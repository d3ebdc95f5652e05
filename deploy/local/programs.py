"""The programs of a stack: their commands, their ports, and the checks that they are ready."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.ports import needs_root
from deploy.local.postgresql import server_command, server_user
from deploy.local.replicas import replica_folder, replica_names
from deploy.local.settings import REPOSITORY, StackError, StackSettings
from deploy.local.sockets import services_folder
from deploy.local.state import StateFolder, write_private
from deploy.local.users import command_as

PASSED_ON = (
    "DAMS_BASEMAP_ATTRIBUTION",
    "DAMS_BASEMAP_MAX_ZOOM",
    "DAMS_BASEMAP_TILES",
    "DAMS_CATALOGUE_REFRESH_SECONDS",
    "DAMS_CDN_MAX_AGE_SECONDS",
    "DAMS_COLLECTIONS_CONFIG",
    "DAMS_EMBED_ORIGINS",
    "DAMS_EXTENSION_COLLECTIONS",
    "DAMS_NONSPATIAL_COLLECTIONS",
    "DAMS_COLLECTION_SHARE_PERCENT",
    "DAMS_DATABASE_READ_URLS",
    "DAMS_GATEWAY_CODINGS",
    "DAMS_GATEWAY_HTTP3",
    "DAMS_GATEWAY_REQUESTS_PER_CLIENT",
    "DAMS_GATEWAY_REQUESTS_PER_SECOND",
    "DAMS_GATEWAY_TIMEOUT_SECONDS",
    "DAMS_GATEWAY_TLS_CERTIFICATE",
    "DAMS_GATEWAY_TLS_KEY",
    "DAMS_GATEWAY_TLS_PORT",
    "DAMS_TRUSTED_PROXIES",
    "DAMS_INVALID_PARAMETER_STATUS",
    "DAMS_LOADER_ADDRESSES",
    "DAMS_LOADER_CONTACT",
    "DAMS_LOADER_EWDS_TOKEN",
    "DAMS_LOG_FORMAT",
    "DAMS_LOG_LEVEL",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_TRACES_SAMPLER_ARG",
    "DAMS_POOL_SIZE",
    "DAMS_FEATURES_KEPT_BYTES",
    "DAMS_EXPORTS_AT_ONCE",
    "DAMS_EXPORT_MAX_BYTES",
    "DAMS_EXPORT_SECONDS",
    "DAMS_EXPORT_KEPT_BYTES",
    "DAMS_EXPORT_KEPT_SECONDS",
    "DAMS_CHANGE_LISTENERS",
    "DAMS_CAP_STATUS",
    "DAMS_CAP_SENDER",
    "DAMS_PUBLIC_URL",
    "DAMS_PURGE_HEADER",
    "DAMS_PURGE_METHOD",
    "DAMS_PURGE_URL",
    "DAMS_REDIS_TIMEOUT_SECONDS",
    "DAMS_SITE_DESCRIPTION",
    "DAMS_SITE_TITLE",
    "DAMS_REQUEST_TIMEOUT_SECONDS",
    "DAMS_TILE_MAX_FEATURES",
    "DAMS_TILE_QUEUE",
    "DAMS_TILE_TIMEOUT_SECONDS",
    "DAMS_TILE_WARM_UP",
    "DAMS_TILE_CACHE_FILTERED_BYTES",
    "DAMS_TILE_MAX_BYTES",
    "DAMS_TRUSTED_GATEWAYS",
)
"""Settings of services and gateway that are passed on from the environment of `make up`; the stack sets the others."""

SERVICES = ("common", "features", "tiles", "viewer")

LOADER = "loader"
"""Name of the program that watches live sources."""

SPARE = "_spare"
"""Ending of the names of spare processes, which rarely run."""


@dataclass(frozen=True)
class Program:
    """One supervised program.

    `health` is the path that answers 200 when it is ready; None for servers without HTTP. `socket` is the Unix socket
    for other programs, if there is one.
    """

    name: str
    command: tuple[str, ...]
    port: int
    environment: Mapping[str, str] = field(default_factory=dict)
    health: str | None = None
    socket: Path | None = None
    user: str | None = None
    stop_signal: str = "TERM"


def port_names(settings: StackSettings) -> list[str]:
    """Return the names of all ports to choose."""
    servers = [] if settings.database_url else ["postgresql"]
    servers += [] if settings.redis_url else ["redis"]
    servers += replica_names(settings)
    return ["supervisor", *servers, *service_names(settings), *spare_names(settings), "gateway_internal"]


def service_names(settings: StackSettings) -> list[str]:
    """Return the services' processes: `features_0`, `features_1`, … and `tiles_0`, … in the wanted numbers."""
    features = [f"features_{number}" for number in range(settings.features_processes)]
    tiles = [f"tiles_{number}" for number in range(settings.tiles_processes)]
    return ["common", *features, *tiles, "viewer"]


def spare_names(settings: StackSettings) -> list[str]:
    """Return a second process of each single-process service: it runs only while the first one is restarted."""
    services = [service_of(name) for name in service_names(settings)]
    return [f"{service}{SPARE}" for service in SERVICES if services.count(service) == 1]


def service_of(name: str) -> str:
    """Return the service of a process."""
    return name.partition("_")[0]


def server_programs(
    settings: StackSettings,
    folder: StateFolder,
    cluster: Path | None,
    ports: Mapping[str, int],
    sockets: Path | None,
    *,
    user: str | None,
) -> list[Program]:
    """Return PostgreSQL and Redis, unless the settings name existing ones."""
    programs = []
    if cluster is not None:
        programs.append(_postgresql("postgresql", cluster, ports, sockets))
    if settings.redis_url is None:
        command = command_as(user, redis_command(folder, ports["redis"], sockets, user))
        programs.append(Program("redis", command, ports["redis"]))
    return programs


def replica_programs(
    settings: StackSettings, cluster: Path | None, ports: Mapping[str, int], sockets: Path | None
) -> list[Program]:
    """Return streaming replicas of the stack's own PostgreSQL, to be started when it runs."""
    if cluster is None:
        return []
    return [_postgresql(name, replica_folder(cluster, name), ports, sockets) for name in replica_names(settings)]


def _postgresql(name: str, cluster: Path, ports: Mapping[str, int], sockets: Path | None) -> Program:
    command = tuple(server_command(cluster, ports[name], sockets))
    # fast shutdown: does not wait for clients
    return Program(name, command, ports[name], user=server_user(), stop_signal="INT")


def redis_command(folder: StateFolder, port: int, sockets: Path | None, user: str | None) -> tuple[str, ...]:
    """Return Redis as a cache: nothing on disk, limited memory, the least used entries are evicted first."""
    redis = shutil.which("redis-server")
    if redis is None:
        raise StackError("Redis is not installed; `make up` installs it")
    lines = [
        "bind 127.0.0.1",
        f"port {port}",
        f"requirepass {folder.secret('redis-password')}",
        "daemonize no",
        'save ""',
        "appendonly no",
        "maxmemory 256mb",
        "maxmemory-policy allkeys-lru",
        f'dir "{folder.folder("redis")}"',
        *([f"unixsocket {redis_socket(sockets)}", "unixsocketperm 600"] if sockets else []),
    ]
    configuration = folder.path / "redis.conf"
    write_private(configuration, "\n".join(lines) + "\n")
    if user:
        shutil.chown(configuration, user)
    # Shown in the process list, which identifies a Redis that outlived its supervisor.
    title = "{title} {listen-addr} {config-file}"
    return redis, str(configuration), "--proc-title-template", title


def redis_socket(sockets: Path) -> Path:
    return services_folder(sockets) / "redis"


def redis_url(folder: StateFolder, ports: Mapping[str, int], sockets: Path | None) -> str:
    """Return the address of the stack's own Redis, with its Unix socket if there is a folder of sockets."""
    password = folder.secret("redis-password")
    if sockets:
        return f"unix://:{password}@{redis_socket(sockets)}?db=0"
    return f"redis://:{password}@127.0.0.1:{ports['redis']}/0"


def service_programs(
    settings: StackSettings, ports: Mapping[str, int], sockets: Path | None, user: str | None
) -> list[Program]:
    """Return the four services, with the wanted number of features and tiles processes, and spare ones."""
    programs = []
    for name in [*service_names(settings), *spare_names(settings)]:
        module = "services." + service_of(name)
        socket = services_folder(sockets) / name if sockets else None
        programs.append(
            Program(
                name,
                command_as(user, (sys.executable, "-m", module)),
                ports[name],
                # set even if empty: the environment of `make up` may contain another one
                {"DAMS_HOST": "127.0.0.1", "DAMS_PORT": str(ports[name]), "DAMS_SOCKET": str(socket or "")},
                health="/internal/health",
                socket=socket,
            )
        )
    return programs


def worker_programs(settings: StackSettings, folder: StateFolder, user: str | None) -> list[Program]:
    """Programs that listen nowhere: the notifier, and those that write into the stack's own database.

    The latter are the worker of impacts and the watchers of live sources.
    """
    notifiers = []
    if settings.notifier_config is not None:
        known = str(folder.folder("services") / "notifier.sqlite")
        command = (sys.executable, "-m", "deploy.notifier", "watch", str(settings.notifier_config), "--state", known)
        notifiers.append(Program("notifier", command_as(user, command), port=0))
    if settings.database_url:
        return notifiers
    wanted = {"impacts": settings.impacts, LOADER: settings.live}
    modules = {"impacts": "impacts", LOADER: "live"}
    writers = [
        Program(name, (sys.executable, "-m", f"deploy.local.{modules[name]}", str(folder.path)), port=0)
        for name, is_wanted in wanted.items()
        if is_wanted
    ]
    return [*writers, *notifiers]


def gateway_program(
    settings: StackSettings, folder: StateFolder, ports: Mapping[str, int], sockets: Path | None, user: str | None
) -> Program:
    """Return the gateway: nginx and its configuration program."""
    environment = {
        "DAMS_GATEWAY_HOST": settings.gateway_host,
        "DAMS_GATEWAY_PORT": str(settings.gateway_port),
        "DAMS_GATEWAY_INTERNAL_PORT": str(ports["gateway_internal"]),
        "DAMS_GATEWAY_DIR": str(folder.folder("gateway")),
    }
    for service in SERVICES:
        addresses = [
            (f"unix:{services_folder(sockets) / name}" if sockets else f"127.0.0.1:{ports[name]}")
            + (" backup" if name.endswith(SPARE) else "")
            for name in [*service_names(settings), *spare_names(settings)]
            if service_of(name) == service
        ]
        environment[f"DAMS_{service.upper()}_UPSTREAM"] = ",".join(addresses)
    gateway = (sys.executable, "-m", "gateway")
    command = command_as(user, gateway, low_port=needs_root(settings.gateway_port))
    return Program("gateway", command, settings.gateway_port, environment, health="/api/")


def shared_environment(
    settings: StackSettings,
    folder: StateFolder,
    ports: Mapping[str, int],
    sockets: Path | None,
    database_url: str,
    *,
    read_urls: Sequence[str],
) -> dict[str, str]:
    """Return variables for all programs. Secrets are passed this way, not in the supervisor's file."""
    # our own files describe our own schema; for other data the operator names one
    described = {}
    if settings.database_url is None and not os.environ.get("DAMS_COLLECTIONS_CONFIG"):
        names = ["collections.yaml", *(["demo-collections.yaml"] if settings.demo_data else [])]
        # in double quotes, because a folder's name may contain a comma
        described["DAMS_COLLECTIONS_CONFIG"] = ",".join(f'"{REPOSITORY / "deploy" / name}"' for name in names)
    return {
        **described,
        "DAMS_DATABASE_URL": database_url,
        **({"DAMS_DATABASE_READ_URLS": ",".join(read_urls)} if read_urls else {}),
        "DAMS_REDIS_URL": settings.redis_url or redis_url(folder, ports, sockets),
        "DAMS_COLLECTION_SCHEMAS": settings.collection_schemas,
        "DAMS_CATALOGUE_URL": f"http://127.0.0.1:{ports['common']}",
        "DAMS_PARTS_URL": f"http://127.0.0.1:{ports['gateway_internal']}",
        "DAMS_STATE_DIR": str(folder.folder("services")),
    }
