"""Reject an export early if it will certainly be too large."""

from libs.ogc.errors import Fault, InvalidParameters, StoredValueError
from services.features.formats.format import FeatureFormat, Format
from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import ItemsStore

_MARGIN = 4
"""Factor by which an estimate must exceed the limit: tables hold free space, and numbers may be shorter as text."""


async def refuse_too_large(store: ItemsStore, query: ItemsQuery, format_: Format, most_bytes: int) -> None:
    """Raise InvalidParameters if an export is estimated to be several times larger than allowed.

    Estimates only text formats with all properties and geometries, from the stored size of rows. Other files may be
    compressed, or have a part of each row.
    """
    selection, collection = query.selection, query.selection.collection
    is_whole = selection.properties == collection.columns and selection.geometry == collection.geometry()
    rows, width = collection.item_count or collection.rows, collection.row_bytes
    if not isinstance(format_, FeatureFormat) or not is_whole or query.options.bbox_only or query.options.simplify:
        return
    if rows is None or width is None or rows * width <= _MARGIN * most_bytes:
        return
    if selection.conditions:
        # conditions may leave few rows
        try:
            rows = await store.matched(query)
        except StoredValueError:
            # the export leaves out the rows on which the conditions fail
            return
    if rows is None or rows * width <= _MARGIN * most_bytes:
        return
    sentence = (
        f"filter: the export has {rows:,} features, about {rows * width // 1_000_000:,} MB, and one may have"
        f" {most_bytes // 1_000_000:,} MB; request a part of it by filter, bbox, datetime or properties"
    )
    raise InvalidParameters([Fault(("query", "filter"), sentence)])
