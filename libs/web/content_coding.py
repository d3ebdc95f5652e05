"""The content codings that a client accepts (RFC 9110 section 12.5.3), for services, viewer assets and gateway."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

_SOME = r"(?:1(?:\.0*)?|0?\.(?=0*[1-9])[0-9]+)"
"""A weight above 0. Adjacent repetitions never match the same text, so that no header takes long to match."""
_WANTED = rf"[ \t]*(?:;[ \t]*q={_SOME}[ \t]*)?(?:,|$)"


def _rules_of(coding: str) -> tuple[tuple[str, bool], ...]:
    return (
        (rf"(?:^|,)[ \t]*{coding}{_WANTED}", True),
        # named, but refused or malformed
        (rf"(?:^|,)[ \t]*{coding}[ \t]*(?:[;,]|$)", False),
    )


Rules = tuple[tuple[str, bool], ...]
"""(case-insensitive regular expression, whether the coding is accepted): the first match decides.

No match means not accepted. Without the header, or with one that is not understood, a client gets plain bytes, which
every client can read.
"""

Coding = Literal["br", "gzip"]

RULES: Mapping[Coding, Rules] = {
    "br": _rules_of("br"),
    "gzip": (*_rules_of("(?:x-)?gzip"), (rf"(?:^|,)[ \t]*\*{_WANTED}", True)),
}
"""Rules for each coding, the one with the smallest texts first. A client that accepts anything gets gzip."""

_OFTEN = 200
"""Maximum length of a cached header in characters; clients send few different ones up to this length."""


def takes_gzip(accept_encoding: str | None) -> bool:
    """Return whether an `Accept-Encoding` header allows gzip."""
    return _takes(_COMPILED["gzip"], accept_encoding)


def takes_brotli(accept_encoding: str | None) -> bool:
    """Return whether an `Accept-Encoding` header names Brotli (`br`)."""
    return _takes(_COMPILED["br"], accept_encoding)


def best_coding(accept_encoding: str | None) -> Coding | None:
    """Return the accepted coding with the smallest texts; None for none."""
    if not accept_encoding:
        return None
    return (_often_best if len(accept_encoding) <= _OFTEN else _best)(accept_encoding)


_Compiled = tuple[tuple[re.Pattern[str], bool], ...]


def _compile(rules: Rules) -> _Compiled:
    return tuple((re.compile(pattern, re.IGNORECASE), taken) for pattern, taken in rules)


_COMPILED = {coding: _compile(rules) for coding, rules in RULES.items()}


def _takes(rules: _Compiled, accept_encoding: str | None) -> bool:
    if not accept_encoding:
        return False
    return (_often if len(accept_encoding) <= _OFTEN else _is_accepted)(rules, accept_encoding)


def _is_accepted(rules: _Compiled, accept_encoding: str) -> bool:
    return next((taken for pattern, taken in rules if pattern.search(accept_encoding)), False)


def _best(accept_encoding: str) -> Coding | None:
    return next((coding for coding, rules in _COMPILED.items() if _is_accepted(rules, accept_encoding)), None)


_often = lru_cache(maxsize=256)(_is_accepted)
_often_best = lru_cache(maxsize=256)(_best)
