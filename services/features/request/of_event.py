"""The features of one event, as a query for items of each collection with events."""

from collections import defaultdict

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.errors import InvalidParameters
from libs.web.query_params import QueryValues
from services.features.request.items_query import ItemsQuery, parse_items


def query_of_event(collection: Collection, event: str, *, limit: int, base: str = "") -> ItemsQuery | None:
    """The features of the event; None where the collection cannot have it: its events are numbers, say."""
    values: dict[str, object] = defaultdict(lambda: None, limit=limit)
    query = QueryValues(values, extra={EVENT_KEY: event})
    try:
        return parse_items(collection, query, {EVENT_KEY: event}, base=base)
    except InvalidParameters:
        return None
