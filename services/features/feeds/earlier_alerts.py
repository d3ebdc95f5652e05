"""The earlier alerts of an event, which an alert replaces."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import orjson

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.cap import is_cancelled, reference
from libs.ogc.temporal import moment_of
from libs.web.query_params import QueryValues
from services.features.feeds.cap import identifier_of, sent_name
from services.features.formats.geojson import encode, features
from services.features.request.items_query import parse_items
from services.features.rows.items_store import ItemsStore

_MOST = 20
"""Maximum number of references."""


async def earlier_alerts(
    store: ItemsStore, collection: Collection, feature: Mapping[str, Any], sender: str
) -> tuple[str, ...]:
    """Return references to the alerts of the same event that were sent before, the first first. Raises Unavailable."""
    sent, event = sent_name(collection), feature["properties"].get(EVENT_KEY)
    if sent is None or event is None or feature["properties"].get(sent) is None:
        return ()
    conditions = [
        {"op": "=", "args": [{"property": EVENT_KEY}, event]},
        {"op": "<", "args": [{"property": sent}, {"timestamp": feature["properties"][sent]}]},
    ]
    known = [name for name in (sent, "withdrawn", "status") if collection.column(name) is not None]
    values: dict[str, object] = defaultdict(lambda: None)
    values |= {
        **{"limit": _MOST, "geom-column": "none", "properties": ",".join(known), "sortby": [f"-{sent}"]},
        **{"filter": orjson.dumps({"op": "and", "args": conditions}).decode(), "filter-lang": "cql2-json"},
    }
    page, _ = await store.page(parse_items(collection, QueryValues(values), {}), "geojson")
    found = orjson.loads(encode(features(page.rows, page.layout)))
    return tuple(
        reference(sender, identifier_of(collection, each), moment)
        for each in reversed(found)
        if not is_cancelled(each["properties"]) and (moment := moment_of(each["properties"][sent])) is not None
    )
