"""Coordinate reference systems by their identifiers (OGC 18-058r1, /req/crs/crs-uri). Needs no PROJ."""

CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
"""Longitude and latitude in degrees, in this order, on WGS 84. PostGIS has it as SRID 4326."""
CRS84H = "http://www.opengis.net/def/crs/OGC/0/CRS84h"
"""CRS84 with ellipsoidal heights in metres, for collections with heights. Responses have the same numbers."""
GREGORIAN = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"

USUAL_SRIDS = (4326, 3857, 3395, 3035, 3978, 2193, 5041, 5042, 5482, 32631)
"""Those of the 13 tile matrix sets. A collection is offered in those whose area of use it lies in, unless its operator
names others."""

_LARGEST_EPSG = 32_767
_ESRI = range(37_000, 200_000)
"""PostGIS gives ESRI's own CRSs their ESRI codes."""


def crs_uri(srid: int) -> str | None:
    """Return the identifier of an SRID, with its authority's axis order; None if it has none."""
    if 1024 <= srid <= _LARGEST_EPSG:
        return f"http://www.opengis.net/def/crs/EPSG/0/{srid}"
    return f"http://www.opengis.net/def/crs/ESRI/0/{srid}" if srid in _ESRI else None
