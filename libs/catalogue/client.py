"""The catalogue as another service has it: fetched in the background; the last good copy stays."""

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
"""How long a service waits for the catalogue before it starts without."""
ANSWER_SECONDS = 10.0
"""How long `common` may take to answer."""

# What a body that is no catalogue, or another version's, makes of us.
_UNREADABLE = (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError)

Entries = Mapping[str, Mapping[str, Any]]


class CatalogueClient(Catalogue):
    """Follows `common`'s `/internal/catalogue`.

    `common` may be down: the last good copy serves on, and is saved in `state_file` for the next start.
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
            # common is away, or takes too long: the last good copy serves on
            _LOG.debug("no catalogue", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})
        except _UNREADABLE as error:
            self._refuse(f"{type(error).__name__}: {error}")
        else:
            self._first.set()
            _HEARD.set_to_current_time()
            self._refused = None

    def _pause(self) -> float:
        # before the first answer there is nothing to serve with: ask often
        return self._refresh_seconds if self._etag else 0.2

    def _refuse(self, cause: str) -> None:
        """Say that common's catalogue cannot be read, once for each cause: this is asked every few seconds."""
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
            # damaged, or written by another version: the next answer of common replaces it
            _LOG.warning("saved catalogue not read", extra={"fields": {"cause": f"{type(error).__name__}: {error}"}})


def _parse(body: bytes, before: Entries, known: Mapping[str, Collection]) -> tuple[Entries, dict[str, Collection]]:
    """Entries and collections by id; what is as it was before keeps its collection, which is most of them."""
    entries = {entry["id"]: entry for entry in orjson.loads(body)["collections"]}
    return entries, {
        identifier: known[identifier] if before.get(identifier) == entry else Collection.from_json(entry)
        for identifier, entry in entries.items()
    }


def _save(file: Path, body: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    # processes of a service share the folder; in containers even their numbers are the same
    scratch = file.with_suffix(f".{uuid4().hex}.new")
    try:
        scratch.write_bytes(body)
        scratch.replace(file)
    except OSError:
        scratch.unlink(missing_ok=True)
        raise
