"""Countries of Natural Earth, 1:50 million, as npm `world-atlas` packages them."""

from pathlib import Path

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from deploy.loader.places.populated import Numbers, Whole, Words
from deploy.loader.places.topology import read_shapes

# Natural Earth shortens names for small maps.
_WHOLE_WORDS = {
    "Antigua and Barb.": "Antigua and Barbuda",
    "Bosnia and Herz.": "Bosnia and Herzegovina",
    "Br. Indian Ocean Ter.": "British Indian Ocean Territory",
    "Central African Rep.": "Central African Republic",
    "Dem. Rep. Congo": "Democratic Republic of the Congo",
    "Dominican Rep.": "Dominican Republic",
    "Eq. Guinea": "Equatorial Guinea",
    "Fr. Polynesia": "French Polynesia",
    "Fr. S. Antarctic Lands": "French Southern and Antarctic Lands",
    "Indian Ocean Ter.": "Indian Ocean Territories",
    "N. Cyprus": "Northern Cyprus",
    "N. Mariana Is.": "Northern Mariana Islands",
    "S. Geo. and the Is.": "South Georgia and the South Sandwich Islands",
    "S. Sudan": "South Sudan",
    "St. Vin. and Gren.": "Saint Vincent and the Grenadines",
    "W. Sahara": "Western Sahara",
}


def whole_name(name: str) -> str:
    """The name of a country as Natural Earth has it on small maps, without abbreviations."""
    return _WHOLE_WORDS.get(name) or name.replace(" Is.", " Islands").replace(" I. ", " Island ")


class Countries:
    """Countries by place. Countries at ±180° are split there."""

    def __init__(self, shapes: list[tuple[str, BaseGeometry]]) -> None:
        self.names: Words = np.array([whole_name(name) for name, _ in shapes], dtype=object)
        self._shapes = np.array([shape for _, shape in shapes], dtype=object)

    @classmethod
    def read(cls, path: Path) -> "Countries":
        """From the package's TopoJSON. Raises OSError, KeyError."""
        return cls([(shape.name, shape.geometry) for shape in read_shapes(path, "countries")])

    def at(self, longitudes: Numbers, latitudes: Numbers) -> Whole:
        """The number of the country of each position, in degrees, by `names`; -1 at sea.

        At 1:50 million a coast may be a few km off.
        """
        # The tree is made of the positions, so that each country is prepared once for all of them.
        tree = shapely.STRtree(np.asarray(shapely.points(longitudes, latitudes), dtype=object))
        country, position = tree.query(self._shapes, predicate="intersects")
        numbers = np.full(len(longitudes), -1, dtype=np.int64)
        numbers[position] = country
        return numbers
