"""The 13 tile matrix sets and their zooms, without libraries: cheap for code that only needs names.

`libs/geo/tile_matrix_sets.py` has their definitions; a test compares the two.
"""

from collections.abc import Mapping

from libs.ogc.errors import Fault, NotFound

ZOOMS: Mapping[str, tuple[int, int]] = {
    "CDB1GlobalGrid": (-10, 21),
    "CanadianNAD83_LCC": (0, 25),
    "EuropeanETRS89_LAEAQuad": (0, 15),
    "GNOSISGlobalGrid": (0, 28),
    "LINZAntarticaMapTilegrid": (0, 13),
    "NZTM2000Quad": (0, 21),
    "UPSAntarcticWGS84Quad": (0, 24),
    "UPSArcticWGS84Quad": (0, 24),
    "UTM31WGS84Quad": (1, 24),
    "WGS1984Quad": (0, 23),
    "WebMercatorQuad": (0, 24),
    "WorldCRS84Quad": (0, 23),
    "WorldMercatorWGS84Quad": (0, 24),
}
"""First and last tile matrix by the set's identifier."""

IDS = tuple(ZOOMS)

WEB_MERCATOR = "WebMercatorQuad"
"""The set of every map library, and the default of maps."""
WORLD_CRS84 = "WorldCRS84Quad"
"""The set that shows the world in degrees with the fewest tiles."""


def zooms_of(identifier: str) -> tuple[int, int]:
    """Return first and last tile matrix of a set. Raises NotFound with the names of existing sets."""
    if identifier not in ZOOMS:
        raise NotFound(f"There is no tile matrix set '{identifier}'; there are {', '.join(IDS)}.")
    return ZOOMS[identifier]


def zoom_faults(identifier: str, minzoom: int | None, maxzoom: int | None) -> list[Fault]:
    """Return the faults of the parameters `minzoom` and `maxzoom` for that set. Raises NotFound like `zooms_of`."""
    first, last = zooms_of(identifier)
    faults = [
        Fault(("query", name), f"{name} must be between {first} and {last} on {identifier}", zoom)
        for name, zoom in (("minzoom", minzoom), ("maxzoom", maxzoom))
        if zoom is not None and not first <= zoom <= last
    ]
    if minzoom is not None and maxzoom is not None and minzoom > maxzoom:
        message = f"minzoom {minzoom} is above maxzoom {maxzoom}"
        faults.append(Fault(("query", "minzoom"), message, minzoom))
    return faults
