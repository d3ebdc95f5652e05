"""SQL fragments that carry their values as binds, and combine without renumbering.

A fragment keeps abstract placeholders until `Sql.render` numbers them, so that fragments written far
apart (a CQL2 filter, a bbox, a keyset) can be put together in any order. There is no way to put a value
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


# neither of the two is frozen, which would double the time to make one: nobody changes them all the same
@dataclass(slots=True, eq=False)
class Bind:
    """One value and the PostgreSQL type it is sent as.

    `value` is what asyncpg encodes for `sql_type` (an aware datetime for `timestamptz`, bytes for
    `bytea`, a list for an array...). `cast` is a further type for values that asyncpg cannot encode by
    itself: `Bind("high", "text", cast="hazard.alert")` renders as `$1::text::hazard.alert`. Types are SQL
    text as `format_type` gives it, from the catalogue or the program, never from a client.
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
        """The two fragments one after the other, with nothing in between."""
        return Sql(self.parts + other.parts)

    def __bool__(self) -> bool:
        """Whether there is any text at all: an empty fragment stands for "no condition"."""
        return bool(self.parts)

    def joined(self) -> Sql:
        """The same with texts that follow each other put together: for a fragment that is used again and again."""
        parts: list[str | Bind] = []
        for part in self.parts:
            if parts and isinstance(part, str) and isinstance(parts[-1], str):
                parts[-1] += part
            else:
                parts.append(part)
        return Sql(tuple(parts))

    def render(self) -> tuple[str, tuple[object, ...]]:
        """The statement with `$1`, `$2`... and the values in that order, as asyncpg takes them.

        A `Bind` that occurs several times (the same object) is sent once. Two different binds keep two
        numbers even when their values are equal, so that the text, and with it the prepared statement,
        depends on the shape of the query alone.
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
    """A fragment from the program's own text; `{name}` is replaced by the fragment of that name.

    Literal braces are doubled. Raises ValueError for a `$1` in the text and KeyError for a name that is
    not given: both are mistakes of the program, not of a client.
    """
    parts: list[str | Bind] = []
    for text, name in _parsed(template):
        if text:
            parts.append(text)
        if name is not None:
            parts.extend(fragments[name].parts)
    return Sql(tuple(parts))


@lru_cache(maxsize=512)
def _parsed(template: str) -> tuple[tuple[str, str | None], ...]:
    if _PLACEHOLDER.search(template):
        raise ValueError("placeholders are numbered by Sql.render, write {name} and pass a bind")
    return tuple((text, name) for text, name, _, _ in Formatter().parse(template))


@lru_cache(maxsize=8192)
def ident(*names: str) -> Sql:
    """A quoted identifier; several names are joined by dots: `ident("hazard", 'a"b')`.

    Any name that PostgreSQL can hold is safe here. Raises ValueError for an empty name or one with a NUL
    character, which no identifier can contain.
    """
    if not names:
        raise ValueError("an identifier needs a name")
    for name in names:
        if not name or "\0" in name:
            raise ValueError(f"not an identifier: {name!r}")
    return Sql((".".join('"' + name.replace('"', '""') + '"' for name in names),))


def bind(value: object, sql_type: str, cast: str | None = None) -> Sql:
    """A fragment of one bound value: see `Bind`."""
    return Sql((Bind(value, sql_type, cast),))


def binds(values: Iterable[object], sql_type: str) -> Sql:
    """A bind for each value, with commas between them."""
    parts: list[str | Bind] = []
    for value in values:
        parts.append(Bind(value, sql_type))
        parts.append(", ")
    return Sql(tuple(parts[:-1]))


def join(separator: LiteralString, fragments: Iterable[Sql]) -> Sql:
    """The fragments with `separator` between them; nothing for no fragments."""
    parts: list[str | Bind] = []
    for index, fragment in enumerate(fragments):
        if index:
            parts.append(separator)
        parts.extend(fragment.parts)
    return Sql(tuple(parts))


def all_of(conditions: Iterable[Sql]) -> Sql:
    """The conjunction, each condition in parentheses; empty ones are left out; `TRUE` for none."""
    return _connected(" AND ", conditions) or sql("TRUE")


def any_of(conditions: Iterable[Sql]) -> Sql:
    """The disjunction, each condition in parentheses; empty ones are left out; `FALSE` for none."""
    return _connected(" OR ", conditions) or sql("FALSE")


def _connected(word: LiteralString, conditions: Iterable[Sql]) -> Sql:
    return join(word, [sql("({condition})", condition=condition) for condition in conditions if condition])
