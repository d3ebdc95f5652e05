"""Requests for pages, parsed and planned once: the same request comes again and again, and half its cost is this."""

from collections import OrderedDict
from dataclasses import dataclass

from libs.catalog.model import Collection
from libs.web.app import Call
from services.features.items_links import LinkTemplate, link_template
from services.features.items_query import ItemsQuery, parse_items
from services.features.items_sql import RowPlan
from services.features.items_store import one_more
from services.features.representations import REPRESENTATIONS, Representation

_KEPT = 1024
_LONGEST = 1000
"""Characters of a query string; longer ones are rarely asked twice."""


@dataclass(frozen=True, slots=True)
class PreparedPage:
    """A request for a page in a format other than HTML."""

    collection: Collection
    query: ItemsQuery
    representation: Representation
    plan: RowPlan
    links: LinkTemplate


class PreparedPages:
    """The requests of late. A collection that changes is another object, so nothing outlives its catalogue."""

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, str, str], PreparedPage] = OrderedDict()

    def page(self, call: Call, collection: Collection) -> PreparedPage:
        """The request, checked. Raises InvalidParameters with every fault."""
        # as it was escaped: unescaped, "%2526" and "%26" would be one request
        key = collection.id, call.request.rel_url.raw_query_string, call.media_type
        found = self._pages.get(key)
        if found is not None and found.collection is collection:
            self._pages.move_to_end(key)
            return found
        query = parse_items(collection, call.query, call.request.query)
        representation = REPRESENTATIONS[call.media_type]
        found = PreparedPage(
            collection,
            query,
            representation,
            one_more(query, representation.geometry_as),
            link_template(query, call.media_type),
        )
        if len(key[1]) <= _LONGEST:
            self._pages[key] = found
            if len(self._pages) > _KEPT:
                self._pages.popitem(last=False)
        return found
