"""The subjects of collections: the contract's modules, collections with features of the same event, and forecasts."""

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
    """Return the contract's module of a collection, or its schema's name."""
    name = f"_{collection.name}_"
    return next((title for part, title in _MODULES if part in name), collection.schema.replace("_", " ").capitalize())


def hazard(collection: Collection) -> str:
    """Return the hazard that decides a collection's colour on pages; empty if there is none."""
    return _HAZARDS.get(module(collection), "")


def of_events(collections: Iterable[Collection]) -> list[Collection]:
    """Return the collections with features of events. Functions are left out: they may take long."""
    return [each for each in collections if each.kind != "function" and each.column(EVENT_KEY) is not None]


def siblings(collection: Collection, others: Iterable[Collection]) -> list[Collection]:
    """Return the other collections of its module with the same events; empty if it has no events."""
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
    """Return whether its features are forecasts with places: judged by its name, as in the contract."""
    return collection.name.endswith("_forecast") and collection.kind != "function" and collection.geometry() is not None


def forecasts(collection: Collection, others: Iterable[Collection]) -> list[Collection]:
    """Return the forecasts of its module; empty if it is a forecast itself."""
    if is_forecast(collection):
        return []
    own = module(collection)
    return [
        other for other in others if other.schema == collection.schema and module(other) == own and is_forecast(other)
    ]
