"""Content negotiation, one implementation for all services: `f` first, then `Accept`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from libs.ogc.errors import NotAcceptable
from libs.ogc.media_type import ALIASES, FORMAT_NAMES, FORMATS

_OFTEN = 500
"""Maximum length of a cached header in characters; clients send few different ones up to this length."""


@dataclass(frozen=True, slots=True)
class _Range:
    type: str
    quality: float


def negotiate(offers: Sequence[str], f: str | None, accept: str | None, *, has_f: bool = True) -> str:
    """Return the media type of the response: one of `offers`, the first being the default.

    `f` overrides `Accept` (it was checked against its declaration). A missing or `*/*` `Accept` gets the default.
    `has_f` says whether the resource has the parameter. Raises NotAcceptable if no type fits (RFC 9110 section 12.5.1).
    """
    if f is not None:
        return _choose_by_name(offers, f)
    if not accept or accept == "*/*":
        return offers[0]
    if len(accept) <= _OFTEN:
        return _choose_cached(tuple(offers), accept, has_f)
    return _choose(offers, accept, has_f)


@lru_cache(maxsize=256)
def _choose_cached(offers: tuple[str, ...], accept: str, has_f: bool) -> str:
    return _choose(offers, accept, has_f)


def _choose(offers: Sequence[str], accept: str, has_f: bool) -> str:
    ranges = _parse(accept)
    # the client's most wanted type wins; among equals, our order, except that a type it names precedes one that a
    # wildcard covers
    best: tuple[float, int, int] | None = None
    chosen = ""
    for rank, offer in enumerate(offers):
        match = _quality(ranges, offer)
        if match is None or match[0] <= 0:
            continue
        key = (match[0], match[1], -rank)
        if best is None or key > best:
            best, chosen = key, offer
    if best is None:
        named = FORMAT_NAMES if has_f else {}
        listed = ", ".join(f"{offer} (f={named[offer]})" if offer in named else offer for offer in offers)
        raise NotAcceptable(f"none of the accepted media types is offered; offered are {listed}")
    return chosen


def prefers_html(accept: str | None) -> bool:
    """Return whether an error should be a page: the client names text/html and likes it at least as well as JSON."""
    if not accept or "text/html" not in accept.lower():
        return False
    try:
        return negotiate(["text/html", "application/json"], None, accept) == "text/html"
    except NotAcceptable:
        # it names text/html with weight 0
        return False


def _choose_by_name(offers: Sequence[str], f: str) -> str:
    wanted = FORMATS.get(f)
    for offer in offers:
        if offer == wanted:
            return offer
    raise NotAcceptable(f"f={f} is not offered here")


def _parse(accept: str) -> list[_Range]:
    ranges = []
    for part in accept.split(","):
        fields = [field.strip() for field in part.split(";")]
        kind = fields[0].lower()
        if not kind:
            continue
        quality = 1.0
        parameters = []
        for field in fields[1:]:
            name, _, value = field.partition("=")
            if name.strip().lower() == "q":
                try:
                    # with this order of arguments, "nan" becomes 0
                    quality = min(max(0.0, float(value)), 1.0)
                except ValueError:
                    quality = 0.0
            elif name.strip().lower() not in ("charset", "profile"):
                parameters.append(field.replace(" ", ""))
        # java.net's default Accept header writes any type as "*", like old test suites
        kind = "*/*" if kind == "*" else kind
        ranges.append(_Range(";".join([kind, *parameters]), quality))
    return ranges


def _quality(ranges: list[_Range], offer: str) -> tuple[float, int] | None:
    """Return quality and specificity (3 named, 2 by alias, 1 `type/*`, 0 `*/*`) of the closest range."""
    group = offer.split("/", maxsplit=1)[0] + "/*"
    bare = offer.split(";", maxsplit=1)[0]
    best: tuple[int, float] | None = None
    for accepted in ranges:
        if accepted.type in (offer, bare):
            found = (3, accepted.quality)
        elif ALIASES.get(accepted.type) == offer:
            found = (2, accepted.quality)
        elif accepted.type == group:
            found = (1, accepted.quality)
        elif accepted.type == "*/*":
            found = (0, accepted.quality)
        else:
            continue
        if best is None or found > best:
            best = found
    return None if best is None else (best[1], best[0])
