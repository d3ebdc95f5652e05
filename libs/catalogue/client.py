"""Another service's copy of the catalogue: fetched in the background; the last good copy stays in use."""

import asyncio
import logging
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import orjson
from aiohttp import ClientError, ClientSession, ClientTimeout
from prometheus_client import Gauge

from libs.catalogue.catalogue import Catalogue
from libs.catalogue.model import Collection
from libs.concurrency.background import periodic

_LOG = logging.getLogger("dams.catalogue")
_HEARD = Gauge("dams_catalogue_timestamp_seconds", "When common last said what collections there are")

FIRST_SECONDS = 3.0
"""Seconds for which a service waits for the catalogue before it starts without one."""
ANSWER_SECONDS = 10.0
"""Timeout of `common`'s response, in seconds."""

# errors from a body that is not a catalogue, or has another version's form
_UNREADABLE = (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError)

Entries = Mapping[str, Mapping[str, Any]]


class CatalogueClient(Catalogue):
    """Follows `common`'s `/internal/catalogue`.

    If `common` is down, the last good copy stays in use. `state_file` stores it for the next start.
    """

    def __init__(self, url: str, *, refresh_seconds: float = 2.0, state_file: Path | None = None) -> None:
        super().__init__()
        self._url = f"{url}/internal/catalogue"
        self._refresh_seconds = refresh_seconds
        self._state_file = state_file
        self._etag: str | None = None
        self._entries: Entries = {}
        self._refused: str | None = None
        self._first = asyncio.Event()
        self._following = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._restore()
        timeout = ClientTimeout(total=ANSWER_SECONDS)
        session = await self._following.enter_async_context(ClientSession(timeout=timeout))
        await self._following.enter_async_context(
            periodic(partial(self._follow, session), self._pause, name="catalogue")
        )
        with suppress(TimeoutError):
            await asyncio.wait_for(self._first.wait(), timeout=FIRST_SECONDS)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._following.aclose()

    async def _follow(self, session: ClientSession) -> None:
        try:
            await self._fetch(session)
        except (ClientError, OSError) as error:
            # common is unavailable or slow: the last good copy stays in use
            _LOG.debug("no catalogue", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
        except _UNREADABLE as error:
            self._refuse(f"{type(error).__name__}: {error}")
        else:
            self._first.set()
            _HEARD.set_to_current_time()
            self._refused = None

    def _pause(self) -> float:
        # without a catalogue this service cannot respond: poll often until the first one
        return self._refresh_seconds if self._etag else 0.2

    def _refuse(self, cause: str) -> None:
        """Log that common's catalogue cannot be read, once per cause: it is polled every few seconds."""
        if cause != self._refused:
            _LOG.warning("catalogue not understood; the last good one stays", extra={"fields": {"cause": cause}})
        self._refused = cause

    async def _fetch(self, session: ClientSession) -> None:
        headers = {"If-None-Match": self._etag} if self._etag else {}
        async with session.get(self._url, headers=headers) as response:
            if response.status == 304:
                return
            response.raise_for_status()
            body = await response.read()
            self._entries, self._collections = _parse(body, self._entries, self._collections or {})
            self._etag = response.headers.get("ETag")
        _LOG.info("catalogue", extra={"fields": {"collections": len(self._collections)}})
        if self._state_file:
            try:
                await asyncio.to_thread(_save, self._state_file, body)
            except OSError as error:
                _LOG.warning("catalogue not saved", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})

    def _restore(self) -> None:
        if self._state_file is None:
            return
        try:
            self._entries, self._collections = _parse(self._state_file.read_bytes(), {}, {})
        except FileNotFoundError:
            return
        except (OSError, *_UNREADABLE) as error:
            # damaged, or from another version: the next response of common replaces it
            _LOG.warning("saved catalogue not read", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})


def _parse(body: bytes, before: Entries, known: Mapping[str, Collection]) -> tuple[Entries, dict[str, Collection]]:
    """Return entries and collections by id; an unchanged entry keeps its collection, as most do."""
    entries = {entry["id"]: entry for entry in orjson.loads(body)["collections"]}
    return entries, {
        identifier: known[identifier] if before.get(identifier) == entry else Collection.from_json(entry)
        for identifier, entry in entries.items()
    }


def _save(file: Path, body: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # processes of a service share the folder; in containers, even their process ids may be equal
    scratch = file.with_suffix(f".{uuid4().hex}.new")
    try:
        scratch.write_bytes(body)
        scratch.replace(file)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise
