"""SQL fragments that carry their values as binds, and combine without renumbering.

A fragment keeps abstract placeholders until `Sql.render` numbers them, so that fragments written far
apart (a CQL2 filter, a bbox, a keyset) can be put together in any order. It is impossible to put a value
into the text: text comes from the program, names go through `ident`, everything else is a `Bind`.

    where = sql("{column} >= {value}", column=ident("magnitude"), value=bind(6.5, "float8"))
    text, args = where.render()      # '"magnitude" >= $1::float8', (6.5,)

Pure: imports nothing but the standard library, and never sees a connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from string import Formatter
from typing import LiteralString

_PLACEHOLDER = re.compile(r"\$\d")


# Not frozen: that would double construction time. Treat both as immutable.
@dataclass(slots=True, eq=False)
class Bind:
    """One value and the PostgreSQL type it is sent as.

    `value` is a value that asyncpg encodes for `sql_type` (an aware datetime for `timestamptz`, bytes for `bytea`, a
    list for an array...). `cast` is a further type for values that asyncpg cannot encode by itself: `Bind("high",
    "text", cast="hazard.alert")` renders as `$1::text::hazard.alert`. Types are SQL text as `format_type` writes it,
    from the catalogue or the program, never from a client.
    """

    value: object
    sql_type: str
    cast: str | None = None


@dataclass(slots=True, eq=False)
class Sql:
    """A piece of SQL: trusted text and binds, in the order they are rendered."""

    parts: tuple[str | Bind, ...] = ()
    _rendered: tuple[str, tuple[object, ...]] | None = field(default=None, init=False, repr=False)

    def __add__(self, other: Sql) -> Sql:
        """Concatenate the two fragments."""
        return Sql(self.parts + other.parts)

    def __bool__(self) -> bool:
        """Return whether there is any text: an empty fragment means "no condition"."""
        return bool(self.parts)

    def merge_texts(self) -> Sql:
        """Return the same with adjacent texts merged: for a fragment that is used repeatedly."""
        parts: list[str | Bind] = []
        for part in self.parts:
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        return Sql(tuple(parts))

    def render(self) -> tuple[str, tuple[object, ...]]:
        """Return the statement with `$1`, `$2`... and the values in that order, as asyncpg expects them.

        A `Bind` that occurs several times (the same object) is sent once. Two different binds keep two numbers even if
        their values are equal. So the text, and with it the prepared statement, depends only on the structure of the
        query.
        """
        if self._rendered is None:
            numbers: dict[Bind, int] = {}
            text: list[str] = []
            for part in self.parts:
                if isinstance(part, str):
                    text.append(part)
                else:
                    number = numbers.setdefault(part, len(numbers) + 1)
                    text.append(f"${number}::{part.sql_type}")
                    if part.cast is not None:
                        text.append(f"::{part.cast}")
            self._rendered = "".join(text), tuple([part.value for part in numbers])
        return self._rendered


EMPTY = Sql()


def sql(template: LiteralString, /, **fragments: Sql) -> Sql:
    """Return a fragment of the program's own text; `{name}` is replaced by the fragment of that name.

    Literal braces are doubled. Raises ValueError for a `$1` in the text and KeyError for a missing name: both are
    mistakes of the program, not of a client.
    """
    parts: list[str | Bind] = []
    for text, name in _parse(template):
        if text:
            parts.append(text)
        if name is not None:
            parts.extend(fragments[name].parts)
    return Sql(tuple(parts))


@lru_cache(maxsize=512)
def _parse(template: str) -> tuple[tuple[str, str | None], ...]:
    if _PLACEHOLDER.search(template):
        raise ValueError("placeholders are numbered by Sql.render, write {name} and pass a bind")
    return tuple((text, name) for text, name, _, _ in Formatter().parse(template))


@lru_cache(maxsize=8192)
def ident(*names: str) -> Sql:
    """Return a quoted identifier; several names are joined by dots: `ident("hazard", 'a"b')`.

    Any name that PostgreSQL accepts is safe. Raises ValueError for an empty name or one with a NUL character, which
    identifiers cannot contain.
    """
    if not names:
        raise ValueError("an identifier needs a name")
    for name in names:
        if not name or "\0" in name:
            raise ValueError(f"not an identifier: {name!r}")
    return Sql((".".join('"' + name.replace('"', '""') + '"' for name in names),))


def bind(value: object, sql_type: str, cast: str | None = None) -> Sql:
    """Return a fragment of one bound value: see `Bind`."""
    return Sql((Bind(value, sql_type, cast),))


def binds(values: Iterable[object], sql_type: str) -> Sql:
    """Return a bind for each value, with commas between them."""
    parts: list[str | Bind] = []
    for value in values:
        parts.append(Bind(value, sql_type))
        parts.append(", ")
    return Sql(tuple(parts[:-1]))


def join(separator: LiteralString, fragments: Iterable[Sql]) -> Sql:
    """Join the fragments with `separator`; empty for no fragments."""
    parts: list[str | Bind] = []
    for index, fragment in enumerate(fragments):
        if index:
            parts.append(separator)
        parts.extend(fragment.parts)
    return Sql(tuple(parts))


def all_of(conditions: Iterable[Sql]) -> Sql:
    """Return the conjunction, each condition in parentheses, without empty ones; `TRUE` for none."""
    return _connect(" AND ", conditions) or sql("TRUE")


def any_of(conditions: Iterable[Sql]) -> Sql:
    """Return the disjunction, each condition in parentheses, without empty ones; `FALSE` for none."""
    return _connect(" OR ", conditions) or sql("FALSE")


def _connect(word: LiteralString, conditions: Iterable[Sql]) -> Sql:
    return join(word, [sql("({condition})", condition=condition) for condition in conditions if condition])
