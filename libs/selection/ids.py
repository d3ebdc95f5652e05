"""Ids of features: their form, and the condition that finds a feature by its id.

An id is the value of the key. If several columns form the key, the id is their values as text, joined by `~`; within a
value, `~`, `,` and `%` are percent-encoded.
"""

import re
from collections.abc import Iterable, Sequence
from typing import LiteralString
from urllib.parse import unquote

from libs.catalogue.model import Collection, Column
from libs.cql import CqlError, kind_of, value_predicate
from libs.pg.column_types import Kind, base_type, column_type
from libs.pg.sql import Bind, Sql, all_of, any_of, bind, ident, join, sql
from libs.selection.columns import column_queryable

SEPARATOR = "~"
_INTEGER_ID = re.compile(r"(?:0|-?[1-9]\d*)\Z", re.ASCII)
_INT8_DIGITS = 18
_ESCAPE = re.compile("%(?:2C|20|25)", re.IGNORECASE)
_AT_ENDS = re.compile(r"\A +| +\Z")
_BY_VALUE = (Kind.INTEGER, Kind.NUMBER, Kind.STRING, Kind.UUID, Kind.ENUM, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)
_ESCAPED: LiteralString = "replace(replace(replace({name}::text, '%', '%25'), '~', '%7E'), ',', '%2C')"
# in the form of RFC 3339; years outside its calendar stay in PostgreSQL's form, which reads both
_MOMENT: LiteralString = r"regexp_replace({name}::text, '^([^ ]+) ([^ +]+)(\+00)?$', '\1T\2Z')"

_BEYOND = {
    # values without a name in formats of features and filters: there, an id of one column is null
    Kind.NUMBER: re.compile(r"-?Infinity|NaN"),
    **dict.fromkeys(
        (Kind.DATE, Kind.TIMESTAMP),
        re.compile(r"-?infinity|\d{4,}-\d\d-\d\d( [\d:.]+\+00)? BC|\d{5,}-\d\d-\d\d(T[\d:.]+Z)?", re.ASCII),
    ),
}


def composite_id(columns: tuple[Column, ...]) -> Sql:
    """Return the id of several columns."""
    return join(f" || '{SEPARATOR}' || ", [_part(column) for column in columns])


def _part(column: Column) -> Sql:
    known, name = column_type(column.sql_type), ident(column.name)
    if known.kind in (Kind.INTEGER, Kind.UUID, Kind.DATE):
        return sql("{name}::text", name=name)
    if known.by_numeric:
        # in the form that clients see, for any currency
        return sql("{name}::numeric::text", name=name)
    return sql(_MOMENT if known.kind is Kind.TIMESTAMP else _ESCAPED, name=name)


def key_condition(collection: Collection, text: str) -> Sql | None:
    """Return the condition that selects the feature with this id; None if no feature can have it.

    For a key of a rarer type (`has_odd_id`), an invalid text gives a condition that fails with `Uncomputable`.
    """
    parts = _key_parts(collection, text)
    if not parts:
        return None
    return parts[0] if len(parts) == 1 else all_of(parts)


def keys_condition(collection: Collection, texts: Iterable[str]) -> Sql:
    """Return the condition that selects the features with these ids.

    Ids of one form are sent as one array per key column: PostgreSQL needs seconds to plan thousands of comparisons
    joined by OR. Raises like `key_condition`.
    """
    conditions: list[Sql] = []
    arrays: dict[tuple[_Form, ...], list[Sequence[Bind]]] = {}
    single: dict[tuple[_Form, ...], Sql] = {}
    for text in dict.fromkeys(texts):
        parts = _key_parts(collection, text)
        split = [found for part in parts if (found := _split(part)) is not None]
        if parts and len(split) == len(parts):
            forms = tuple(form for form, _ in split)
            arrays.setdefault(forms, []).append([value for _, value in split])
            single[forms] = parts[0] if len(parts) == 1 else all_of(parts)
        elif parts:
            conditions.append(all_of(parts))
    conditions += [_equals_any(forms, rows) if len(rows) > 1 else single[forms] for forms, rows in arrays.items()]
    return any_of(conditions)


