"""Features one a line: GeoJSON text sequences (RFC 8142) and newline-delimited JSON."""

from collections.abc import Iterable

from services.features.geojson import encode, features
from services.features.items_sql import RowPlan
from services.features.items_store import Row

_RECORD_SEPARATOR = b"\x1e"


def geojsonseq(rows: Iterable[Row], plan: RowPlan) -> bytes:
    """Each feature between a record separator and a newline."""
    return b"".join(_RECORD_SEPARATOR + encode(feature) + b"\n" for feature in features(rows, plan))


def ndjson(rows: Iterable[Row], plan: RowPlan) -> bytes:
    """Each feature on a line."""
    return b"".join(encode(feature) + b"\n" for feature in features(rows, plan))
