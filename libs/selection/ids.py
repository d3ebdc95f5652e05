"""Ids of features: what they are made of, and the feature that has one.

An id is the value of the key. Where several columns are the key together, it is the texts of their values with `~`
between them; `~`, `,` and `%` within a value are percent-encoded.
"""

import re
from typing import LiteralString
from urllib.parse import unquote

from libs.catalogue.model import Collection, Column
from libs.cql import CqlError, kind_of, value_predicate
from libs.pg.column_types import Kind, base_type, column_type
from libs.pg.sql import Sql, all_of, bind, ident, join, sql
from libs.selection.columns import column_queryable

SEPARATOR = "~"
_INTEGER_ID = re.compile(r"(?:0|-?[1-9]\d*)\Z", re.ASCII)
_INT8_DIGITS = 18
_ESCAPE = re.compile("%(?:2C|20|25)", re.IGNORECASE)
_AT_ENDS = re.compile(r"\A +| +\Z")
_BY_VALUE = (Kind.INTEGER, Kind.NUMBER, Kind.STRING, Kind.UUID, Kind.ENUM, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN)
_ESCAPED: LiteralString = "replace(replace(replace({name}::text, '%', '%25'), '~', '%7E'), ',', '%2C')"
# as RFC 3339 has it; what is not of our calendar stays as PostgreSQL has it, which reads both
_MOMENT: LiteralString = r"regexp_replace({name}::text, '^([^ ]+) ([^ +]+)(\+00)?$', '\1T\2Z')"

_BEYOND = {
    # what formats of features and filters have no name for: there an id of one column is null
    Kind.NUMBER: re.compile(r"-?Infinity|NaN"),
    **dict.fromkeys(
        (Kind.DATE, Kind.TIMESTAMP),
        re.compile(r"-?infinity|\d{4,}-\d\d-\d\d( [\d:.]+\+00)? BC|\d{5,}-\d\d-\d\d(T[\d:.]+Z)?", re.ASCII),
    ),
}


def composite_id(columns: tuple[Column, ...]) -> Sql:
    """The id that several columns make."""
    return join(f" || '{SEPARATOR}' || ", [_part(column) for column in columns])


def _part(column: Column) -> Sql:
    known, name = column_type(column.sql_type), ident(column.name)
    if known.kind in (Kind.INTEGER, Kind.UUID, Kind.DATE):
        return sql("{name}::text", name=name)
    if known.by_numeric:
        # as clients see it, whatever the currency
        return sql("{name}::numeric::text", name=name)
    return sql(_MOMENT if known.kind is Kind.TIMESTAMP else _ESCAPED, name=name)


def key_condition(collection: Collection, text: str) -> Sql | None:
    """The condition that picks the feature with this id; None where no feature can have it.

    A text that is no value of a key of a rarer type (`has_odd_id`) makes a condition that fails with `Uncomputable`.
    """
    columns = collection.id_columns
    if not columns or "\0" in text:
        return None
    if len(columns) == 1:
        return _equals(columns[0], text)
    parts = text.split(SEPARATOR)
    if len(parts) != len(columns):
        return None
    conditions = [_equals_part(column, unquote(part)) for column, part in zip(columns, parts, strict=True)]
    known = [condition for condition in conditions if condition is not None]
    return all_of(known) if len(known) == len(columns) else None


def unescaped(text: str) -> str:
    """An id of a list, in which a comma may be escaped as `%2C`, a blank at an end as `%20`, and `%` as `%25`.

    An id may hold these letters as they are: then the list means both.
    """
    return _ESCAPE.sub(lambda found: unquote(found[0]), text)


def listed_id(text: str) -> str:
    """The id as a member of a list: what `unescaped` reads as this id."""
    return _AT_ENDS.sub(lambda found: "%20" * len(found[0]), text.replace("%", "%25").replace(",", "%2C"))


def has_odd_id(collection: Collection) -> bool:
    """Whether only the database can tell if a text is a value of the key."""
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
        # the database wrote the text, and reads it again
        plain = base_type(column.sql_type)
        # without its length it would be one bit
        value = bind(text, "text", cast=column.sql_type if plain == "bit" else plain)
        return sql("{name} = {value}", name=ident(column.name), value=value)
    if kind is Kind.INTEGER:
        # as features have it: "049" and "49.0" are no other names of 49
        if not _INTEGER_ID.match(text):
            return None
        if len(text) <= _INT8_DIGITS:
            return sql("{name} = {value}", name=ident(column.name), value=bind(int(text), "int8"))
    try:
        return value_predicate(column_queryable(column), text)
    except CqlError:
        return None
