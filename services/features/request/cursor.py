"""Keyset cursors: the start of a page, bound to the query it belongs to.

A page that starts after a row, not at an offset, costs the same at any depth. Rows inserted or deleted between two
pages cause no repeated and no missing rows.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, md5

import orjson

from libs.selection.selection import SortTerm

_MAX_LENGTH = 24 * 1024
"""Maximum length of a cursor; a request line must hold it beside other parameters."""
_LONGEST_VALUE = 1000
"""Characters of a value up to which a cursor holds it; it holds a digest of longer ones."""
_CHECKSUM_BYTES = 6
_DIGEST = "md5"


@dataclass(frozen=True, slots=True)
class Position:
    """The sort values of a row, as text that PostgreSQL reads back; `backwards` requests the rows before it."""

    values: tuple[str | None, ...]
    """The values as text; at the indices in `digested`, their `digest`."""
    backwards: bool = False
    alike: int = 0
    """How many rows with these same values come before; 0: all of them, which is one row in a total order."""
    digested: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PageEnds:
    """The starts of the adjacent pages; `more` says whether rows follow, also if there is no cursor."""

    next: Position | None = None
    prev: Position | None = None
    more: bool = False


def encode_cursor(position: Position, fingerprint: str) -> str:
    """Return an opaque token for links."""
    values = [
        value if value is None or len(value) <= _LONGEST_VALUE else {_DIGEST: digest(value)}
        for value in position.values
    ]
    content: list[object] = [fingerprint, int(position.backwards), *values]
    if position.alike:
        content.append(position.alike)
    text = orjson.dumps(content)
    return urlsafe_b64encode(text + _checksum(text)).rstrip(b"=").decode()


def decode_cursor(token: str, fingerprint: str, order: Sequence[SortTerm]) -> Position:
    """Return the position in a token.

    Raises ValueError with a sentence for the client if the token is damaged or belongs to another query. Starting again
    at the first page would let a harvester run forever.
    """
    if len(token) > _MAX_LENGTH:
        raise ValueError("is too long: sort by a column of shorter values")
    try:
        decoded = urlsafe_b64decode(token.encode("ascii") + b"=" * (-len(token) % 4))
    except (binascii.Error, UnicodeEncodeError):
        raise ValueError("is damaged; start again without it") from None
    text, checksum = decoded[:-_CHECKSUM_BYTES], decoded[-_CHECKSUM_BYTES:]
    try:
        content = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise ValueError("is damaged; start again without it") from None
    if checksum != _checksum(text):
        # continuing silently at a wrong position would be worse than an error
        raise ValueError("is damaged; start again without it")
    alike = 0
    if isinstance(content, list) and len(content) == 3 + len(order) and isinstance(content[-1], int):
        alike = content.pop()
    if not isinstance(content, list) or len(content) != 2 + len(order) or content[1] not in (0, 1):
        raise ValueError("does not fit this request; start again without it")
    if content[0] != fingerprint:
        raise ValueError("belongs to another query; keep the parameters of the link it came with")
    values = content[2:]
    digested = frozenset(place for place, value in enumerate(values) if isinstance(value, dict))
    values = [value.get(_DIGEST, value) if isinstance(value, dict) else value for value in values]
    if not all(value is None or isinstance(value, str) for value in values):
        raise ValueError("is damaged; start again without it")
    return Position(tuple(values), bool(content[1]), alike, digested)


def digest(text: str) -> str:
    """Return the digest that replaces a long value: PostgreSQL's md5() of its UTF-8."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _checksum(text: bytes) -> bytes:
    return blake2b(text, digest_size=_CHECKSUM_BYTES).digest()
