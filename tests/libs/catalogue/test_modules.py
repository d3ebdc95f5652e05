"""Which collections tell of the same event."""

from __future__ import annotations

from libs.catalogue.model import Collection, Column
from libs.catalogue.modules import siblings


def _collection(identifier: str, *columns: str) -> Collection:
    schema, _, name = identifier.partition(".")
    properties = tuple(Column(column, "text", "string") for column in columns)
    return Collection(identifier, schema, name, 1, "table", name, None, properties)


def test_siblings_are_the_others_of_the_module_that_have_events() -> None:
    own = _collection("hazard.gdacs_eq_events", "event_id")
    told = [_collection("hazard.gdacs_eq_areas", "event_id"), _collection("hazard.eq_places", "id", "event_id")]
    apart = [
        _collection("hazard.eq_bare"),
        _collection("hazard.gdacs_fl_events", "event_id"),
        _collection("other.gdacs_eq_events", "event_id"),
    ]
    assert siblings(own, [told[0], *apart, own, told[1]]) == told
    assert siblings(apart[0], [own, *told]) == []
