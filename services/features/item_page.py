"""One feature as a page for people: its properties, its map, related features, code samples."""

from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY, hazard, siblings
from libs.selection.ids import listed_id
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.html import page_response
from services.features.answer import Answer
from services.features.formats.format import PageLinks
from services.features.formats.geojson import features
from services.features.formats.links import arguments_query
from services.features.pages.expected import find_expected
from services.features.pages.items_html import row_context
from services.features.pages.map_links import map_of_item
from services.features.pages.preview import drawing
from services.features.pages.recency import age, end_of_validity
from services.features.pages.series_chart import charts_of
from services.features.resources import CATALOGUE, STORE
from services.features.rows.event_parts import event_parts
from services.features.rows.layout import Rows
from services.features.samples.programs import programs_of
from services.features.samples.source import Source, source_of

_SIBLINGS = 20


async def item_page(
    call: Call, collection: Collection, rows: Rows, links: PageLinks, answer: Answer
) -> web.StreamResponse:
    """Return the page of the only row, with the headers of the answer."""
    feature, layout = features(rows.rows, rows.layout)[0], rows.layout
    event = feature["properties"].get(EVENT_KEY)
    source = _source(call, collection, feature["id"])
    others = []
    if isinstance(event, str | int):
        related = siblings(collection, call.request.app[CATALOGUE].collections.values())[:_SIBLINGS]
        others = await event_parts(call.request.app[STORE], related, str(event), 1)
    drawn = drawing(feature)
    known = call.request.app[CATALOGUE].collections.values()
    context = {
        "preview": drawn,
        "expected": await find_expected(call.request.app[STORE], collection, known, feature, drawn),
        "hazard": hazard(collection),
        # the map shows the present
        "map": map_of_item(collection, feature["id"]) if feature["geometry"] and collection.past is None else None,
        "event": {"key": EVENT_KEY, "value": event, "parts": others},
        "collection": collection,
        "columns": layout.properties,
        "charts": charts_of(collection, feature),
        "age": age(collection, feature["properties"]),
        "over": end_of_validity(collection, feature["properties"]) is not None,
        "row": row_context(collection, feature),
        "links": links.members(),
        "arguments": arguments_query(collection, sent_parameters(call.request)),
        "source": source,
        "programs": programs_of(source),
    }
    answer = answer.with_links(links.header)
    return page_response(call.request, "item.html", context, headers=answer.headers)


def _source(call: Call, collection: Collection, identifier: object) -> Source:
    """Return the files of this feature alone."""
    names = {argument.name for argument in collection.arguments} | {"geom-column"}
    given = {name: text for name, text in sent_parameters(call.request) if name in names}
    column = collection.geometry(given.get("geom-column"))
    kind = column.type if column is not None else None
    given["ids"] = listed_id(str(identifier))
    return source_of(collection, given, base_url(call.request), geometry_type=kind)
