"""The filter form of a collection, filled in as sent, with each fault beside its field."""

from collections.abc import Collection as Names
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from libs.catalogue.model import Collection, Column
from libs.cql.quoting import property_name
from libs.ogc.errors import Fault
from libs.web.languages import gettext
from services.features.rows.value_ranges import ValueRange

_SORTABLE = 100
_FIELDS = 30
_IN_FORM = frozenset({"bbox", "datetime", "filter", "sortby", "limit"})
_LEFT_OUT = frozenset({"offset", "cursor", "f"})
"""Parameters that a new filter drops."""


@dataclass(frozen=True, slots=True)
class Field:
    """A property with its own field; `values` are all its values, `span` is its minimum and maximum."""

    column: Column
    values: Sequence[str] = ()
    span: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """An example filter: its label and its parameters."""

    text: str
    parameters: Mapping[str, str]


def form_context(
    collection: Collection,
    given: Mapping[str, str],
    columns: Sequence[Column],
    examples: Sequence[Example] = (),
    *,
    declared: Names[str],
    ranges: Mapping[str, ValueRange],
    faults: Sequence[Fault] = (),
) -> dict[str, Any]:
    """Return the context of the form's template.

    `columns` can be sorted by; `declared` are the parameters, which hide properties of the same name.
    """
    fields = _fields(collection, declared, ranges)
    shown = _IN_FORM | {field.column.name for field in fields}
    by_name: dict[str, list[str]] = {}
    for fault in faults:
        by_name.setdefault(fault.loc[-1], []).append(fault.msg)
    return {
        "collection": collection,
        "geometry": collection.geometry(),
        "sortable": [column for column in columns if column.ordered][:_SORTABLE],
        "fields": fields,
        "given": given,
        # an invalid parameter without a field would fail again
        "others": {
            name: text
            for name, text in given.items()
            if name not in shown and name not in _LEFT_OUT and name not in by_name
        },
        "examples": examples,
        "placeholder": _placeholder(columns, examples),
        "faults": {name: "; ".join(texts) for name, texts in by_name.items() if name in shown},
        "other_faults": [text for name, texts in by_name.items() if name not in shown for text in texts],
    }


def _placeholder(columns: Sequence[Column], examples: Sequence[Example]) -> str:
    """Return an example for the empty filter field."""
    own = f"{property_name(columns[0].name)} IS NOT NULL" if columns else ""
    return next((example.parameters["filter"] for example in examples if "filter" in example.parameters), own)


def _fields(collection: Collection, declared: Names[str], ranges: Mapping[str, ValueRange]) -> list[Field]:
    """Return the properties that get their own field."""
    columns = [
        column
        for column in collection.columns
        if column.type in ("string", "integer", "number", "boolean")
        and column.format in (None, "uuid")
        and column.name not in declared
    ]
    return [_field(column, ranges.get(column.name)) for column in columns[:_FIELDS]]


def _field(column: Column, values: ValueRange | None) -> Field:
    if column.type == "boolean":
        return Field(column, ("true", "false"))
    if column.enum:
        return Field(column, column.enum)
    if values is None:
        return Field(column)
    if values.values:
        return Field(column, values.values)
    if values.minimum is None or values.maximum is None:
        return Field(column)
    return Field(
        column,
        span=gettext("%(least)s to %(most)s") % {"least": f"{values.minimum:.15g}", "most": f"{values.maximum:.15g}"},
    )
