"""What collections are about: the contract's modules, which collections tell of the same event, and which of what is
expected.
"""

from collections.abc import Iterable

from libs.catalogue.model import Collection

_MODULES = (
    ("_eq_", "Earthquakes"),
    ("_fl_", "Floods"),
    ("_ts_disturbance_", "Tropical disturbances"),
    ("_ts_", "Tropical storms"),
)
_HAZARDS = {
    "Earthquakes": "earthquakes",
    "Floods": "floods",
    "Tropical disturbances": "storms",
    "Tropical storms": "storms",
}
EVENT_KEY = "event_id"
"""The property by which collections of a module name the same event."""

PRODUCTS = {
    "population_impact_url": "/impact?f=json",
    "facility_exposure_url": "/facilities?f=json",
    "shapefile_url": "/bundle",
}
"""Properties of events that have the addresses of products of this service, and what follows the event's address."""


def module(collection: Collection) -> str:
    """The contract's module that a collection belongs to, or its schema's name."""
    name = f"_{collection.name}_"
    return next((title for part, title in _MODULES if part in name), collection.schema.replace("_", " ").capitalize())


def hazard(collection: Collection) -> str:
    """The word by which pages give a collection the colour of its hazard; empty where it is of none."""
    return _HAZARDS.get(module(collection), "")


def of_events(collections: Iterable[Collection]) -> list[Collection]:
    """Those whose features belong to events. Functions are not: they may take any time."""
    return [each for each in collections if each.kind != "function" and each.column(EVENT_KEY) is not None]


def siblings(collection: Collection, others: Iterable[Collection]) -> list[Collection]:
    """The other collections of its module that tell of the same events; none where it has no events."""
    if collection.column(EVENT_KEY) is None:
        return []
    own = module(collection)
    return [
        other
        for other in others
        if other.schema == collection.schema
        and other.id != collection.id
        and module(other) == own
        and other.column(EVENT_KEY) is not None
    ]


def is_forecast(collection: Collection) -> bool:
    """Whether its features, which have places, say what is expected: by its name, as in the contract."""
    return collection.name.endswith("_forecast") and collection.kind != "function" and collection.geometry() is not None


def forecasts(collection: Collection, others: Iterable[Collection]) -> list[Collection]:
    """The forecasts of its module, where it is none itself."""
    if is_forecast(collection):
        return []
    own = module(collection)
    return [
        other for other in others if other.schema == collection.schema and module(other) == own and is_forecast(other)
    ]
