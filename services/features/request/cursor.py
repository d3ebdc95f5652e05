"""Keyset cursors: where a page starts, bound to the query it belongs to.

A page that starts behind a row, rather than at an offset, costs the same wherever it is, and rows that come and
go meanwhile neither repeat nor vanish.
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b, md5

import orjson

from libs.selection.selection import SortTerm

_MAX_LENGTH = 24 * 1024
"""What a request line holds beside other parameters."""
_LONGEST_VALUE = 1000
"""Characters; of a longer value a cursor has a digest."""
_CHECKSUM_BYTES = 6
_DIGEST = "md5"


@dataclass(frozen=True, slots=True)
class Position:
    """The sort values of a row, as text that PostgreSQL reads back; `backwards` asks for the rows before it."""

    values: tuple[str | None, ...]
    """As text; of those at the places that `digested` names, `digest` of it."""
    backwards: bool = False
    alike: int = 0
    """Of rows with these same values, how many are behind; 0: all of them, which is one where the order is total."""
    digested: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PageEnds:
    """Where the pages beside a page start; `more` tells whether rows follow, also where there is no cursor."""

    next: Position | None = None
    prev: Position | None = None
    more: bool = False


def encode_cursor(position: Position, fingerprint: str) -> str:
    """An opaque token for links."""
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
    """The position in a token.

    Raises ValueError with a sentence for the client where it is damaged or belongs to another query: starting
    again at the first page would let a harvester run for ever.
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
        # another position, silently, were worse than an error
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
    """What stands for a long value; PostgreSQL's md5() of its UTF-8."""
    return md5(text.encode(), usedforsecurity=False).hexdigest()


def _checksum(text: bytes) -> bytes:
    return blake2b(text, digest_size=_CHECKSUM_BYTES).digest()
