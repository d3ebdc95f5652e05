"""Who listens to changes, and the one task that tells them all: Server-Sent Events (HTML, section 9.2)."""

import asyncio
import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import orjson
from aiohttp import web
from prometheus_client import Counter, Gauge

from libs.catalogue.model import Collection
from libs.concurrency.background import periodic
from libs.ogc.errors import Unavailable
from services.features.streaming.changed_items import ChangedItems
from services.features.streaming.cloud_events import cloud_event
from services.features.streaming.journal import Change, Journal

_TICKS_OF_A_BEAT = 15
"""Each listener hears something every so many ticks: proxies and clients take silence for the end."""
_KEPT_TICKS = 300
"""For which changes are noted after the last listener has gone: he may come back."""
_MOST_UNREAD = 32 * 1024
"""Bytes that wait for a listener in this process; who reads no faster than that is let go."""
_PIECE_BYTES = 16 * 1024
"""Of what is told at once: so much beside `_MOST_UNREAD` fits into what a connection holds, and no writer waits."""
_SLICE = 200
"""Listeners who are told at once, before others get a turn."""
_BEAT = b":\n\n"
_LISTENERS = Gauge("dams_change_listeners", "Listeners to changes")
_DROPPED = Counter("dams_change_listeners_dropped_total", "Listeners to changes that read too slowly")


@dataclass(slots=True, eq=False)
class Listener:
    """A response that goes on. `collection` is None for who listens to all."""

    response: web.StreamResponse
    transport: asyncio.Transport
    collection: str | None
    base: str
    ended: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def end(self) -> None:
        """Lets its handler go."""
        if not self.ended.done():
            self.ended.set_result(None)


class Hub:
    """Tells listeners what the journal says, a second after it is known at the latest."""

    def __init__(
        self,
        journal: Journal,
        collections: Callable[[], Mapping[str, Collection] | None],
        *,
        most: int,
        tick_seconds: float = 1.0,
        items: ChangedItems | None = None,
    ) -> None:
        """`most` is how many may listen in this process; they are told each `tick_seconds`, with the `items`."""
        self._items = items
        self._journal = journal
        self._collections = collections
        self._most = most
        self._tick_seconds = tick_seconds
        self._listeners: list[Listener] = []
        self._ticks = 0
        self._idle_ticks = _KEPT_TICKS
        self._is_closed = False
        self._ticking = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self._ticking.enter_async_context(periodic(self._tick, self._tick_seconds, name="changes"))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        await self._ticking.aclose()

    def close(self) -> None:
        """Ends all streams in order; their clients come back, to another process."""
        self._is_closed = True
        for listener in self._listeners:
            listener.end()

    def check_room(self) -> None:
        """Raises Unavailable where no more may listen."""
        if self._is_closed or len(self._listeners) >= self._most:
            raise Unavailable("Too many listen to changes already; try again later.", retry_after=30, cause="listeners")

    def journal(self) -> Journal:
        """What has changed, as of now."""
        if self._idle_ticks >= _KEPT_TICKS:
            self._journal.forget()
        self._idle_ticks = 0
        self._journal.read(self._collections()) if not self._listeners else None
        return self._journal

    async def listen(self, listener: Listener, last_id: str | None) -> None:
        """Tells it what it has missed since `last_id`, then all that comes, until it goes or the process ends."""
        beginning = _beginning(listener, self.journal(), last_id)
        # before it waits for its client: the task that reads the journal tells all that comes from here on
        self._listeners.append(listener)
        _LISTENERS.set(len(self._listeners))
        try:
            await listener.response.write(beginning)
            if not self._is_closed:
                await listener.ended
        finally:
            self._listeners.remove(listener)
            _LISTENERS.set(len(self._listeners))

    async def _read(self) -> list[Change]:
        """What has changed, with the features where they are known."""
        if self._items is None:
            return self._journal.read(self._collections())
        if not self._items.has_begun:
            await self._items.begin()
            return self._journal.read(self._collections())
        known = self._collections()
        changes = self._journal.read(known)
        if not changes or known is None:
            return changes
        named = await self._items.since_last([known[each.collection] for each in changes if each.collection in known])
        return [replace(change, items=named.get(change.collection)) for change in changes]

    async def _tick(self) -> None:
        self._ticks += 1
        if not self._listeners:
            self._idle_ticks += 1
            if self._idle_ticks < _KEPT_TICKS:
                self._journal.read(self._collections())
            return
        changes = await self._read()
        beat = self._ticks % _TICKS_OF_A_BEAT
        listeners = list(self._listeners)
        for first in range(0, len(listeners), _SLICE):
            for place, listener in enumerate(listeners[first : first + _SLICE], first):
                if listener.transport.is_closing():
                    listener.end()
                    continue
                text = _said(listener, changes)
                # by turns: not all of them in one moment
                if text or place % _TICKS_OF_A_BEAT == beat:
                    await _tell(listener, text or _BEAT)
            await asyncio.sleep(0)


async def _tell(listener: Listener, text: bytes) -> None:
    for start in range(0, len(text), _PIECE_BYTES):
        if start:
            # the loop sends what is written
            await asyncio.sleep(0)
        if listener.transport.get_write_buffer_size() > _MOST_UNREAD:
            _DROPPED.inc()
            # not in order: what was told is not all there
            listener.transport.abort()
            listener.end()
            return
        try:
            await listener.response.write(text[start : start + _PIECE_BYTES])
        except ConnectionError:
            listener.end()
            return


def _said(listener: Listener, changes: Iterable[Change]) -> bytes:
    mine = [change for change in changes if listener.collection in (None, change.collection)]
    return b"".join(map(partial(_event, listener), mine))


def _event(listener: Listener, change: Change) -> bytes:
    event_id = change.state if listener.collection is None or change.version is None else change.version
    event = cloud_event(listener.base, event_id, change.collection, change.version, change.since, items=change.items)
    return b"id: %b\ndata: %b\n\n" % (event_id.encode(), orjson.dumps(event))


def _beginning(listener: Listener, journal: Journal, last_id: str | None) -> bytes:
    """How long to wait before coming back, what was missed, and where the stream is now."""
    name = listener.collection
    now = journal.state() if name is None else journal.current().get(name, "")
    # not all of those whom a restart sends away come back at once
    head = b"retry: %d\n" % (1000 + secrets.randbelow(3000))
    if last_id is None:
        return head + b"id: %b\n\n" % now.encode()
    missed = journal.since(last_id) if name is None else journal.since_version(name, last_id)
    if missed is None:
        told = orjson.dumps({"reason": "What changed since then is not known: read anew what you hold."})
        return head + b"id: %b\nevent: reload\ndata: %b\n\n" % (now.encode(), told)
    return head + b"\n" + b"".join(_event(listener, change) for change in missed)
