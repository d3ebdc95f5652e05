"""Write names and values as CQL2 text: for filters that the service writes itself, in examples and links."""

from __future__ import annotations

import re
from collections.abc import Sequence

from libs.cql.queryable import Queryable
from libs.pg.column_types import NUMERIC, TEMPORAL, Kind

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)
RESERVED_WORDS = frozenset(
    {
        *("and", "or", "not", "like", "between", "in", "is", "null", "true", "false", "div"),
        # before a parenthesis they are functions; quoting them is always safe
        *("casei", "accenti", "date", "timestamp", "interval", "bbox"),
    }
)
"""Words, in lower case, that must be quoted as names of properties. The viewer's filters/cql2.js has the same list."""


def property_name(name: str) -> str:
    """Return the name of a property, in double quotes if CQL2 requires them."""
    if _NAME.match(name) and name.lower() not in RESERVED_WORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def equals(queryable: Queryable, texts: Sequence[str]) -> str:
    """Return the condition that the property has one of these values, each written as in a query parameter."""
    name = property_name(queryable.name)
    literals = [_literal(queryable.kind, text) for text in texts]
    return f"{name} IN ({', '.join(literals)})" if len(literals) > 1 else f"{name} = {literals[0]}"


def _literal(kind: Kind, text: str) -> str:
    if kind in NUMERIC:
        return text
    if kind is Kind.BOOLEAN:
        return text.upper()
    if kind in TEMPORAL:
        return f"DATE('{text}')" if len(text) == 10 else f"TIMESTAMP('{text}')"
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
