"""A change in CloudEvents JSON 1.0, with the types of the draft OGC API Publish-Subscribe Workflow (25-030)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from libs.ogc.link import path_segment
from libs.ogc.temporal import rfc3339
from services.features.streaming.changed_items import Items

UPDATE, DELETE = "org.ogc.api.collection.update", "org.ogc.api.collection.delete"
"""The draft also has types for single items, `org.ogc.api.collection.item.create` etc.

Here only the collection is known.
"""


def cloud_event(
    base: str,
    event_id: str,
    collection: str,
    version: str | None,
    since: datetime | None,
    *,
    items: Items | None = None,
) -> dict[str, Any]:
    """Return the event that a collection has a version, known since `since`; without a version, that it was removed.

    `items` lists the changed features, and says whether the list is complete.
    """
    subject = f"collections/{path_segment(collection)}"
    event: dict[str, Any] = {
        "specversion": "1.0",
        "id": f"{event_id}.{path_segment(collection)}",
        "type": DELETE if version is None else UPDATE,
        "source": f"{base}/",
        "subject": subject,
        "time": rfc3339(since or datetime.now(UTC).replace(microsecond=0)),
    }
    if version is None:
        return event
    data: Mapping[str, Any] = {
        "collectionId": collection,
        "version": version,
        "links": [{"rel": "items", "type": "application/geo+json", "href": f"{base}/{subject}/items?f=geojson"}],
    }
    if items is not None:
        named = [{"itemId": item, "change": action} for item, action in items.actions]
        data = {**data, "items": named, "itemsComplete": items.is_complete}
    return {**event, "datacontenttype": "application/json", "data": data}
