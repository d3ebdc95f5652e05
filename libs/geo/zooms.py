"""The 13 tile matrix sets and their zooms: needs no library, so that whoever only names them stays light.

`libs/geo/tile_matrix_sets.py` holds their definitions; a test compares the two.
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
"""The set that every map library draws, and the one of a map where none is named."""
WORLD_CRS84 = "WorldCRS84Quad"
"""The set that shows the world in degrees with the fewest tiles."""


def zooms_of(identifier: str) -> tuple[int, int]:
    """First and last tile matrix of a set. Raises NotFound, naming the sets there are."""
    if identifier not in ZOOMS:
        raise NotFound(f"There is no tile matrix set '{identifier}'; there are {', '.join(IDS)}.")
    return ZOOMS[identifier]


def zoom_faults(identifier: str, minzoom: int | None, maxzoom: int | None) -> list[Fault]:
    """What is wrong with the parameters `minzoom` and `maxzoom` on that set. Raises NotFound as `zooms_of` does."""
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
