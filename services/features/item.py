"""GET /collections/{collectionId}/items/{itemId} (OGC API Features, /req/core/f-op)."""

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.errors import Gone, NotFound, Uncomputable
from libs.ogc.temporal import parse_instant
from libs.selection.ids import has_odd_id, key_condition
from libs.selection.past import AS_OF, as_of, at_time
from libs.selection.selection import select
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url, client_of
from libs.web.conditional import check_preconditions, check_tag, data_headers
from libs.web.respond import vary
from services.features.answer import Answer
from services.features.formats.format import FileFormat
from services.features.formats.links import item_links, with_related
from services.features.formats.registry import page_format
from services.features.item_page import item_page
from services.features.memento import (
    ACCEPT_DATETIME,
    at_accepted_time,
    header,
    http_date,
    item_address,
    of_item,
    of_past,
    of_version,
)
from services.features.pages.recency import tag_of_age
from services.features.request.items_query import geometry_options
from services.features.resources import CATALOGUE, EXPORTS, ITEM_VERSIONS, STORE, VERSIONS
from services.features.rows.item_versions import version_at
from services.features.rows.items_sql import item_plan
from services.features.rows.layout import Rows
from services.features.sending import send


async def get_item(call: Call) -> web.StreamResponse:
    """Return one feature by its id."""
    app, request, item_id = call.request.app, call.request, call.path["itemId"]
    present = app[CATALOGUE].collection(call.path["collectionId"])
    collection = at_accepted_time(as_of(present, call.query), call)
    format_ = page_format(call.media_type, call.query, collection)
    aged = f"{tag_of_age(collection) if format_ is None else ''}{collection.past or ''}"
    headers = data_headers(request, call.media_type, app[VERSIONS].of_features(collection), limits=aged)
    if present.history is not None and AS_OF not in call.given:
        headers["Vary"] = f"{headers.get('Vary', vary(call.media_type))}, {ACCEPT_DATETIME}"
    answer = Answer(headers)
    check_tag(request, answer.headers)
    selection = select(collection, call.query)
    options = geometry_options(selection, call.query, base_url(request))
    for name in call.query.extra.keys() - {argument.name for argument in collection.arguments}:
        if collection.column(name) is not None:
            call.query.fault(name, f"{name} is not a parameter of a feature: it is chosen by its id", "extra_forbidden")
    call.query.check()
    condition = key_condition(collection, item_id)
    row = None
    if condition is not None:
        # a drawing is always thinned and in degrees
        geometry_as = "drawing" if format_ is None else format_.geometry_as
        plan = item_plan(selection, condition, options, geometry_as=geometry_as)
        try:
            row = await app[STORE].row(collection, plan)
        except Uncomputable:
            if not has_odd_id(collection):
                raise
    answer = await _with_version(call, present, collection, answer)
    if row is None:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    check_preconditions(request, answer.headers)
    described = call.media_type if format_ is None else format_.media_type
    # links must not repeat parameters that a page ignores
    links = item_links(collection.id, described, base_url(request), dict(sent_parameters(request)), item_id)
    rows = Rows(plan.layout, [row])
    links = with_related(links, collection, described, base_url(request), rows)
    if format_ is None:
        page = await item_page(call, collection, rows, links, answer)
        page.headers["Vary"] = answer.headers.get("Vary", page.headers["Vary"])
        return page
    answer = answer.of_features(format_, call.media_type, options, links)
    if not isinstance(format_, FileFormat):
        return await send(request, answer.with_body(format_.item(collection, plan.layout, row, links)))
    export = await app[EXPORTS].page(selection, options, format_, rows, client_of(request))
    try:
        return await send(request, answer.save_as(collection, format_).with_body(export))
    finally:
        app[EXPORTS].leave(export)


async def _with_version(call: Call, present: Collection, collection: Collection, answer: Answer) -> Answer:
    """Return the answer with the headers of a feature with a history, and of its version if a past one is requested.

    Raises Gone if it had no version at that time, but has others.
    """
    if present.history is None:
        return answer
    item = item_address(base_url(call.request), present, call.path["itemId"])
    if collection.past is None:
        return answer.with_links(header(of_item(item)))
    versions = await call.request.app[ITEM_VERSIONS].read(present, call.path["itemId"])
    place = version_at(versions, parse_instant(collection.past))
    if place is None:
        if versions:
            sentence = f"Item '{call.path['itemId']}' had no version at {collection.past}; see {item}/versions."
            raise Gone(sentence, header(of_item(item)))
        return answer
    address, links = of_version(item, versions, place)
    known = call.request.app[VERSIONS]
    headers = of_past(collection, call, known)
    links = [*of_item(item), *links]
    headers |= {"Link": header(links)} | ({} if AS_OF in call.given else {"Content-Location": address})
    if known.is_settled(at_time(present, versions[place].start)):
        headers["Memento-Datetime"] = http_date(versions[place].start)
    return answer.with_headers(headers)
