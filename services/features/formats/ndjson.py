"""f=ndjson: newline-delimited JSON, the objects of `f=json`."""

from typing import ClassVar

from services.features.formats.flat import flat_rows
from services.features.formats.format import FeatureFormat
from services.features.formats.geojson import encode_separately, on_one_line
from services.features.rows.layout import Rows


class Ndjson(FeatureFormat):
    """One flat object per line."""

    name = "ndjson"
    media_type = "application/ndjson"
    label = "NDJSON"
    title = "Features as rows in newline-delimited JSON"
    aliases: ClassVar[tuple[str, ...]] = ("application/x-ndjson",)
    of_rows = True

    def rows(self, rows: Rows, *, first: bool) -> bytes:
        return b"".join([on_one_line(text) + b"\n" for text in encode_separately(flat_rows(rows.rows, rows.layout))])


FORMAT = Ndjson()
