"""GET /collections/{collectionId}/items/{itemId} (OGC API Features, /req/core/f-op)."""

from functools import partial
from typing import Any

import orjson
from aiohttp import web

from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY, hazard, siblings
from libs.ogc.errors import NotFound, Uncomputable
from libs.selection.ids import has_odd_id, key_condition, listed_id
from libs.selection.selection import select
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url, client_of
from libs.web.conditional import check_preconditions, check_tag, data_headers
from libs.web.html import page_response
from libs.web.respond import body_response
from services.features.exporting.exports import one_chunk
from services.features.exporting.sending import send
from services.features.formats.format import FileFormat, PageLinks
from services.features.formats.geojson import encode, features
from services.features.formats.jsonfg import profile_header, profiled
from services.features.formats.links import arguments_query, item_links, with_related
from services.features.formats.names import saved_as
from services.features.formats.registry import format_of, refuse_options
from services.features.pages.expected import expected_around
from services.features.pages.items_html import row_context
from services.features.pages.map_links import map_of_item
from services.features.pages.preview import drawing
from services.features.pages.recency import age, over_since, tag_of_age
from services.features.pages.series_chart import charts_of
from services.features.request.geometry_options import content_crs
from services.features.request.items_query import geometry_options
from services.features.resources import CATALOGUE, EXPORTS, STORE, VERSIONS
from services.features.rows.event_parts import event_parts
from services.features.rows.items_sql import item_plan
from services.features.rows.layout import Layout, Row, Rows
from services.features.samples.programs import programs_of
from services.features.samples.source import Source, source_of

_SIBLINGS = 20


async def get_item(call: Call) -> web.StreamResponse:
    """Return one feature by its id."""
    app, request, item_id = call.request.app, call.request, call.path["itemId"]
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    aged = tag_of_age(collection, call.media_type)
    headers = data_headers(request, call.media_type, app[VERSIONS].of_features(collection), limits=aged)
    check_tag(request, headers)
    format_ = format_of(call.media_type, named=call.query.values["f"] is not None)
    refuse_options(call.query, format_)
    format_ = profiled(format_, call.query, collection)
    selection = select(collection, call.query)
    options = geometry_options(selection, call.query, base_url(request))
    for name in call.query.extra.keys() - {argument.name for argument in collection.arguments}:
        if collection.column(name) is not None:
            call.query.fault(name, f"{name} is not a parameter of a feature: it is chosen by its id", "extra_forbidden")
    call.query.check()
    condition = key_condition(collection, item_id)
    row = None
    if condition is not None:
        plan = item_plan(
            selection,
            condition,
            options,
            # a drawing is always thinned and in degrees
            geometry_as="drawing" if format_ is None else format_.geometry_as,
        )
        try:
            row = await app[STORE].row(collection, plan)
        except Uncomputable:
            if not has_odd_id(collection):
                raise
    if row is None:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    check_preconditions(request, headers)
    described = call.media_type if format_ is None else format_.media_type
    # links must not repeat parameters that a page ignores
    links = item_links(collection.id, described, base_url(request), dict(sent_parameters(request)), item_id)
    if collection.item_links:
        properties = orjson.loads(encode(features([row], plan.layout)[0]["properties"]))
        links = with_related(links, collection, described, base_url(request), properties)
    headers["Link"] = links.header if format_ is None else profile_header(format_, links.header)
    if format_ is not None:
        headers |= content_crs(options)
    if format_ is None:
        context = await _page_context(call, collection, plan.layout, row, links)
        return page_response(request, "item.html", context, headers=headers)
    if isinstance(format_, FileFormat):
        headers |= {"Content-Type": format_.media_type, **saved_as(collection, format_)}
        source = partial(one_chunk, Rows(plan.layout, [row]))
        export = await app[EXPORTS].page(selection, options, format_, source, client_of(request))
        try:
            return await send(request, export, headers)
        finally:
            app[EXPORTS].leave(export)
    body = format_.item(collection, plan.layout, row, links)
    return body_response(body, media_type=call.media_type, headers=headers)


async def _page_context(
    call: Call, collection: Collection, layout: Layout, row: Row, links: PageLinks
) -> dict[str, Any]:
    feature = features([row], layout)[0]
    event = feature["properties"].get(EVENT_KEY)
    source = _source(call, collection, layout, feature["id"])
    others = []
    if isinstance(event, str | int):
        related = siblings(collection, call.request.app[CATALOGUE].collections.values())[:_SIBLINGS]
        others = await event_parts(call.request.app[STORE], related, str(event), 1)
    drawn = drawing(feature)
    known = call.request.app[CATALOGUE].collections.values()
    return {
        "preview": drawn,
        "expected": await expected_around(call.request.app[STORE], collection, known, feature, drawn),
        "hazard": hazard(collection),
        "map": map_of_item(collection, feature["id"]) if feature["geometry"] is not None else None,
        "event": {"key": EVENT_KEY, "value": event, "parts": others},
        "collection": collection,
        "columns": layout.properties,
        "charts": charts_of(collection, feature),
        "age": age(collection, feature["properties"]),
        "over": over_since(collection, feature["properties"]) is not None,
        "row": row_context(collection, feature),
        "links": links.members(),
        "arguments": arguments_query(collection, sent_parameters(call.request)),
        "source": source,
        "programs": programs_of(source),
    }


def _source(call: Call, collection: Collection, layout: Layout, identifier: object) -> Source:
    """Return the files of this feature alone."""
    names = {argument.name for argument in collection.arguments} | {"geom-column"}
    given = {name: text for name, text in sent_parameters(call.request) if name in names}
    column = collection.geometry(given.get("geom-column"))
    kind = column.type if column is not None else None
    given["ids"] = listed_id(str(identifier))
    return source_of(collection, given, base_url(call.request), geometry_type=kind)
