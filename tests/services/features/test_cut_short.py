"""A large page that ends early looks incomplete to every client, with every protocol version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from tests.services.in_process import Services, services

pytestmark = pytest.mark.faults

_VIEWS = """
    CREATE SCHEMA cut;
    -- not volatile, and json, which cannot be ordered: it is only computed for rows that are sent
    CREATE FUNCTION end_session() RETURNS json LANGUAGE sql STABLE COST 1000000
        AS 'SELECT to_json(pg_terminate_backend(pg_backend_pid()))';
    CREATE VIEW cut.whole AS SELECT i, repeat('x', 50) AS word FROM generate_series(1, 3000) i;
    CREATE VIEW cut.short AS SELECT i, CASE WHEN i = 2500 THEN end_session() END AS word
        FROM generate_series(1, 3000) i;
    CREATE VIEW cut.huge AS SELECT i, repeat('x', 100000) AS word FROM generate_series(1, 3000) i;
"""
FORMATS = ("csv", "ndjson", "json", "geojsonseq", "geojson")


@pytest.fixture(scope="module")
async def cut(make_database: object) -> AsyncIterator[Services]:
    url = await make_database()  # type: ignore[operator]
    owner = await asyncpg.connect(url)
    await apply_schema(owner)
    await owner.execute(_VIEWS)
    await owner.close()
    environment = {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "cut", "DAMS_FEATURES_KEPT_BYTES": "0"}
    # the largest number of bytes in memory takes a busy machine some seconds
    environment["DAMS_REQUEST_TIMEOUT_SECONDS"] = "60"
    async with services() as started:
        for name in ("common", "features"):
            await started.start(name, environment)
        yield started


async def raw(cut: Services, collection: str, format_: str, head: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and all that follows until the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", cut.servers["features"].port)
    path = f"/collections/cut.{collection}/items?limit=3000&f={format_}"
    writer.write(f"GET {path} {head}\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    first, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = first.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    return int(status.split()[1]), headers, body


OLD = ("HTTP/1.0\r\nHost: a", "HTTP/1.1\r\nHost: a\r\nX-Client-Protocol: HTTP/1.0")


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("head", OLD)
async def test_http_1_0_gets_a_length(cut: Services, format_: str, head: str) -> None:
    status, headers, body = await raw(cut, "whole", format_, head)
    assert (status, headers["content-length"]) == (200, str(len(body)))
    assert "transfer-encoding" not in headers
    _, chunked, streamed = await raw(cut, "whole", format_, "HTTP/1.1\r\nHost: a")
    assert chunked["transfer-encoding"] == "chunked"
    assert streamed.endswith(b"\r\n0\r\n\r\n")


@pytest.mark.parametrize("format_", FORMATS)
async def test_a_page_that_is_cut_never_looks_whole(cut: Services, format_: str) -> None:
    for head in OLD:
        status, _, body = await raw(cut, "short", format_, head)
        assert status == 503, body[-200:]
    status, headers, body = await raw(cut, "short", format_, "HTTP/1.1\r\nHost: a")
    assert (status, headers["transfer-encoding"]) == (200, "chunked")
    assert not body.endswith(b"0\r\n\r\n")
    assert b"HTTP/1.1" not in body


async def test_what_is_too_large_for_http_1_0_is_refused(cut: Services) -> None:
    status, _, body = await raw(cut, "huge", "csv", "HTTP/1.0\r\nHost: a")
    assert status == 422
    assert b'"limit"' in body
    assert b"HTTP/1.1" in body
