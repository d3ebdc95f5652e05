"""nginx directives in terms of nginx-config-builder's block API."""

from __future__ import annotations

from collections.abc import Iterable

from nginx.config.api import EmptyBlock, Location, Section
from nginx.config.api.options import KeyOption, KeyValueOption, KeyValuesMultiLines

__all__ = ["EmptyBlock", "Location", "Section", "flag", "lines", "one", "quote"]


def one(name: str, *values: object) -> KeyValueOption:
    """Return a directive that occurs once in its block."""
    return KeyValueOption(name, " ".join(str(value) for value in values))


def lines(name: str, values: Iterable[Iterable[object]]) -> KeyValuesMultiLines:
    """Return a directive that occurs once for each entry; two of one name in a block would replace each other."""
    return KeyValuesMultiLines(name, [[str(part) for part in value] for value in values])


def flag(name: str) -> KeyOption:
    """Return a directive without a value."""
    return KeyOption(name)


def quote(text: str) -> str:
    """Return text as one argument. nginx still expands `$names` in it. Raises ValueError for invalid characters."""
    if "'" in text:
        raise ValueError(f"{text!r} cannot be quoted for nginx")
    return f"'{text}'"
