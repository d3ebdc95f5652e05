"""The query for the features around a place."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from libs.catalogue.model import Argument, Collection, Column, GeometryColumn, TimeColumn
from libs.web.query_params import QueryValues
from services.features.request.around import query_around
from services.features.request.items_query import parse_items
from services.features.rows.event_parts import query_of_event

AT = Column("at", "timestamp with time zone", "string", format="date-time")
GAUGES = Collection(
    "own.gauges", "own", "gauges", 1, "table", "Gauges", None,
    (Column("id", "integer", "integer", not_null=True), AT, Column("event_id", "text", "string")),
    (GeometryColumn("geom", "Point", 4326),), (TimeColumn("at", "timestamp with time zone"),), key="id",
)  # fmt: skip
NOON = datetime(2026, 1, 2, 13, 30, 59, 5, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("box", "asked"),
    [
        ((10.0, 20.0, 11.0, 21.0), "9.5000,19.5000,11.5000,21.5000"),
        ((179.0, -90.0, 179.8, 89.8), "178.5000,-90.0000,-179.7000,90.0000"),
        ((-179.8, -89.8, -179.0, 90.0), "179.7000,-90.0000,-178.5000,90.0000"),
        # across the antimeridian already
        ((179.0, 1.0, -179.0, 2.0), "178.5000,0.5000,-178.5000,2.5000"),
        ((-90.0, 1.0, 90.0, 2.0), "-90.5000,0.5000,90.5000,2.5000"),
    ],
)
def test_the_box_has_a_margin_on_earth(box: tuple[float, float, float, float], asked: str) -> None:
    query = query_around(GAUGES, box, NOON, limit=7)
    assert query is not None
    assert query.given == {"bbox": asked, "datetime": "2026-01-02T12:30:00Z/.."}
    assert (query.limit, query.offset, query.options.bbox_only) == (7, 0, True)
    edges = [float(edge) for edge in asked.split(",")]
    values: dict[str, Any] = defaultdict(lambda: None, limit=9, bbox=edges, datetime="2026-01-02T12:30:00Z/..")
    # the rows that such a request has
    assert query.fingerprint == parse_items(GAUGES, QueryValues(values), {}).fingerprint


def test_what_cannot_be_asked_is_not() -> None:
    # a box that is cut at the antimeridian, or the world
    assert query_around(GAUGES, (-90.1, 0.0, 90.0, 1.0), NOON, limit=7) is None
    # a function with a required argument
    function = replace(GAUGES, kind="function", arguments=(Argument("at_least", "real", "number"),))
    assert query_around(function, (0.0, 0.0, 1.0, 1.0), NOON, limit=7) is None


def test_the_features_of_an_event() -> None:
    query = query_of_event(GAUGES, "F/1", limit=3)
    assert query is not None
    assert (query.limit, query.given) == (3, {"event_id": "F/1"})
    assert [term.column.name for term in query.order] == ["id"]
    assert "F/1" in query.selection.where.render()[1]
    numbered = replace(GAUGES, columns=(*GAUGES.columns[:2], Column("event_id", "integer", "integer")))
    assert query_of_event(numbered, "F/1", limit=3) is None
    assert query_of_event(numbered, "7", limit=3) is not None
    assert query_of_event(replace(GAUGES, columns=GAUGES.columns[:2]), "F/1", limit=3) is None
