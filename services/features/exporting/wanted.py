"""A requested export: its content and key. Reject it early if it will certainly be too large."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from libs.ogc.errors import Fault, InvalidParameters, StoredValueError
from services.features.formats.format import FeatureFormat, FileFormat, Format, PageLinks
from services.features.formats.geojson import GeoJson
from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import ItemsStore

_MARGIN = 4
"""Factor by which an estimate must exceed the limit: tables hold free space, and numbers may be shorter as text."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A requested export."""

    query: ItemsQuery
    format_: FeatureFormat | FileFormat
    links: PageLinks
    mark: bytes
    key: str | None
    """Hash of everything that decides the content; None if the collection has no data version."""
    is_current: Callable[[], bool] = lambda: True
    """Returns whether the data still have the version in the key."""
    client: str = ""
    """Address of the client that requested the file."""


def key_of(
    software: str,
    query: ItemsQuery,
    format_: FeatureFormat | FileFormat,
    version: DataVersion | None,
    *,
    mark: bytes,
    base: str,
) -> str | None:
    """Return the key of everything that decides the bytes, except variations in a format; None without a version."""
    if version is None:
        return None
    selection = query.selection
    content = (
        software,
        version.token,
        query.fingerprint,
        format_.name,
        type(format_).__name__,
        format_.variant,
        mark,
        [column.name for column in selection.properties],
        selection.geometry.name if selection.geometry is not None else None,
        query.options,
        selection.sort,
        # features contain links with the base address
        base if isinstance(format_, GeoJson) else "",
    )
    return blake2b(repr(content).encode(), digest_size=12).hexdigest()


def version_check(versions: DataVersions, collection: Collection, version: DataVersion | None) -> Callable[[], bool]:
    """Return a function that returns whether the data of the collection still have this version."""

    def is_current() -> bool:
        now = versions.of_features(collection)
        return now is not None and version is not None and now.token == version.token

    return is_current


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
            rows = await store.count(query)
        except StoredValueError:
            # the export leaves out the rows on which the conditions fail
            return
    if rows is None or rows * width <= _MARGIN * most_bytes:
        return
    sentence = (
        f"filter: the export has {rows:,} features, about {rows * width:,} bytes, and the maximum of this"
        f" server is {most_bytes:,} bytes; request a part of it by filter, bbox, datetime or properties"
    )
    raise InvalidParameters([Fault(("query", "filter"), sentence)])
