"""Source files of a few rows in the formats of the packages, so that a test knows every row."""

import gzip
import json
from pathlib import Path
from typing import Any

from deploy.database.demo.sources import Sources
from deploy.loader.places.topology import Position
from tests.deploy.loader.places.small_places import places_file
from tests.deploy.loader.places.small_topology import topology

WMO = """track_id,season,basin,time,lon,lat,wind,slp
1980001S13173,1980,SP,1980-01-01 00:00:00,179.0,-12.0,40.0,
1980001S13173,1980,SP,1980-01-01 06:00:00,181.0,-14.0,,9.9e+02
1980001S13173,1980,SP,1980-01-01 12:00:00,182.0,-16.0,,
2020001N10300,2020,NA,2020-06-01 00:00:00,-60.0,10.0,100.0,
2020001N10300,2020,NA,2020-06-01 06:00:00,-61.0,11.0,140.0,900.0
2021001N10300,2021,NA,2021-06-01 00:00:00,-60.0,10.0,20.0,
2021001N10300,2021,NA,2021-06-01 06:00:00,-60.0,10.0,20.0,
"""

JTWC = """track_id,season,basin,time,lat,lon,status,wind,slp,sshs_cat
1980001S13173,1980,SP,1980-01-01 06:00:00,-14.0,-179.0,TS,45.0,,0
2020001N10300,2020,NA,2020-05-31 00:00:00,9.0,-58.0,DB,25.0,,-3
2020001N10300,2020,NA,2020-05-31 06:00:00,9.0,-59.0,LO,30.0,,-3
2020001N10300,2020,NA,2020-06-01 00:00:00,10.0,-60.0,HU,105.0,,3
2020001N10300,2020,NA,2020-06-01 06:00:00,11.0,-61.0,HU,140.0,,5
2020001N10300,2020,NA,2020-06-03 00:00:00,20.0,-70.0,LO,25.0,,-3
"""


def earthquake(event_id: str, time: int, **properties: Any) -> dict[str, Any]:
    """Return a feature of the USGS feed, `time` in ms since 1970."""
    usual = {
        "mag": 4.5, "place": "somewhere", "time": time, "updated": time + 1500, "alert": None, "status": "reviewed",
        "url": f"https://example.org/{event_id}", "detail": f"https://example.org/{event_id}.geojson",
        "tsunami": 0, "sig": 300, "net": "us", "felt": None, "types": ",geoserve,origin,", "magType": "mb",
        "type": "earthquake", "title": "M 4.5 - somewhere",
    }  # fmt: skip
    return {
        "type": "Feature",
        "id": event_id,
        "geometry": {"type": "Point", "coordinates": [-179.5, 51.25, 12.5]},
        "properties": usual | properties,
    }


ADVISORIES = {
    "names": "ibtracs_id,event_id,name\n2020001N10300,AL012020,Alpha\n",
    "best_tracks": "Key,Name,DateTime,Record,Status,Lat,Lon,Wind,Pressure\n",
    "storms": "Key,Name,Wind,StartDate,EndDate\nAL012020,Alpha,140,2020-06-01 00:00:00,2020-06-01 06:00:00\n",
    "fstadv": """Status,Name,Adv,Date,Key,Lat,Lon,Wind,Gust,Pressure
Hurricane,Alpha,1,2020-06-01 00:00:00,AL012020,10,-60,100,120,
Hurricane,Alpha,2,2020-06-01 06:00:00,AL012020,11,-61,140,170,900
""",
    "fcst": """Key,Adv,Date,FcstDate,Lat,Lon,Wind,Gust
AL012020,1,2020-06-01 00:00:00,2020-06-01 12:00:00,12,-62,110,130
AL012020,2,2020-06-01 06:00:00,2020-06-01 18:00:00,13,-63,120,145
AL012020,2,2020-06-01 06:00:00,2020-06-02 06:00:00,14,-64,130,160
""",
    "wr": "Key,Adv,Date,WindField,NE,SE,SW,NW\nAL012020,2,2020-06-01 06:00:00,34,120,60,0,60\n",
    "fcst_wr": """Key,Adv,Date,FcstDate,WindField,NE,SE,SW,NW
AL012020,2,2020-06-01 06:00:00,2020-06-01 18:00:00,34,120,60,60,60
AL012020,2,2020-06-01 06:00:00,2020-06-01 18:00:00,64,20,10,0,10
""",
}


def advisories_folder(folder: Path) -> Path:
    """Write two advisories of one of the storms, which got a name."""
    advisories = folder / "advisories"
    advisories.mkdir(exist_ok=True)
    for name, text in ADVISORIES.items():
        (advisories / f"{name}.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    return advisories


def small_sources(folder: Path) -> Sources:
    """Write two earthquakes, three storms, a country of 40 by 20 degrees with a river of about 3000 km and a lake."""
    names = ("quakes.json", "wmo.csv", "jtwc.csv", "world.json", "lands.json")
    sources = Sources(*[*(folder / name for name in names), places_file(folder), advisories_folder(folder)])
    quakes = [
        earthquake("us2", 1517961600250, mag=5.5, alert="green", types=",losspager,shakemap,"),
        earthquake("us1", 1517875200000, mag=None),
    ]
    sources.earthquakes.write_text(json.dumps({"type": "FeatureCollection", "features": quakes}))
    sources.storms_wmo.write_text(WMO)
    sources.storms_jtwc.write_text(JTWC)
    country: list[Position] = [(0, 0), (40, 0), (40, 20), (0, 20), (0, 0)]
    river: list[Position] = [(2 + step, 10 + (3 if step % 2 else -1)) for step in range(25)]
    lake: list[Position] = [(30, 15), (31, 15), (31, 16), (30, 15)]
    sources.world.write_text(json.dumps(topology([country, river, lake], {
        "countries": [{"type": "Polygon", "id": "EXA", "properties": {}, "arcs": [[0]]}],
        "rivers": [{"type": "LineString", "arcs": [1]}],
        "lakes": [{"type": "Polygon", "arcs": [[2]]}],
    })))  # fmt: skip
    sources.countries.write_text(json.dumps(topology([country], {
        "countries": [{"type": "Polygon", "id": "999", "properties": {"name": "Exampleland"}, "arcs": [[0]]}],
    })))  # fmt: skip
    return sources
