"""Change listeners, and the single task that sends them all events (Server-Sent Events, HTML section 9.2)."""

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
"""Number of ticks between messages to each listener: proxies and clients close silent connections."""
_KEPT_TICKS = 300
"""Number of ticks for which changes are still recorded after the last listener left: it may reconnect."""
_MOST_UNREAD = 32 * 1024
"""Maximum bytes in this process that a listener has not read; a slower listener is disconnected."""
_PIECE_BYTES = 16 * 1024
"""Size of one message part in bytes: with `_MOST_UNREAD` it fits into a connection's buffer, so no write blocks."""
_SLICE = 200
"""Number of listeners to write to before other tasks get a turn."""
_BEAT = b":\n\n"
_LISTENERS = Gauge("dams_change_listeners", "Listeners to changes")
_DROPPED = Counter("dams_change_listeners_dropped_total", "Listeners to changes that read too slowly")


@dataclass(slots=True, eq=False)
class Listener:
    """An open response of a listener. `collection` is None for all collections."""

    response: web.StreamResponse
    transport: asyncio.Transport
    collection: str | None
    base: str
    ended: asyncio.Future[None] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def end(self) -> None:
        """End its handler."""
        if not self.ended.done():
            self.ended.set_result(None)


class Hub:
    """Sends the journal's changes to listeners, at most a second after each is known."""

    def __init__(
        self,
        journal: Journal,
        collections: Callable[[], Mapping[str, Collection] | None],
        *,
        most: int,
        tick_seconds: float = 1.0,
        items: ChangedItems | None = None,
    ) -> None:
        """`most` is the maximum number of listeners in this process.

        They get changes each `tick_seconds`, with the `items`.
        """
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
        """Close all streams in order; their clients reconnect to another process."""
        self._is_closed = True
        for listener in self._listeners:
            listener.end()

    def check_room(self) -> None:
        """Raise Unavailable if there are too many listeners."""
        if self._is_closed or len(self._listeners) >= self._most:
            raise Unavailable("Too many listen to changes already; try again later.", retry_after=30, cause="listeners")

    def journal(self) -> Journal:
        """Return the journal, updated to the present."""
        if self._idle_ticks >= _KEPT_TICKS:
            self._journal.forget()
        self._idle_ticks = 0
        self._journal.read(self._collections()) if not self._listeners else None
        return self._journal

    async def listen(self, listener: Listener, last_id: str | None) -> None:
        """Send the listener everything after `last_id`, then new events until it disconnects or the process stops."""
        beginning = _first_event(listener, self.journal(), last_id)
        # add it before waiting for its client: the journal task sends all changes from here on
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
        """Return the changes, with their features if known."""
        if self._items is None:
            return self._journal.read(self._collections())
        if not self._items.has_begun:
            await self._items.begin()
            return self._journal.read(self._collections())
        known = self._collections()
        changes = self._journal.read(known)
        if not changes or known is None:
            return changes
        named = await self._items.read([known[each.collection] for each in changes if each.collection in known])
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
                text = _encode_event(listener, changes)
                # spread the keep-alive messages: not all listeners at the same moment
                if text or place % _TICKS_OF_A_BEAT == beat:
                    await _tell(listener, text or _BEAT)
            await asyncio.sleep(0)


async def _tell(listener: Listener, text: bytes) -> None:
    for start in range(0, len(text), _PIECE_BYTES):
        if start:
            # let the event loop send the written data
            await asyncio.sleep(0)
        if listener.transport.get_write_buffer_size() > _MOST_UNREAD:
            _DROPPED.inc()
            # abort: a stream closed in order would look complete
            listener.transport.abort()
            listener.end()
            return
        try:
            await listener.response.write(text[start : start + _PIECE_BYTES])
        except ConnectionError:
            listener.end()
            return


def _encode_event(listener: Listener, changes: Iterable[Change]) -> bytes:
    mine = [change for change in changes if listener.collection in (None, change.collection)]
    return b"".join(map(partial(_event, listener), mine))


def _event(listener: Listener, change: Change) -> bytes:
    event_id = change.state if listener.collection is None or change.version is None else change.version
    event = cloud_event(listener.base, event_id, change.collection, change.version, change.since, items=change.items)
    return b"id: %b\ndata: %b\n\n" % (event_id.encode(), orjson.dumps(event))


def _first_event(listener: Listener, journal: Journal, last_id: str | None) -> bytes:
    """Return the reconnection delay, the missed changes, and the current state of the stream."""
    name = listener.collection
    now = journal.state() if name is None else journal.current().get(name, "")
    # spread the delays: after a restart, not all clients reconnect at once
    head = b"retry: %d\n" % (1000 + secrets.randbelow(3000))
    if last_id is None:
        return head + b"id: %b\n\n" % now.encode()
    missed = journal.changes_since(last_id) if name is None else journal.changes_since_version(name, last_id)
    if missed is None:
        told = orjson.dumps({"reason": "What changed since then is not known: read anew what you hold."})
        return head + b"id: %b\nevent: reload\ndata: %b\n\n" % (now.encode(), told)
    return head + b"\n" + b"".join(_event(listener, change) for change in missed)
