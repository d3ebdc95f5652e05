"""Links to Redis: a connection to one server, to the master that Sentinels name, or the connections of a cluster.

A link has no timeouts and no retries: its caller sets the limits.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from itertools import chain, islice
from typing import Any, Protocol
from urllib.parse import unquote

import hiredis
from redis.asyncio import Connection, ConnectionPool, Redis
from redis.asyncio.cluster import ClusterNode, RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as BrokenConnection
from redis.exceptions import ResponseError

Command = tuple[bytes | str | int, ...]

_SCHEME = re.compile(r"(?P<server>redis|rediss|unix)|(?P<tls>redis|rediss)\+(?P<kind>sentinel|cluster)")
_PORTS = {"sentinel": 26379, "cluster": 6379}
_SENTINEL_SECONDS = 0.2
"""Timeout in seconds of one Sentinel; then the next is tried."""


class Link(Protocol):
    """Sends commands to Redis."""

    async def connect(self) -> None:
        """Connect and wait for a reply. Raises any error that occurs."""

    async def exchange(self, commands: Sequence[Command]) -> list[Any]:
        """Return replies in the order of the commands, a ResponseError for each rejected one.

        Raises any error that occurs.
        """

    async def close(self) -> None:
        """Drop the connection without notice to Redis; `connect` starts again."""


def link_to(url: str) -> Link:
    """Return the link for an address. Raises ValueError unless it has one of these forms:

    `redis://:password@host:6379/0`, `rediss://…` with TLS, `unix://:password@/path?db=0`;
    `redis+sentinel://:password@host:26379,host:26379/master/0` finds the master through Sentinels;
    `redis+cluster://:password@host:6379,host:6379` is a cluster, given by some of its nodes.
    """
    found = _SCHEME.fullmatch(url.partition("://")[0])
    if found is None:
        raise ValueError("begins with none of redis://, rediss://, unix://, redis+sentinel://, redis+cluster://")
    if found["server"]:
        return _Server(ConnectionPool.from_url(url, **_OF_CONNECTIONS))
    # urlsplit rejects an IPv6 address after another host
    place, _, path = re.split(r"[?#]", url.partition("://")[2])[0].partition("/")
    hosts = _hosts(place, _PORTS[found["kind"]])
    options: dict[str, Any] = {**_OF_CONNECTIONS, **_credentials(place), "ssl": found["tls"] == "rediss"}
    return _sentinel(path, hosts, options) if found["kind"] == "sentinel" else _Cluster(hosts, options)


def redis_address(text: str) -> str:
    """Return the address if `link_to` knows its form. Raises ValueError otherwise."""
    link_to(text)
    return text


_OF_CONNECTIONS: dict[str, Any] = {
    "protocol": 2,
    # the limit applies to a whole round trip, not to each of its steps
    "socket_timeout": None,
    "socket_connect_timeout": None,
    "retry": Retry(NoBackoff(), 0),
    "health_check_interval": 0,
}


def _hosts(place: str, port: int) -> list[tuple[str, int]]:
    found = []
    for host in place.rpartition("@")[2].split(","):
        named = re.fullmatch(r"(?P<host>\[[0-9a-fA-F:.]+\]|[^\s:\[\]]+)(:(?P<port>\d{1,5}))?", host)
        if named is None:
            raise ValueError(f"names {host!r}, which is not like host:{port}")
        found.append((named["host"].strip("[]"), int(named["port"] or port)))
    return found


def _credentials(place: str) -> dict[str, str]:
    user, _, password = place.rpartition("@")[0].partition(":")
    return {name: unquote(text) for name, text in (("username", user), ("password", password)) if text}


def _sentinel(path: str, hosts: list[tuple[str, int]], options: dict[str, Any]) -> Link:
    named = re.fullmatch(r"(?P<master>[^/]+)(/(?P<db>\d+))?", path)
    if named is None:
        raise ValueError("names no master: redis+sentinel://host:26379/master/0")
    asking = {"socket_timeout": _SENTINEL_SECONDS, "socket_connect_timeout": _SENTINEL_SECONDS}
    sentinel = Sentinel(hosts, sentinel_kwargs={**_OF_CONNECTIONS, **asking})  # type: ignore[no-untyped-call]
    options |= {"db": int(named["db"] or 0)}
    pool = SentinelConnectionPool(unquote(named["master"]), sentinel, **options)  # type: ignore[no-untyped-call]
    return _Server(pool, sentinel.sentinels)


class _Server:
    """One connection: to a server, or to the one that a pool of Sentinels finds when it connects."""

    def __init__(self, pool: ConnectionPool, sentinels: Sequence[Redis] = ()) -> None:
        self._pool = pool
        self._sentinels = sentinels
        self._connection: Connection | None = None

    async def connect(self) -> None:
        await _round_trip(await self._open(), [("PING",)])

    async def exchange(self, commands: Sequence[Command]) -> list[Any]:
        if self._connection is not None:
            # the server may have closed the connection: repeat what it did not answer
            try:
                return await _round_trip(self._connection, commands)
            except BrokenConnection:
                await self.close()
        return await _round_trip(await self._open(), commands)

    async def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                await connection.disconnect(nowait=True)
        for sentinel in self._sentinels:
            await sentinel.aclose()

    async def _open(self) -> Connection:
        connection: Connection = self._pool.make_connection()  # type: ignore[no-untyped-call]
        self._connection = connection
        await connection.connect()  # type: ignore[no-untyped-call]
        return connection


async def _round_trip(connection: Connection, commands: Sequence[Command]) -> list[Any]:
    packed = b"".join([hiredis.pack_command(command) for command in commands])  # type: ignore[arg-type]
    await connection.send_packed_command(packed, check_health=False)
    replies: list[Any] = []
    for _ in commands:
        try:
            replies.append(await connection.read_response(disable_decoding=True))
        except ResponseError as error:
            replies.append(error)
    return replies


class _Cluster:
    """The connections of a cluster: a command of several keys is sent as one command per key."""

    def __init__(self, hosts: Sequence[tuple[str, int]], options: dict[str, Any]) -> None:
        self._hosts = hosts
        self._options = options
        self._client: RedisCluster | None = None

    async def connect(self) -> None:
        await self.close()
        nodes = [ClusterNode(host, port) for host, port in self._hosts]
        self._client = client = RedisCluster(startup_nodes=nodes, **self._options)
        await client.initialize()
        # every node must answer: without one, requests for its tiles would each wait until the timeout
        for node in client.get_primaries():
            await node.execute_command("PING")

    async def exchange(self, commands: Sequence[Command]) -> list[Any]:
        client = self._client
        if client is None:
            raise BrokenConnection("there is no connection")
        pipeline = client.pipeline()
        parts = [_parts_of(command) for command in commands]
        for part in chain.from_iterable(parts):
            pipeline.execute_command(*part)
        replies = iter(await pipeline.execute(raise_on_error=False))
        return [
            await _scan(client, command)
            if command[0] == "SCAN"
            else _join_replies(command[0], list(islice(replies, len(own))))
            for command, own in zip(commands, parts, strict=True)
        ]

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with contextlib.suppress(Exception):
                await client.aclose()
            # after losing a node, the client closes nothing until it has read the list of nodes again
            for node in client.get_nodes():
                with contextlib.suppress(Exception):
                    await node.disconnect()


async def _scan(client: RedisCluster, command: Command) -> tuple[bytes, list[bytes]]:
    """Scan one node after another; the cursor has the node and its own cursor."""
    _, cursor, *arguments = command
    nodes = sorted(client.get_primaries(), key=lambda node: node.name)
    number, _, inner = (cursor.decode() if isinstance(cursor, bytes) else str(cursor)).partition(":")
    at = int(number)
    after, names = await nodes[at].execute_command("SCAN", inner or "0", *arguments)
    if int(after):
        return b"%d:%d" % (at, int(after)), names
    return (b"%d:0" % (at + 1) if at + 1 < len(nodes) else b"0"), names


def _parts_of(command: Command) -> list[Command]:
    """Return the command split into commands of one key each; empty for commands to the nodes themselves."""
    name, *arguments = command
    if name == "SCAN":
        return []
    return [(name if name != "MGET" else "GET", key) for key in arguments] if name in ("MGET", "UNLINK") else [command]


def _join_replies(name: bytes | str | int, replies: list[Any]) -> Any:
    for reply in replies:
        if isinstance(reply, Exception):
            if isinstance(reply, ResponseError) and name not in ("MGET", "UNLINK"):
                return reply
            raise reply
    if name == "UNLINK":
        return sum(replies)
    return replies if name == "MGET" else replies[0]
