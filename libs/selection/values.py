"""Text from a query string as the value of a column."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from math import isfinite
from uuid import UUID

from libs.catalog.model import Column
from libs.ogc.temporal import parse_instant
from libs.pg.sql import Sql, bind

_INTEGER_BOUNDS = {"smallint": 2**15, "integer": 2**31, "bigint": 2**63}
_INTEGER = re.compile(r"[+-]?\d{1,20}\Z", re.ASCII)


def typed(column: Column, text: str) -> Sql:
    """`text` bound as a value of the column's type, so that an index on the column stays usable.

    Raises ValueError with a sentence for the client where it cannot be one.
    """
    if column.type == "integer":
        return _integer(column, text)
    if column.type == "number":
        return _number(column, text)
    if column.type == "boolean":
        if text.lower() not in ("true", "false"):
            raise ValueError("must be true or false")
        return bind(text.lower() == "true", "boolean")
    if column.type != "string":
        raise ValueError(f"is of type {column.type}, which cannot be compared with a text")
    return _text(column, text)


def _integer(column: Column, text: str) -> Sql:
    bound = _INTEGER_BOUNDS.get(column.sql_type, 2**31)
    if not _INTEGER.match(text):
        raise ValueError("must be a whole number")
    if not -bound <= int(text) < bound:
        raise ValueError(f"must be between {-bound} and {bound - 1}")
    return bind(int(text), column.sql_type)


def _number(column: Column, text: str) -> Sql:
    try:
        if column.sql_type.startswith("numeric"):
            value: float | Decimal = Decimal(text)
        else:
            value = float(text)
    except (ValueError, InvalidOperation):
        raise ValueError("must be a number") from None
    if not isfinite(value):
        raise ValueError("must be a finite number")
    return bind(value, "numeric" if isinstance(value, Decimal) else column.sql_type)


def _text(column: Column, text: str) -> Sql:
    if column.format == "date":
        try:
            return bind(date.fromisoformat(text), "date")
        except ValueError:
            raise ValueError("must be a date such as 2020-01-31") from None
    if column.sql_type == "timestamp with time zone":
        return bind(parse_instant(text), "timestamptz")
    if column.sql_type == "timestamp without time zone":
        return bind(parse_instant(text).replace(tzinfo=None), "timestamp")
    if column.format == "uuid":
        try:
            return bind(UUID(text), "uuid")
        except ValueError:
            raise ValueError("must be a UUID") from None
    if column.sql_type.startswith(("text", "character")):
        return bind(text, "text")
    # enums, network addresses and the like are compared by their text: any text is fit for that
    return bind(text, "text")


def cursor_text(value: object) -> str | None:
    """A column's value as text that PostgreSQL reads back as the same value."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return f"{value.days} days {value.seconds} seconds {value.microseconds} microseconds"
    return repr(value) if isinstance(value, float) else str(value)
