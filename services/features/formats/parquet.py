"""f=parquet: GeoParquet 1.1."""

from services.features.formats.format import FileFormat


class GeoParquet(FileFormat):
    """What programs for analysis read, a few columns or a box at a time."""

    name = "parquet"
    media_type = "application/vnd.apache.parquet"
    label = "GeoParquet"
    title = "Features as GeoParquet"
    extension = "parquet"
    writer = "geoparquet"


FORMAT = GeoParquet()
