"""The population in wind zones, stored with them."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from deploy.loader.places.gazetteer import Gazetteer, installed_gazetteer
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.places.populated import Within
from deploy.loader.records.storms import AdvisoryZone, StormZone

Zone = TypeVar("Zone", StormZone, AdvisoryZone)

NOBODY_ASKED = dict.fromkeys(Within._fields)
"""Values of these columns before `with_people`, which is fast for many rows and slow for single ones."""


def with_people(zones: Iterable[Zone], gazetteer: Gazetteer | None) -> list[Zone]:
    """Return the zones with the population of places in them, in order; unchanged without a gazetteer."""
    rows = list(zones)
    if gazetteer is None or not rows:
        return rows
    found = gazetteer.places_within([row.geom for row in rows])
    return [row._replace(**facts._asdict()) for row, facts in zip(rows, found, strict=True)]


@lru_cache(maxsize=1)
def packaged_gazetteer() -> Gazetteer | None:
    """Return the gazetteer; None if the packages are not installed: then no population is counted."""
    try:
        return installed_gazetteer()
    except SourceMissingError:
        return None
