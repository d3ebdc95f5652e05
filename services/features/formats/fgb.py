"""f=fgb: FlatGeobuf, with a spatial index where every feature has a geometry."""

from services.features.formats.format import FileFormat


class FlatGeobuf(FileFormat):
    """What programs read a part of by area, over HTTP, too."""

    name = "fgb"
    media_type = "application/flatgeobuf"
    label = "FlatGeobuf"
    title = "Features as FlatGeobuf"
    extension = "fgb"
    writer = "ogr"
    driver = "FlatGeobuf"


FORMAT = FlatGeobuf()
