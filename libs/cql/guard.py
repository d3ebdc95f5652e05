"""Limits on the cost of a filter, checked before and while it is parsed.

Anyone can send a filter, so each limit bounds the time and memory of a later step. All of them together keep parsing
and compiling of the longest accepted filter below 50 ms.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from libs.cql.errors import CqlError, Place, fault

MAX_BYTES = 16 * 1024  # bytes of a filter without coordinates, as UTF-8
MAX_WITH_COORDINATES = 128 * 1024  # bytes of a filter with the coordinates of its geometries
MAX_TOKENS = 2500  # words, numbers, strings and operators of a text filter; a geometry counts as one
MAX_DEPTH = 64  # levels of the tree, not counting chains of AND and OR
MAX_LIST = 1000  # members of a list or array
MAX_PATTERN = 256  # characters of a LIKE pattern: a long text is compared with it at each of its characters
MAX_WITH_UNDERSCORE = 64  # characters between two % of a pattern, if a _ is among them

# the numbers of a geometry in GeoJSON and in WKT
_COORDINATES = re.compile(r'"coordinates"\s*:[-+\d.eE,\s\[\]]+|\([-+\d.eE,\s()]{64,}', re.ASCII)
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')


def check_source(text: str) -> None:
    """Check size and characters of a filter in either language. Raises CqlError."""
    # A character has at least one byte: a text far too long need not be encoded.
    if len(text) > MAX_WITH_COORDINATES:
        raise CqlError(f"the filter is too long (maximum {MAX_WITH_COORDINATES:,} bytes with its coordinates)")
    if (len(text) > MAX_BYTES or _bytes(text) > MAX_BYTES) and _bytes(_COORDINATES.sub("", text)) > MAX_BYTES:
        raise CqlError(f"the filter is too long (maximum {MAX_BYTES:,} bytes)")
    if "\0" in text:
        raise CqlError("a filter may not contain the NUL character", text.index("\0"))
    if not text.strip():
        raise CqlError("the filter is empty")


def _bytes(text: str) -> int:
    try:
        return len(text.encode())
    except UnicodeEncodeError as error:
        # A lone surrogate is not a character: neither UTF-8 nor PostgreSQL can store it.
        raise CqlError("a filter must be valid Unicode; this is half of a pair", error.start) from None


def check_json_depth(text: str) -> None:
    """Check the nesting of a JSON filter, so that the decoder's stack cannot overflow. Raises CqlError."""
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
        elif match[0] in "]}":
            depth -= 1
        # An operation is an object in an array; a geometry literal adds five levels.
        if depth > 2 * MAX_DEPTH + 6:
            raise CqlError(f"the filter is nested too deeply (maximum {MAX_DEPTH} levels)", match.start())


def check_text(text: str, value: Place) -> str:
    """Return a string from a JSON filter, which can contain characters that a text filter cannot. Raises CqlError."""
    if "\0" in text:
        raise fault("a filter may not contain the NUL character", value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise fault("a string must be valid Unicode; this has half of a pair", value) from None
    return text


def number(text: str, place: Place) -> int | float | Decimal:
    """Return the exact value of a numeric literal of any length. Raises CqlError if it is not finite.

    Integers are int; others are float if that is exact to the last digit written, else Decimal.
    """
    if len(text) > 400:
        raise fault("a number may have at most 400 digits", place)
    try:
        exact = Decimal(text)
    except InvalidOperation:
        # more digits than Decimal allows for its exponent
        raise fault(f"'{text[:40]}' is not a number", place) from None
    approximate = float(text)
    if math.isinf(approximate):
        raise fault("numbers must be finite and below 1.8e308", place)
    if text.lstrip("+-").isdigit():
        return int(text)
    return approximate if Decimal(repr(approximate)) == exact else exact


def is_number(value: object) -> bool:
    """Return whether a literal is a number: True and False are not."""
    return type(value) in (int, float, Decimal)


def check_depth(depth: int, place: Place) -> int:
    """Return `depth`. Raises CqlError if a tree gets too deep to walk."""
    if depth > MAX_DEPTH:
        raise fault(
            f"the filter is nested too deeply (maximum {MAX_DEPTH} levels); use fewer parentheses or terms", place
        )
    return depth


def check_tokens(count: int, place: Place) -> None:
    """Check the number of tokens read so far. Raises CqlError."""
    if count > MAX_TOKENS:
        raise fault(f"the filter is too long (maximum {MAX_TOKENS:,} words, numbers and signs)", place)


def check_pattern(pattern: str, place: Place | None) -> None:
    """Check the length of a LIKE pattern. Raises CqlError."""
    if len(pattern) > MAX_PATTERN:
        raise fault(f"a pattern may have {MAX_PATTERN} characters, this one has {len(pattern):,}", place)


def check_list(length: int, place: Place) -> None:
    """Check the length of a list or array. Raises CqlError."""
    if length > MAX_LIST:
        raise fault(f"a list may have {MAX_LIST:,} members, this one has {length:,}", place)
