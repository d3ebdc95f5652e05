"""f=parquet: GeoParquet 1.1."""

from services.features.formats.format import FileFormat


class GeoParquet(FileFormat):
    """A format for analysis programs, which read single columns or a box."""

    name = "parquet"
    media_type = "application/vnd.apache.parquet"
    label = "GeoParquet"
    title = "Features as GeoParquet"
    extension = "parquet"
    writer = "geoparquet"


FORMAT = GeoParquet()
