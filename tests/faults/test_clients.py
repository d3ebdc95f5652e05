"""Clients that leave before their answer, and clients that hardly read it."""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import asyncpg
import pytest

from services.features import sending
from tests.eventually import eventually
from tests.faults.places import ITEMS, good, make_places, on_places
from tests.services.in_process import Client

pytestmark = pytest.mark.faults

LARGE = f"{ITEMS}?f=csv&limit=10000"


async def make_many_towns(url: str) -> None:
    """Nine megabytes of towns, and a view of one that takes half a second to read."""
    owner = await asyncpg.connect(url)
    await owner.execute(
        "INSERT INTO places.towns SELECT n, repeat('x', 900), ST_Point(1, 1, 4326) FROM generate_series(2, 9000) n;"
        "CREATE FUNCTION places.wait(integer) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS"
        " 'BEGIN PERFORM pg_sleep(0.5); RETURN $1; END';"
        "CREATE VIEW places.slow AS SELECT places.wait(id) AS id, geom FROM places.rivers;"
        "GRANT SELECT ON places.slow TO dams_reader"
    )
    await owner.close()


async def asked(client: Client, path: str, *, buffer: int = 4096) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Open a connection and send a request without reading the answer; the kernel buffers little of it."""
    address = urlsplit(client.base)
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.setblocking(False)
    await asyncio.get_running_loop().sock_connect(connection, (address.hostname, address.port))
    reader, writer = await asyncio.open_connection(sock=connection, limit=1024)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return reader, writer


async def failures(client: Client) -> list[str]:
    """The lines of the metrics that count answers of 500 and more, and broken ones."""
    lines = (await good(client, "/internal/metrics")).body.decode().splitlines()
    counted = [line for line in lines if not line.startswith("#") and not line.endswith(" 0.0")]
    return [line for line in counted if 'status="5' in line or line.startswith("dams_broken_answers_total")]


async def nothing_under_way(owner: asyncpg.Connection) -> bool:
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name LIKE 'dams-%'"
    return bool(await owner.fetchval(f"{running} AND pid <> pg_backend_pid()") == 0)


async def test_clients_that_leave_are_no_failures(database_url: str, caplog: pytest.LogCaptureFixture) -> None:
    await make_places(database_url)
    await make_many_towns(database_url)
    owner = await asyncpg.connect(database_url)
    async with on_places(database_url, "features", "tiles") as started:
        features, tiles = started["features"], started["tiles"]
        await eventually(lambda: good(features, "/collections/places.slow/queryables"))
        await eventually(lambda: good(tiles, "/collections/places.slow/tiles"))
        before = await failures(features)
        caplog.clear()
        leaving = [await asked(features, f"/collections/places.slow/items?limit={n}") for n in range(1, 9)]
        leaving += [
            await asked(tiles, f"/collections/places.slow/tiles/WebMercatorQuad/0/0/0?limit={n}") for n in range(1, 9)
        ]
        streams = [await asked(features, LARGE) for _ in range(8)]
        for reader, _ in streams:
            assert b"200" in await reader.readline()
        await asyncio.sleep(0.2)
        for number, (_, writer) in enumerate([*leaving, *streams]):
            if number % 2:
                writer.transport.abort()
            else:
                writer.close()
        await eventually(lambda: nothing_under_way(owner))
        assert len((await good(features, LARGE)).body.splitlines()) == 9001
        assert await failures(features) == before
        assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []
    await owner.close()


@pytest.mark.parametrize("protocol", ["HTTP/1.1", "HTTP/1.0"])
async def test_a_large_page_is_not_held_for_a_client_that_hardly_reads(
    database_url: str, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    await make_places(database_url)
    await make_many_towns(database_url)
    monkeypatch.setattr(sending, "PIECE_SECONDS", 0.5)
    async with on_places(database_url, "features") as started:
        client = started["features"]
        # a gateway speaks for its client
        reader, writer = await asked(client, f"{LARGE} HTTP/1.1\r\nX-Client-Protocol: {protocol}\r\nX-Rest:")
        read = await reader.readline()
        assert read == b"HTTP/1.1 200 OK\r\n"
        # the client gets only the bytes that the kernel holds
        await asyncio.sleep(2)
        async with asyncio.timeout(20):
            with suppress(ConnectionResetError):
                while some := await reader.read(100_000):
                    read += some
        # far from the nine megabytes that were promised
        assert len(read) < 8_000_000
        assert not read.endswith(b"0\r\n\r\n")
        writer.close()
        # one that reads is served
        assert len((await good(client, LARGE)).body.splitlines()) == 9001
