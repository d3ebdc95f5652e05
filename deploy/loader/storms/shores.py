"""The coasts for finding landfalls: Natural Earth 1:50 million, from the npm package `world-atlas`."""

from functools import lru_cache
from pathlib import Path

from deploy.loader.geometry.landfall import Coast
from deploy.loader.places.countries import full_name
from deploy.loader.places.packaged import NPM, SourceMissingError, npm_file
from deploy.loader.places.topology import read_shapes


def read_coast(path: Path) -> Coast:
    """Read the package's TopoJSON of countries. Raises OSError, KeyError."""
    return Coast([(full_name(shape.name), shape.geometry) for shape in read_shapes(path, "countries")])


@lru_cache(maxsize=1)
def packaged_coast() -> Coast | None:
    """Return the coast; None if the package is not installed: then no landfalls are computed."""
    try:
        return read_coast(npm_file(NPM, "world-atlas/countries-50m.json"))
    except SourceMissingError:
        return None
