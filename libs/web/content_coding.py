"""Whether a client takes gzip (RFC 9110 section 12.5.3): one answer for services, viewer assets and gateway."""

import re
from functools import lru_cache

_SOME = r"(?:1(?:\.0*)?|0?\.(?=0*[1-9])[0-9]+)"
"""A weight above 0. Adjacent repetitions never match the same text, so that no header takes long."""
_WANTED = rf"[ \t]*(?:;[ \t]*q={_SOME}[ \t]*)?(?:,|$)"

GZIP_RULES: tuple[tuple[str, bool], ...] = (
    (rf"(?:^|,)[ \t]*(?:x-)?gzip{_WANTED}", True),
    # named, but refused or not understood
    (r"(?:^|,)[ \t]*(?:x-)?gzip[ \t]*(?:[;,]|$)", False),
    (rf"(?:^|,)[ \t]*\*{_WANTED}", True),
)
"""(regular expression, whether gzip is taken); the first that is found, in any case of letters, counts; else it is not.

A client that says nothing gets plain bytes, as does one whose words are not understood: those everybody can read.
"""

_RULES = tuple((re.compile(pattern, re.IGNORECASE), taken) for pattern, taken in GZIP_RULES)
_OFTEN = 200
"""Characters; clients send few different headers that are no longer."""


def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` header allows gzip."""
    if not accept_encoding:
        return False
    return _often(accept_encoding) if len(accept_encoding) <= _OFTEN else _takes(accept_encoding)


def _takes(accept_encoding: str) -> bool:
    return next((taken for pattern, taken in _RULES if pattern.search(accept_encoding)), False)


_often = lru_cache(maxsize=256)(_takes)
