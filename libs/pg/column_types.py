"""PostgreSQL's types and their meaning for clients, filters, formats and tiles: one row per type.

Only facts. Each service decides how it selects a column of some type; which types it treats in the same way follows
from these facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import LiteralString

from libs.pg.sql import Sql, sql


class Kind(StrEnum):
    """Kind of a value in a filter; the values are the words used in messages."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    DURATION = "duration"
    PERIOD = "period of time"
    UUID = "UUID"
    ENUM = "string of a fixed list"
    GEOMETRY = "geometry"
    ARRAY = "array"
    JSON = "JSON value"
    OTHER = "value without comparison type"


SAFE_INTEGER = 2**53 - 1
"""The largest integer that JavaScript represents exactly; a larger id is text."""

NUMERIC = frozenset({Kind.INTEGER, Kind.NUMBER})
TEMPORAL = frozenset({Kind.DATE, Kind.TIMESTAMP})
TEXTUAL = frozenset({Kind.STRING, Kind.UUID, Kind.ENUM, Kind.DURATION, Kind.PERIOD, Kind.OTHER})
"""Kinds that a client sees as a JSON string and compares with a character literal."""


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type of PostgreSQL or of an extension. The defaults suit types that the table does not have."""

    name: str
    """Name as `format_type` writes it, without a length or precision: `timestamp with time zone`."""
    internal: str
    """Its name in `pg_type`: `timestamptz`."""
    kind: Kind = Kind.OTHER
    json_type: str = "string"
    """JSON Schema type of its values."""
    json_format: str | None = None
    """JSON Schema format of its values."""
    bits: int | None = None
    """Number of bits of an integer type with a range."""
    floating: bool = False
    """Whether it is a binary floating point number."""
    ordered: bool = True
    """Whether it has a B-tree operator class, so that rows can be sorted by it."""
    native: bool = False
    """Whether the JSON encoder writes the driver's value in the form for clients."""
    one_text: bool = False
    """Whether two values are equal exactly if their texts are: false for 1.0 and 1.00, or -0 and 0."""
    by_numeric: bool = False
    """Whether its only cast to a number is the one to numeric."""
    in_tiles: bool = False
    """Whether ST_AsMVT writes it with its type, not as text."""
    extension: bool = False
    """Whether an extension adds it, so that the name of any schema may precede its name."""


COLUMN_TYPES = (
    ColumnType("smallint", "int2", Kind.INTEGER, "integer", bits=16, native=True, one_text=True),
    ColumnType("integer", "int4", Kind.INTEGER, "integer", bits=32, native=True, one_text=True, in_tiles=True),
    ColumnType("bigint", "int8", Kind.INTEGER, "integer", bits=64, native=True, one_text=True, in_tiles=True),
    ColumnType("oid", "oid", Kind.INTEGER, "integer", native=True, one_text=True),
    ColumnType("real", "float4", Kind.NUMBER, "number", floating=True, native=True, in_tiles=True),
    ColumnType("double precision", "float8", Kind.NUMBER, "number", floating=True, native=True, in_tiles=True),
    ColumnType("numeric", "numeric", Kind.NUMBER, "number"),
    ColumnType("money", "money", Kind.NUMBER, "number", by_numeric=True),
    ColumnType("boolean", "bool", Kind.BOOLEAN, "boolean", native=True, one_text=True, in_tiles=True),
    ColumnType("text", "text", Kind.STRING, native=True, one_text=True, in_tiles=True),
    ColumnType("character varying", "varchar", Kind.STRING, one_text=True),
    ColumnType("bpchar", "bpchar", Kind.STRING),
    ColumnType("name", "name", Kind.STRING, native=True, one_text=True),
    ColumnType("citext", "citext", Kind.STRING, extension=True),
    ColumnType("uuid", "uuid", Kind.UUID, json_format="uuid", native=True, one_text=True),
    ColumnType("date", "date", Kind.DATE, json_format="date", one_text=True),
    ColumnType("timestamp without time zone", "timestamp", Kind.TIMESTAMP, json_format="date-time", one_text=True),
    # its text is in the time zone of the session, which is UTC
    ColumnType("timestamp with time zone", "timestamptz", Kind.TIMESTAMP, json_format="date-time", one_text=True),
    ColumnType("time without time zone", "time", json_format="time", one_text=True),
    ColumnType("time with time zone", "timetz", json_format="time"),
    ColumnType("interval", "interval", Kind.DURATION, json_format="duration"),
    *(ColumnType(name, name, Kind.PERIOD) for name in ("daterange", "tsrange", "tstzrange")),
    ColumnType("json", "json", Kind.JSON, "object", ordered=False),
    ColumnType("jsonb", "jsonb", Kind.JSON, "object"),
    ColumnType("hstore", "hstore", json_type="object", extension=True),
    ColumnType("geometry", "geometry", Kind.GEOMETRY, extension=True),
    ColumnType("geography", "geography", Kind.GEOMETRY, extension=True),
    *(
        ColumnType(name, name, ordered=False)
        for name in (
            "pg_node_tree",
            "pg_ndistinct",
            "pg_dependencies",
            "pg_mcv_list",
            "xml",
            "point",
            "line",
            "lseg",
            "box",
            "path",
            "polygon",
            "circle",
            "xid",
            "cid",
            "aclitem",
        )
    ),
)
_BY_NAME = {entry.name: entry for entry in COLUMN_TYPES}
_BY_INTERNAL = {entry.internal: entry for entry in COLUMN_TYPES}
_MODIFIER = re.compile(r'\([^)"]*\)(?=[^"]*$)')


