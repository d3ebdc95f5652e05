"""The zooms of each tile matrix set: what `/tileMatrixSets` says, here so that a page needs no other service."""

from collections.abc import Mapping

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
"""First and last zoom by identifier."""
