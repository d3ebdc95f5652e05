"""A few earthquakes in the USGS's format (public domain), and possible changes of them."""

from __future__ import annotations

from typing import Any

FEBRUARY_2018 = 1_517_443_200_000
"""2018-02-01T00:00:00Z in milliseconds."""


def feature(event_id: str = "us2000cs46", **changed: Any) -> dict[str, Any]:
    """Return an event of the GeoJSON summary; `changed` are its properties, and `coordinates` and `geometry`."""
    coordinates = changed.pop("coordinates", [121.653, 24.1737, 17])
    geometry = changed.pop("geometry", {"type": "Point", "coordinates": coordinates})
    properties = {
        "mag": 6.4,
        "place": "22km NNE of Hualian, Taiwan",
        "time": FEBRUARY_2018 + 500_000,
        "updated": FEBRUARY_2018 + 900_000,
        "tz": 480,
        "url": f"https://earthquake.usgs.gov/earthquakes/eventpage/{event_id}",
        "detail": f"https://earthquake.usgs.gov/fdsnws/event/1/query?eventid={event_id}&format=geojson",
        "felt": 313,
        "cdi": 8.6,
        "mmi": 7.9,
        "alert": "orange",
        "status": "reviewed",
        "tsunami": 1,
        "sig": 1012,
        "net": "us",
        "code": event_id.removeprefix("us"),
        "ids": f",{event_id},",
        "sources": ",us,",
        "types": ",dyfi,geoserve,ground-failure,losspager,origin,phase-data,shakemap,",
        "nst": None,
        "dmin": 0.152,
        "rms": 0.61,
        "gap": 21,
        "magType": "mww",
        "type": "earthquake",
        "title": "M 6.4 - 22km NNE of Hualian, Taiwan",
    }
    return {"type": "Feature", "properties": properties | changed, "geometry": geometry, "id": event_id}


def feed(*features: Any, generated: int = FEBRUARY_2018 + 3_600_000) -> dict[str, Any]:
    """Return a feed of such events."""
    metadata = {"generated": generated, "title": "USGS All Earthquakes, Past Day", "status": 200, "api": "1.5.8"}
    return {"type": "FeatureCollection", "metadata": metadata | {"count": len(features)}, "features": list(features)}
