"""f=geojsonseq: a GeoJSON text sequence (RFC 8142)."""

from services.features.formats.format import FeatureFormat
from services.features.formats.geojson import encode_each, on_one_line
from services.features.rows.layout import Rows


class GeoJsonSequence(FeatureFormat):
    """One feature per line, each after the record separator (RFC 7464)."""

    name = "geojsonseq"
    media_type = "application/geo+json-seq"
    label = "GeoJSON sequence"
    title = "Features as a GeoJSON text sequence"
    of_features = True

    def rows(self, rows: Rows, *, first: bool) -> bytes:
        features = encode_each(rows.rows, rows.layout) if rows.features is None else rows.features
        return b"".join([b"\x1e" + on_one_line(text) + b"\n" for text in features])


FORMAT = GeoJsonSequence()
