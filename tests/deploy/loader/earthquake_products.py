"""Documents about an earthquake in the forms of the USGS and of the tsunami warning centres. Values are simulated."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.deploy.loader.earthquake_feed import FEBRUARY_2018

SHOCK = datetime(2018, 2, 1, 0, 8, 20, tzinfo=UTC)
"""The time of the event of the feed."""


def contours(*intensities: float, longitude: float = 121.6) -> dict[str, Any]:
    """Return lines of equal intensity, as ShakeMap draws them."""
    features = [
        {
            "type": "Feature",
            "properties": {"value": each, "units": "mmi", "color": "#7aff93", "weight": 2},
            "geometry": {
                "type": "MultiLineString",
                "coordinates": [[[longitude, 24.0], [longitude + 1 / each, 24.2], [longitude, 24.4]]],
            },
        }
        for each in intensities
    ]
    return {"type": "FeatureCollection", "metadata": {"eventid": "us2000cs46"}, "features": features}


def exposures(*people: int) -> dict[str, Any]:
    """Return the people in the intensities from I on, as PAGER counts them."""
    counts = [*people, *[0] * (10 - len(people))]
    said = {"mmi": [*range(1, 11)], "aggregated_exposure": counts, "country_exposures": []}
    return {"population_exposure": said, "economic_exposure": said}


def detail(event_id: str = "us2000cs46", *, base: str = "https://example.org", **changed: Any) -> dict[str, Any]:
    """Return the details of an event: `changed` are properties of its products, by kind with `_`; None removes one."""
    shakemap = {
        "source": "us", "updateTime": FEBRUARY_2018 + 900_000, "properties": {"maxmmi": "7.9", "version": "4"},
        "contents": {"download/cont_mmi.json": {"url": f"{base}/{event_id}/cont_mmi.json", "length": 1}},
    }  # fmt: skip
    pager = {
        "source": "us", "updateTime": FEBRUARY_2018 + 900_000, "properties": {"alertlevel": "orange", "maxmmi": "7.8"},
        "contents": {"json/exposures.json": {"url": f"{base}/{event_id}/exposures.json", "length": 1}},
    }  # fmt: skip
    failure = {
        "source": "us",
        "properties": {"landslide-alert": "yellow", "liquefaction-alert": "green"},
        "contents": {},
    }
    products: dict[str, list[Any]] = {"shakemap": [shakemap], "losspager": [pager], "ground-failure": [failure]}
    for kind, said in changed.items():
        name = kind.replace("_", "-")
        products[name] = [] if said is None else [products[name][0] | {"properties": said}]
    properties = {"mag": 6.4, "ids": f",{event_id},", "updated": FEBRUARY_2018 + 900_000, "products": products}
    return {"type": "Feature", "id": event_id, "properties": properties, "geometry": None}


def bulletin(
    category: str = "Information",
    number: int = 1,
    *,
    updated: str = "2018-02-01T00:16:00Z",
    place: tuple[float, float] = (121.6, 24.2),
) -> str:
    """Return an entry of the Atom feed of a centre."""
    address = f"https://www.tsunami.gov/events/PHEB/2018/02/01/18032000/{number}/WEPA40"
    return f"""<entry>
      <title>TAIWAN</title>
      <updated>{updated}</updated>
      <geo:lat>{place[1]}</geo:lat>
      <geo:long>{place[0]}</geo:long>
      <summary type="xhtml">
        <div xmlns="http://www.w3.org/1999/xhtml">
          <strong>Category:</strong> {category}<br/>
          <strong>Bulletin Issue Time: </strong> 2018.02.01 00:16:00 UTC <br/>
          <strong>Preliminary Magnitude: </strong>6.4(Mwp)<br/>
          <strong>Affected Region: </strong>TAIWAN<br/>
        </div>
      </summary>
      <id>urn:uuid:00000000-0000-0000-0000-{number:012}</id>
      <link rel="related" title="CapXML document" href="{address}/PHEBCAP.xml" type="application/cap+xml" />
      <link rel="alternate" title="Bulletin" href="{address}/WEPA40.txt" type="application/xml" />
    </entry>"""


def centre(*entries: str) -> str:
    """Return the feed of a tsunami warning centre."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:geo="http://www.w3.org/2003/01/geo/wgs84_pos#">
  <id>urn:uuid:7d3dea95-0000-0000-0000-000000000000</id>
  <title>Tsunami Information Statement Number 1</title>
  <updated>2018-02-01T00:16:00Z</updated>
  {"".join(entries)}
</feed>"""