@lru_cache(maxsize=1024)
def column_type(sql_type: str) -> ColumnType:
    """Return the type with this `format_type`, ignoring its modifier, and the schema of an extension's type."""
    plain = base_type(sql_type)
    schema, _, name = plain.rpartition(".")
    found = _BY_NAME.get(name)
    return found if found and (found.extension or not schema) else ColumnType(plain, plain)


def internal_type(name: str) -> ColumnType:
    """Return the type with this name in `pg_type`."""
    return _BY_INTERNAL.get(name) or ColumnType(name, name)


def base_type(sql_type: str) -> str:
    """Return the type without its modifier: `numeric(10,2)` gives `numeric`, `character(3)[]` `bpchar[]`."""
    plain = " ".join(_MODIFIER.sub("", sql_type).split())
    # Without a modifier, "character" would mean character(1) and cut the value.
    return re.sub(r"^character(?=\[|$)", "bpchar", plain)


def types_where(*kinds: Kind, **facts: bool) -> frozenset[str]:
    """Return the names of types of these kinds, or of any kind if none is given, that have all these facts."""
    return frozenset(
        entry.name
        for entry in COLUMN_TYPES
        if (not kinds or entry.kind in kinds) and all(getattr(entry, fact) is wanted for fact, wanted in facts.items())
    )


_LARGEST: LiteralString = "1.7976931348623157e308"


def limits(sql_type: str) -> tuple[LiteralString, LiteralString] | None:
    """Return the conditions that a value `{v}` of this type meets if JSON can hold it: its least, and its greatest.

    Clients see all else as null: NaN, infinity, a `numeric` beyond the doubles, and times outside the years 1 to 9999,
    which RFC 3339 cannot represent. NaN is above infinity in PostgreSQL.
    """
    found = column_type(sql_type)
    if found.kind in TEMPORAL:
        return "{v} >= '0001-01-01'", "{v} < '10000-01-01'"
    if found.floating:
        return "{v} > '-Infinity'", "{v} < 'Infinity'"
    return ("{v} >= -" + _LARGEST, "{v} <= " + _LARGEST) if found.name == "numeric" else None


def keep_representable(op: str, condition: Sql, column: Sql, sql_type: str) -> Sql:
    """Return the condition `column op literal` for rows whose value clients see, in a form that an index serves.

    `IS NOT FALSE` hides the limit from the planner: of two comparisons on one column, one with an unknown literal, it
    expects half a percent of the rows, and then uses the index of the wrong column.
    """
    known = limits(sql_type)
    if known is None or op == "=":
        return condition
    limit = sql(known[1] if op in (">", ">=") else known[0], v=column)
    return sql("({condition} AND ({limit}) IS NOT FALSE)", condition=condition, limit=limit)


def client_value(value: Sql, sql_type: str) -> Sql:
    """Return the value as clients see it: NULL where JSON cannot hold it. No index on the column serves this."""
    known = limits(sql_type)
    if known is None:
        return value
    return sql("(CASE WHEN " + known[0] + " AND " + known[1] + " THEN {v} END)", v=value)


def as_float8(value: Sql, sql_type: str) -> Sql:
    """Return a number of any type as the double for JSON and vector tiles; NULL if it is out of range."""
    if base_type(sql_type) == "numeric":
        # a number nearer to zero than any double becomes zero; PostgreSQL's cast rejects both cases
        return sql(
            "CASE WHEN {value} BETWEEN -1.7e308 AND 1.7e308 THEN"
            " CASE WHEN abs({value}) < 1e-307 THEN 0 ELSE {value}::float8 END END",
            value=value,
        )
    by_numeric = column_type(sql_type).by_numeric
    return sql("{value}::numeric::float8" if by_numeric else "{value}::float8", value=value)
