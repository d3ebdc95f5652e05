"""Fetch documents from servers: patiently, politely, and only if they are new."""

import email.utils
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urljoin, urlsplit

import aiohttp
import stamina

from deploy.loader.documents.addresses import addresses_of, is_public
from deploy.loader.documents.unpacking import unpack_file
from deploy.loader.source import Document, DocumentError

MOST_BYTES = 2 * 1024**3
"""Maximum size of a document, both as sent and unpacked, in bytes."""

_Result = TypeVar("_Result")
_MOST_REDIRECTS = 5
_REDIRECTS = {301, 302, 303, 307, 308}
_LONGEST_FIELD = 65536
"""Maximum length of a header of a response, in bytes."""
_LONGEST_WAIT = timedelta(minutes=5)
"""Maximum Retry-After that is waited for; after a longer one, the next load tries again."""
_TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
CONTACT = "DAMS_LOADER_CONTACT"
"""Variable with an address for publishers, such as an e-mail address, which requests name."""


class FetchError(Exception):
    """A document cannot be fetched; the message has its address and the reason."""


class _LaterError(Exception):
    """The server asks to retry later."""

    def __init__(self, message: str, retry_after: timedelta | None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Fetched:
    """A response; `document` is None if the server says that our copy is current."""

    document: Document | None
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A response of an interface of programs."""

    status: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Number of attempts, and the wait between them: doubled each time, plus a random part."""

    attempts: int = 6
    first_wait: float = 1.0
    jitter: float = 2.0
    longest_wait: float = 60.0
    timeout_seconds: float = 60.0


class Fetcher:
    """Fetches into a folder. Follows redirects to http and https only, from public addresses to public ones only."""

    def __init__(
        self,
        folder: Path,
        *,
        patience: Patience | None = None,
        most_bytes: int = MOST_BYTES,
        received: Callable[[int], None] = lambda _bytes: None,
    ) -> None:
        """`received` is called with the size of each piece, in bytes."""
        self._folder, self._most_bytes, self._received = folder, most_bytes, received
        self.patience = patience or Patience()
        self._number = 0
        seconds = self.patience.timeout_seconds
        self._client = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(sock_connect=seconds, sock_read=seconds),
            headers={"User-Agent": _agent()},
            max_field_size=_LONGEST_FIELD,
            trust_env=True,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def fetch_named(self, address: str, by: str) -> Document:
        """Return the document that one from the address `by` names. Raises like `fetch`."""
        await _refuse_private(by, address)
        fetched = await self.fetch(address)
        if fetched.document is None:
            raise FetchError(f"{address}: the server says that it has nothing new, which was not asked")
        return fetched.document

    async def fetch(self, address: str, *, etag: str | None = None, last_modified: str | None = None) -> Fetched:
        """Fetch the document, unless it still has this ETag or time of modification.

        Raises FetchError, and DocumentError if it is truncated or too large.
        """
        headers = {"If-None-Match": etag} if etag else {}
        if last_modified:
            headers["If-Modified-Since"] = last_modified
        return await self._patiently(address, partial(self._ask, address, headers))

    async def exchange(
        self, method: str, address: str, *, headers: dict[str, str], content: bytes | None = None
    ) -> Answer:
        """Send a request to an interface of programs; return its response, also a redirect. Raises FetchError."""

        async def ask() -> Answer:
            async with self._client.request(
                method, address, headers=headers, data=content, allow_redirects=False
            ) as response:
                _refuse_for_now(response)
                return Answer(response.status, await response.read())

        return await self._patiently(address, ask)

    async def _patiently(self, address: str, ask: Callable[[], Awaitable[_Result]]) -> _Result:
        """Return the result of a request, which is repeated after faults that pass. Raises FetchError."""
        patience = self.patience
        try:
            async for attempt in stamina.retry_context(
                on=_wait_before_another,
                attempts=patience.attempts,
                timeout=None,
                wait_initial=patience.first_wait,
                wait_jitter=patience.jitter,
                wait_max=patience.longest_wait,
            ):
                with attempt:
                    return await ask()
        except (aiohttp.ClientError, _LaterError, OSError) as error:
            raise FetchError(f"{address}: {_reason(error)}") from error
        raise FetchError(f"{address}: nothing was asked")  # a retry context ends with a response or an error

    async def _ask(self, address: str, headers: dict[str, str]) -> Fetched:
        async with self._follow(address, headers) as response:
            if response.status == HTTPStatus.NOT_MODIFIED:
                return Fetched(None, None, None)
            _refuse_for_now(response)
            if response.status != HTTPStatus.OK:
                raise FetchError(f"{address}: the server answers {response.status}")
            self._number += 1
            name = Path(urlsplit(address).path).name or "document"
            path = self._folder / f"{self._number:04d}-{name[-80:]}"
            await self._save(response, path, address)
        retrieved = datetime.now(UTC)
        document = Document(unpack_file(path, self._folder, self._most_bytes), address, retrieved)
        return Fetched(document, response.headers.get("ETag"), response.headers.get("Last-Modified"))

    async def _save(self, response: aiohttp.ClientResponse, path: Path, address: str) -> None:
        received = 0
        with path.open("wb") as file:
            async for piece in response.content.iter_any():
                received += len(piece)
                if received > self._most_bytes:
                    raise DocumentError(f"{address} is larger than {self._most_bytes:,} bytes")
                file.write(piece)
                self._received(len(piece))
        if not received:
            raise DocumentError(f"{address} is empty")

    @asynccontextmanager
    async def _follow(self, address: str, headers: dict[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
        """Yield the response at the end of the redirects."""
        for _ in range(_MOST_REDIRECTS + 1):
            if urlsplit(address).scheme not in {"http", "https"}:
                raise FetchError(f"{address}: only http and https are asked")
            async with self._client.get(address, headers=headers, allow_redirects=False) as response:
                if response.status not in _REDIRECTS or "Location" not in response.headers:
                    yield response
                    return
                target = urljoin(address, response.headers["Location"])
            await _refuse_private(address, target)
            address = target
        raise FetchError(f"{address}: more than {_MOST_REDIRECTS} redirects")


def _reason(error: BaseException) -> str:
    """Describe a failed request; aiohttp names an unknown host only in the causes of its error."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "the name of the server cannot be resolved; is there a network?"
        cause = cause.__cause__ or cause.__context__
    return str(error) or type(error).__name__


def _refuse_for_now(response: aiohttp.ClientResponse) -> None:
    """Raise _LaterError for a status that passes."""
    if response.status in _TRANSIENT:
        said = f"the server answers {response.status}"
        raise _LaterError(said, retry_after(response.headers.get("Retry-After")))


def _agent() -> str:
    """Return the name of the loader, with the operator's contact."""
    contact = "".join(each for each in os.environ.get(CONTACT, "").strip() if " " <= each <= "~" and each not in "()")
    return f"dams-loader/1.0 (Disaster Analysis and Mapping Service{'; ' + contact if contact else ''})"


def _wait_before_another(error: Exception) -> bool | timedelta:
    """Return whether to retry, and the time to wait if the server states one."""
    if isinstance(error, _LaterError):
        if error.retry_after is None:
            return True
        return error.retry_after if error.retry_after <= _LONGEST_WAIT else False
    return isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError | TimeoutError)


def retry_after(value: str | None) -> timedelta | None:
    """Parse seconds, or a date (RFC 9110, section 10.2.3); None for other values."""
    if not value:
        return None
    if value.strip().isdecimal():
        return timedelta(seconds=int(value))
    try:
        return max(timedelta(0), email.utils.parsedate_to_datetime(value) - datetime.now(UTC))
    except (TypeError, ValueError):
        return None


async def _refuse_private(address: str, target: str) -> None:
    """Raise FetchError if a public address leads to a private one."""
    if not await _is_private(address) and await _is_private(target):
        raise FetchError(f"{address}: leads to {target}, which is no public address")


async def _is_private(address: str) -> bool:
    """Return whether one of the host's addresses is private."""
    try:
        found = await addresses_of(urlsplit(address).hostname or "")
    except OSError:
        # the request itself will report this
        return False
    return not all(map(is_public, found))
