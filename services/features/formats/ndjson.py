"""f=ndjson: newline-delimited JSON."""

from typing import ClassVar

from services.features.formats.geojson import FeatureLines


class Ndjson(FeatureLines):
    """A feature a line, and nothing else."""

    name = "ndjson"
    media_type = "application/ndjson"
    label = "NDJSON"
    title = "Features as newline-delimited GeoJSON"
    aliases: ClassVar[tuple[str, ...]] = ("application/x-ndjson",)
    separator = b""


FORMAT = Ndjson()
