"""A day of map use: a caching browser opens the same map every hour, and the data change once at noon.

Counts requests and bytes, not time: with versions in the addresses of tiles, and without.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from dataclasses import dataclass, field

import aiohttp
import asyncpg

from tools.benchmarks.data import LINES, POINTS, POLYGONS
from tools.benchmarks.load import Target
from tools.benchmarks.settings import BenchmarkError

_TABLES = (POINTS.id, POLYGONS.id, LINES.id)
_CHANGED = LINES.id
_VISITS = 24
_NOON = 12
_PLACES = [f"3/{x}/{y}" for x in range(2, 6) for y in range(2, 5)]
"""Tiles of zoom 3 that a screen shows."""


@dataclass(slots=True)
class Day:
    """A browser's requests, and the tables whose tiles it requested after noon."""

    requests: int = 0
    bytes: int = 0
    unchanged: int = 0
    """Number of 304 responses."""
    asked_after_noon: set[str] = field(default_factory=set)


async def map_day(product: Target, connection: asyncpg.Connection) -> tuple[Day, Day]:
    """Run with versions in the addresses, and without. Raises BenchmarkError if the change is not visible."""
    return await _day(product, connection, versions=True), await _day(product, connection, versions=False)


def line(title: str, day: Day) -> str:
    """Return one row for people."""
    return (
        f"{title:<31}{day.requests:>10,} requests, {day.unchanged:,} of them answered by 304,"
        f" {day.bytes / 1000:,.0f} kB; after noon tiles of {len(day.asked_after_noon)} of {len(_TABLES)} collections"
    )


async def _day(product: Target, connection: asyncpg.Connection, *, versions: bool) -> Day:
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        browser = _Browser(session, f"http://127.0.0.1:{product.port}{product.prefix}")
        for visit in range(_VISITS):
            if visit == _NOON:
                before = await browser.template(_CHANGED, counted=False)
                await connection.execute(f"UPDATE {_CHANGED} SET event_id = event_id WHERE id = 1")
                await _shows(browser, before)
            for table in _TABLES:
                template = await browser.template(table)
                address = template if versions else template.partition("?")[0]
                for place in _PLACES:
                    asked = await browser.see(address.replace("{z}/{x}/{y}", place))
                    if asked and visit >= _NOON:
                        browser.day.asked_after_noon.add(table)
            # by the next hour, this hour's tiles are known to be exact, and caches have revalidated
            await asyncio.sleep(4 if visit in (0, _NOON) else 0)
            browser.an_hour_passes()
    return browser.day


async def _shows(browser: _Browser, before: str) -> None:
    for _ in range(100):
        if await browser.template(_CHANGED, counted=False) != before:
            return
        await asyncio.sleep(0.1)
    raise BenchmarkError(f"a change of {_CHANGED} does not show within 10 s")


class _Browser:
    """A private cache (RFC 9111): it never revalidates immutable responses, others by ETag after an hour."""

    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session = session
        self._base = base
        self._lasting: set[str] = set()
        self._fresh: set[str] = set()
        self._tags: dict[str, str] = {}
        self._templates: dict[str, str] = {}
        self.day = Day()

    def an_hour_passes(self) -> None:
        """Expire responses that are cached for seconds."""
        self._fresh.clear()

    async def template(self, table: str, *, counted: bool = True) -> str:
        """Return the current address of the collection's tiles in TileJSON."""
        url = f"{self._base}/collections/{table}/tiles/WebMercatorQuad/tilejson.json"
        if not counted:
            async with self._session.get(url, headers={"Accept-Encoding": "identity"}) as response:
                return str((await response.json())["tiles"][0])
        body = await self._ask(url)
        if body:
            text = gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body
            self._templates[table] = str(json.loads(text)["tiles"][0])
        return self._templates[table]

    async def see(self, url: str) -> bool:
        """Return whether the tile was requested."""
        return url not in self._lasting and await self._ask(url) is not None

    async def _ask(self, url: str) -> bytes | None:
        """Return the body; empty if the browser's copy is current; None without a request."""
        if url in self._fresh:
            return None
        headers = {"Accept-Encoding": "gzip"} | ({"If-None-Match": self._tags[url]} if url in self._tags else {})
        async with self._session.get(url, headers=headers) as response:
            body = await response.read()
            if response.status not in (200, 304):
                raise BenchmarkError(f"{url} is answered by {response.status}")
            self.day.requests += 1
            self.day.bytes += len(body)
            self.day.unchanged += response.status == 304
            self._tags[url] = response.headers["ETag"]
            self._fresh.add(url)
            if "immutable" in response.headers["Cache-Control"]:
                self._lasting.add(url)
            return body
