"""Selections of a collection and their faults, for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.selection.selection import Selection, select

PARAMETERS = (
    *("geom-column", "datetime-column", "ids", "bbox", "datetime", "filter", "filter-lang", "properties", "sortby"),
)
COLUMNS = (
    Column("id", "integer", "integer", not_null=True),
    Column("mag", "double precision", "number"),
    Column("place", "text", "string"),
    Column("began", "timestamp with time zone", "string", "date-time", not_null=True),
    Column("ended", "date", "string", "date"),
    Column("reported", "date", "string", "date"),
    Column("doc", "jsonb", "object"),
    Column("tags", "text[]", "array"),
    Column("spot", "point", "string"),
)


def collection(**members: Any) -> Collection:
    given: dict[str, Any] = {
        "columns": COLUMNS,
        "geometries": (GeometryColumn("geom", "Point", 4326), GeometryColumn("area", "Polygon", 3857)),
        "times": (
            TimeColumn("began", "timestamp with time zone"),
            TimeColumn("ended", "date"),
            TimeColumn("reported", "date"),
        ),
        "key": "id",
    }
    return Collection("s.t", "s", "t", 1, members.pop("kind", "table"), "T", None, **(given | members))


@dataclass
class Query:
    """Parameters as the service passes them, and their faults."""

    given: dict[str, Any] = field(default_factory=dict)
    extra: dict[str, str] = field(default_factory=dict)
    faults: list[tuple[str, str, str, object]] = field(default_factory=list)
    values: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self.values = {**dict.fromkeys(PARAMETERS), **self.given}

    def fault(self, name: str, msg: str, kind: str = "value_error", value: object = None) -> None:
        self.faults.append((name, msg, kind, value))


def selected(chosen: Collection | None = None, **given: Any) -> Selection:
    query = Query({name.replace("_", "-"): value for name, value in given.items()})
    found = select(chosen or collection(), query)
    assert query.faults == []
    return found


def faults(
    chosen: Collection | None = None, extra: dict[str, str] | None = None, **given: Any
) -> list[tuple[str, str, str, object]]:
    query = Query({name.replace("_", "-"): value for name, value in given.items()}, extra or {})
    select(chosen or collection(), query)
    return query.faults
