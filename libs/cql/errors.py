"""The only error of this package: the fault of a filter, and its place."""

from __future__ import annotations

from dataclasses import dataclass

from libs.ogc.errors import DomainError

# Place of a part of a filter: a character offset (CQL2 text) or a JSON pointer (CQL2 JSON).
Place = int | str


@dataclass
class CqlError(DomainError):
    """An invalid filter, explained to the client in one sentence.

    `position` is the character offset, counted from 0, in a CQL2 text filter; `pointer` the RFC 6901 JSON pointer in a
    CQL2 JSON filter (`""` is the whole document). One of the two is None; both are if the fault is not at a single
    position.
    """

    message: str
    position: int | None = None
    pointer: str | None = None

    def __str__(self) -> str:
        """Return the sentence with its place, for an error body or a log."""
        if self.position is not None:
            return f"{self.message} (at character {self.position + 1})"
        if self.pointer:
            return f"{self.message} (at {self.pointer})"
        return self.message


CASELESS = "CQL2 has no ILIKE; write CASEI(property) LIKE CASEI('%text%')"
"""Hint for a client that writes an operator of other languages."""

ELSEWHERE = {
    "ilike": CASELESS,
    **dict.fromkeys(("lower", "upper"), "CQL2 has neither LOWER nor UPPER; write CASEI(a) = CASEI(b)"),
    **dict.fromkeys(
        ("dwithin", "st_dwithin", "s_beyond", "beyond", "s_distance", "distance"),
        "distances are compared by S_DWITHIN(geometry, POINT(longitude latitude), metres), and by NOT before it",
    ),
}
"""Names of functions in other languages, in lower case, and the CQL2 equivalent."""


def fault(message: str, place: Place | None) -> CqlError:
    """Return the error for the part of a filter at `place`."""
    if isinstance(place, str):
        return CqlError(message, pointer=place)
    return CqlError(message, position=place)


def excerpt(value: object, length: int = 40) -> str:
    """Return a short, printable form of the client's text, to quote in a message."""
    text = str(value)
    text = text if len(text) <= length else text[: length - 1] + "…"
    return "".join(char if char.isprintable() else "�" for char in text)


def one_of(words: tuple[str, ...]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