_Form = tuple[str, str, str | None]
"""The compared expression, the type that its value is sent as, and the type that this is cast to."""
_EQUALS = " = "


def _split(condition: Sql) -> tuple[_Form, Bind] | None:
    """Return the two sides of `something = value`; None for other conditions."""
    *texts, value = condition.parts
    text = "".join(part for part in texts if isinstance(part, str))
    if not isinstance(value, Bind) or not text.endswith(_EQUALS) or any(isinstance(part, Bind) for part in texts):
        return None
    if (value.cast or value.sql_type).endswith("]"):
        # PostgreSQL has no arrays of arrays
        return None
    return (text.removesuffix(_EQUALS), value.sql_type, value.cast), value


def _equals_any(forms: Sequence[_Form], rows: Sequence[Sequence[Bind]]) -> Sql:
    compared = [Sql((text,)) for text, _, _ in forms]
    arrays = [
        bind([value.value for value in values], f"{sql_type}[]", f"{cast}[]" if cast else None)
        for (_, sql_type, cast), values in zip(forms, zip(*rows, strict=True), strict=True)
    ]
    if len(forms) == 1:
        return sql("{compared} = ANY({array})", compared=compared[0], array=arrays[0])
    return sql(
        "({compared}) IN (SELECT * FROM unnest({arrays}))", compared=join(", ", compared), arrays=join(", ", arrays)
    )


def _key_parts(collection: Collection, text: str) -> list[Sql]:
    """Return a condition for each key column; empty if no feature can have this id."""
    columns = collection.id_columns
    if not columns or "\0" in text:
        return []
    parts = text.split(SEPARATOR)
    if len(columns) == 1:
        conditions = [_equals(columns[0], text)]
    elif len(parts) == len(columns):
        conditions = [_equals_part(column, unquote(part)) for column, part in zip(columns, parts, strict=True)]
    else:
        return []
    known = [condition for condition in conditions if condition is not None]
    return known if len(known) == len(columns) else []


def unescape_id(text: str) -> str:
    """Return a member of a list of ids, in which `%2C` is a comma, `%20` a space at an end, and `%25` a `%`.

    An id may contain these sequences literally: then the list means both ids.
    """
    return _ESCAPE.sub(lambda found: unquote(found[0]), text)


def listed_id(text: str) -> str:
    """Return the id escaped as a member of a list: `unescaped` inverts it."""
    return _AT_ENDS.sub(lambda found: "%20" * len(found[0]), text.replace("%", "%25").replace(",", "%2C"))


def has_odd_id(collection: Collection) -> bool:
    """Return whether only the database can decide if a text is a value of the key."""
    kinds = [_kind(column) for column in collection.id_columns]
    return any(kind not in _BY_VALUE or (len(kinds) > 1 and kind in _BEYOND) for kind in kinds)


def _kind(column: Column) -> Kind:
    return kind_of(column.sql_type, column.enum)


def _equals_part(column: Column, text: str) -> Sql | None:
    beyond = _BEYOND.get(_kind(column))
    is_odd = beyond is not None and beyond.fullmatch(text) is not None
    return _equals(column, text, is_odd=is_odd)


def _equals(column: Column, text: str, *, is_odd: bool = False) -> Sql | None:
    kind = _kind(column)
    if is_odd or kind not in _BY_VALUE:
        # the database wrote the text, and can read it
        plain = base_type(column.sql_type)
        # without its length it would be one bit
        value = bind(text, "text", cast=column.sql_type if plain == "bit" else plain)
        return sql("{name} = {value}", name=ident(column.name), value=value)
    if kind is Kind.INTEGER:
        # in the form of features: "049" and "49.0" are not ids of 49
        if not _INTEGER_ID.match(text):
            return None
        if len(text) <= _INT8_DIGITS:
            return sql("{name} = {value}", name=ident(column.name), value=bind(int(text), "int8"))
    try:
        return value_predicate(column_queryable(column), text)
    except CqlError:
        return None
