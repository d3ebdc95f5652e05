"""nginx directives in the words of nginx-config-builder's block API."""

from __future__ import annotations

from collections.abc import Iterable

from nginx.config.api import EmptyBlock, Location, Section
from nginx.config.api.options import KeyOption, KeyValueOption, KeyValuesMultiLines

__all__ = ["EmptyBlock", "Location", "Section", "flag", "lines", "one", "quoted"]


def one(name: str, *values: object) -> KeyValueOption:
    """A directive that occurs once in its block."""
    return KeyValueOption(name, " ".join(str(value) for value in values))


def lines(name: str, values: Iterable[Iterable[object]]) -> KeyValuesMultiLines:
    """A directive that occurs once for each entry; two of one name in a block would replace each other."""
    return KeyValuesMultiLines(name, [[str(part) for part in value] for value in values])


def flag(name: str) -> KeyOption:
    """A directive without a value."""
    return KeyOption(name)


def quoted(text: str) -> str:
    """Text as one argument. nginx still expands `$names` in it. Raises ValueError for what it cannot hold."""
    if "'" in text:
        raise ValueError(f"{text!r} cannot be quoted for nginx")
    return f"'{text}'"
