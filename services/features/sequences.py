"""Features one a line: GeoJSON text sequences (RFC 8142) and newline-delimited JSON."""

from collections.abc import Sequence

from services.features.geojson import encode, features
from services.features.items_sql import RowPlan
from services.features.items_store import Row

RECORD_SEPARATOR = b"\x1e"
"""Comes before each text of a sequence (RFC 7464)."""


def lines(rows: Sequence[Row], plan: RowPlan, separator: bytes) -> bytes:
    """Each feature between `separator` and a newline."""
    return b"".join(separator + encode(feature) + b"\n" for feature in features(rows, plan))
