"""f=fgb: FlatGeobuf, with a spatial index if every feature has a geometry."""

from services.features.formats.format import FileFormat


class FlatGeobuf(FileFormat):
    """A format of which programs can read an area, also over HTTP."""

    name = "fgb"
    media_type = "application/flatgeobuf"
    label = "FlatGeobuf"
    title = "Features as FlatGeobuf"
    extension = "fgb"
    writer = "ogr"
    driver = "FlatGeobuf"


FORMAT = FlatGeobuf()
