"""f=gpkg: GeoPackage (OGC 12-128r19), one layer with a spatial index."""

from services.features.formats.format import FileFormat


class GeoPackage(FileFormat):
    """A format for GIS programs that work offline."""

    name = "gpkg"
    media_type = "application/geopackage+sqlite3"
    label = "GeoPackage"
    title = "Features as GeoPackage"
    extension = "gpkg"
    writer = "ogr"
    driver = "GPKG"


FORMAT = GeoPackage()
