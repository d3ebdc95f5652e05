"""Which codings a client takes (RFC 9110 section 12.5.3): one answer for services, viewer assets and gateway."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

_SOME = r"(?:1(?:\.0*)?|0?\.(?=0*[1-9])[0-9]+)"
"""A weight above 0. Adjacent repetitions never match the same text, so that no header takes long."""
_WANTED = rf"[ \t]*(?:;[ \t]*q={_SOME}[ \t]*)?(?:,|$)"


def _named(coding: str) -> tuple[tuple[str, bool], ...]:
    return (
        (rf"(?:^|,)[ \t]*{coding}{_WANTED}", True),
        # named, but refused or not understood
        (rf"(?:^|,)[ \t]*{coding}[ \t]*(?:[;,]|$)", False),
    )


Rules = tuple[tuple[str, bool], ...]
"""(regular expression, whether the coding is taken); the first that is found, in any case of letters, counts; else not.

A client that says nothing gets plain bytes, as does one whose words are not understood: those everybody can read.
"""

Coding = Literal["br", "zstd", "gzip"]

RULES: Mapping[Coding, Rules] = {
    "br": _named("br"),
    "zstd": _named("zstd"),
    "gzip": (*_named("(?:x-)?gzip"), (rf"(?:^|,)[ \t]*\*{_WANTED}", True)),
}
"""Who takes which coding, that which makes texts the smallest first. Who takes anything gets gzip."""

_OFTEN = 200
"""Characters; clients send few different headers that are no longer."""


def takes_gzip(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` header allows gzip."""
    return _takes(_COMPILED["gzip"], accept_encoding)


def takes_brotli(accept_encoding: str | None) -> bool:
    """Whether an `Accept-Encoding` header names Brotli (`br`)."""
    return _takes(_COMPILED["br"], accept_encoding)


def best_coding(accept_encoding: str | None) -> Coding | None:
    """The coding of those that an `Accept-Encoding` header allows that makes texts the smallest; None for none."""
    if not accept_encoding:
        return None
    return (_often_best if len(accept_encoding) <= _OFTEN else _best)(accept_encoding)


_Compiled = tuple[tuple[re.Pattern[str], bool], ...]


def _compiled(rules: Rules) -> _Compiled:
    return tuple((re.compile(pattern, re.IGNORECASE), taken) for pattern, taken in rules)


_COMPILED = {coding: _compiled(rules) for coding, rules in RULES.items()}


def _takes(rules: _Compiled, accept_encoding: str | None) -> bool:
    if not accept_encoding:
        return False
    return (_often if len(accept_encoding) <= _OFTEN else _found)(rules, accept_encoding)


def _found(rules: _Compiled, accept_encoding: str) -> bool:
    return next((taken for pattern, taken in rules if pattern.search(accept_encoding)), False)


def _best(accept_encoding: str) -> Coding | None:
    return next((coding for coding, rules in _COMPILED.items() if _found(rules, accept_encoding)), None)


_often = lru_cache(maxsize=256)(_found)
_often_best = lru_cache(maxsize=256)(_best)
