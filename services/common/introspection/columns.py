"""Describe columns for clients: JSON Schema type, format, title, unit."""

import re
from typing import Any

from libs.catalogue.model import Argument, Column
from libs.pg.column_types import internal_type

_UNIT = re.compile(r"\s*\[([^\[\]]+)\]\s*\Z")


def column_of(entry: dict[str, Any]) -> Column:
    """Return the column of a row of relations.sql."""
    kind, format_ = _json_type(entry)
    title, description, unit = split_comment(entry["comment"])
    if kind == "string" and format_ is None and entry["name"].endswith("url"):
        format_ = "uri"
    return Column(
        name=entry["name"],
        sql_type=entry["sql_type"],
        type=kind,
        format=format_,
        title=title,
        description=description,
        unit=unit,
        enum=tuple(entry["enum"]) if entry["enum"] else None,
        indexed=entry["indexed"],
        not_null=entry["not_null"],
        items=_items(entry),
    )


def argument_of(entry: dict[str, Any]) -> Argument:
    """Return the function's argument of a row of functions.sql."""
    kind, format_ = _json_type(entry)
    return Argument(entry["name"], entry["sql_type"], kind, format_, entry["default"])


def _json_type(entry: dict[str, Any]) -> tuple[str, str | None]:
    known = internal_type(entry["base_type"])
    if entry["type_kind"] == "c":
        return "object", None
    if entry["category"] == "A":
        return "array", None
    return known.json_type, known.json_format


def _items(entry: dict[str, Any]) -> str | None:
    """Return the type of an array's members: None for JSON, composite values and the like."""
    if entry["category"] != "A" or entry["element_kind"] not in ("b", "e", "r", "m"):
        return None
    known = internal_type(entry["element_type"])
    return None if known.json_type == "object" else known.json_type


def split_comment(comment: str | None) -> tuple[str | None, str | None, str | None]:
    """`Title. Description [unit]` taken apart; what is absent is None.

    >>> split_comment("Depth. Depth of the hypocentre below sea level. [km]")
    ('Depth', 'Depth of the hypocentre below sea level.', 'km')
    """
    if not comment:
        return None, None, None
    text = comment.strip()
    unit = None
    if match := _UNIT.search(text):
        unit, text = match.group(1), text[: match.start()].strip()
    title, _, description = text.partition(". ")
    return title.rstrip(".") or None, description.strip() or None, unit
