"""Earthquake events from the USGS feed in vega-datasets."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from shapely.geometry import Point

from deploy.loader.places.gazetteer import Gazetteer
from deploy.loader.records.earthquakes import EarthquakeEvent
from deploy.loader.sources.surroundings import surroundings


def earthquake_events(path: Path, gazetteer: Gazetteer) -> Iterator[EarthquakeEvent]:
    """Yield the events of a USGS GeoJSON summary, oldest first, with their surroundings.

    Format: USGS earthquake feeds, GeoJSON summary format (times in ms since 1970, depth in km as third coordinate).
    Raises KeyError if the file has another format.
    """
    features = json.loads(path.read_text(encoding="utf-8"))["features"]
    features.sort(key=lambda feature: feature["properties"]["time"])
    longitudes, latitudes, _ = zip(*(feature["geometry"]["coordinates"] for feature in features), strict=True)
    return map(_event, features, surroundings(gazetteer, longitudes, latitudes))


def _event(feature: dict[str, Any], near: dict[str, Any]) -> EarthquakeEvent:
    properties = feature["properties"]
    longitude, latitude, depth = feature["geometry"]["coordinates"]
    products = properties["types"].strip(",").split(",")
    detail = properties["detail"]
    return EarthquakeEvent(
        event_id=feature["id"],
        title=properties["title"],
        place=properties["place"],
        magnitude=_number(properties["mag"]),
        magnitude_type=properties["magType"],
        depth=_number(depth),
        event_date=_time(properties["time"]),
        updated=_time(properties["updated"]),
        source="USGS",
        network=properties["net"],
        event_type=properties["type"],
        status=properties["status"],
        significance=properties["sig"],
        felt=properties["felt"],
        alert_level=properties["alert"].capitalize() if properties["alert"] else None,
        tsunami=bool(properties["tsunami"]),
        url=properties["url"],
        detail_url=detail,
        # The feed does not link to single products; its detail document lists them with their files.
        shakemap_url=detail if "shakemap" in products else None,
        population_impact_url=detail if "losspager" in products else None,
        ground_failure_url=detail if "ground-failure" in products else None,
        withdrawn=None,
        **near,
        geom=Point(longitude, latitude),
    )


def _number(value: float | None) -> float | None:
    return None if value is None else float(value)


def _time(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
