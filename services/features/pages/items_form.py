"""The form that filters a collection's features: as it was filled in, with what was wrong beside each field."""

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
"""What a new filter starts without."""


@dataclass(frozen=True, slots=True)
class Field:
    """A property that the form asks for by itself; `values` are all it has, `span` is the least and the greatest."""

    column: Column
    values: Sequence[str] = ()
    span: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A filter that a visitor may try: what it does, and the parameters."""

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
    """What the template of the form needs.

    `columns` are those that rows may be sorted by; `declared` are the parameters, which mean something else than the
    property of that name.
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
        # what is wrong and has no field would be wrong again
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
    """A filter to begin with."""
    own = f"{property_name(columns[0].name)} IS NOT NULL" if columns else ""
    return next((example.parameters["filter"] for example in examples if "filter" in example.parameters), own)


def _fields(collection: Collection, declared: Names[str], ranges: Mapping[str, ValueRange]) -> list[Field]:
    """Properties that the form asks for by themselves."""
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
