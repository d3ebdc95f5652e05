"""Who lives in zones of wind, told with them."""

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeVar

from deploy.loader.places.gazetteer import Gazetteer, installed
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.places.populated import Within
from deploy.loader.records.storms import AdvisoryZone, StormZone

Zone = TypeVar("Zone", StormZone, AdvisoryZone)

NOBODY_ASKED = dict.fromkeys(Within._fields)
"""What stands in a row until `with_people` was asked: that is quick for many, and slow for one at a time."""


def with_people(zones: Iterable[Zone], gazetteer: Gazetteer | None) -> list[Zone]:
    """The zones with the people in places in them, in their order; as they are where there is no gazetteer."""
    rows = list(zones)
    if gazetteer is None or not rows:
        return rows
    found = gazetteer.within([row.geom for row in rows])
    return [row._replace(**facts._asdict()) for row, facts in zip(rows, found, strict=True)]


@lru_cache(maxsize=1)
def packaged_gazetteer() -> Gazetteer | None:
    """None where the packages are not installed: nobody is counted, then."""
    try:
        return installed()
    except SourceMissingError:
        return None
