"""Coordinate reference systems by URI."""

CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
"""WGS 84, longitude then latitude, degrees: the CRS of all GeoJSON here."""

GREGORIAN = "http://www.opengis.net/def/uom/ISO-8601/0/Gregorian"
"""Temporal reference system of extents."""
