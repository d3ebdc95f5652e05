"""f=geojsonseq: a GeoJSON text sequence (RFC 8142)."""

from services.features.formats.geojson import FeatureLines


class GeoJsonSequence(FeatureLines):
    """A feature a line, each behind the separator that tells texts apart (RFC 7464)."""

    name = "geojsonseq"
    media_type = "application/geo+json-seq"
    label = "GeoJSON sequence"
    title = "Features as a GeoJSON text sequence"
    separator = b"\x1e"


FORMAT = GeoJsonSequence()
