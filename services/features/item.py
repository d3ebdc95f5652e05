"""GET /collections/{collectionId}/items/{itemId} (OGC API Features, /req/core/f-op)."""

from aiohttp import web

from libs.ogc.errors import NotFound, Uncomputable
from libs.selection.ids import has_odd_id, key_condition
from libs.selection.selection import select
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url, client_of
from libs.web.conditional import check_preconditions, check_tag
from services.features.formats.format import FileFormat
from services.features.formats.links import item_links, with_related
from services.features.formats.registry import page_format
from services.features.item_page import item_page
from services.features.memento import at_requested_time, item_answer, with_version
from services.features.pages.recency import tag_of_age
from services.features.request.items_query import geometry_options
from services.features.resources import CATALOGUE, EXPORTS, STORE
from services.features.rows.items_sql import item_plan
from services.features.rows.layout import Rows
from services.features.sending import send


async def get_item(call: Call) -> web.StreamResponse:
    """Return one feature by its id."""
    app, request, item_id = call.request.app, call.request, call.path["itemId"]
    present = app[CATALOGUE].collection(call.path["collectionId"])
    collection = at_requested_time(present, call)
    format_ = page_format(call.media_type, call.query, collection)
    aged = f"{tag_of_age(collection) if format_ is None else ''}{collection.past or ''}"
    answer = item_answer(call, present, collection, aged)
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
    answer = await with_version(call, present, collection, answer)
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
