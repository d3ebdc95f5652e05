"""f=geojsonseq: a GeoJSON text sequence (RFC 8142)."""

from services.features.formats.format import FeatureFormat
from services.features.formats.geojson import encode_each, on_one_line
from services.features.rows.layout import Rows


class GeoJsonSequence(FeatureFormat):
    """A feature a line, each behind the separator that tells texts apart (RFC 7464)."""

    name = "geojsonseq"
    media_type = "application/geo+json-seq"
    label = "GeoJSON sequence"
    title = "Features as a GeoJSON text sequence"
    of_features = True

    def rows(self, rows: Rows, *, first: bool) -> bytes:
        features = encode_each(rows.rows, rows.layout) if rows.features is None else rows.features
        return b"".join([b"\x1e" + on_one_line(text) + b"\n" for text in features])


FORMAT = GeoJsonSequence()
