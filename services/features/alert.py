"""GET /collections/{collectionId}/items/{itemId}/cap: a feature as an alert (OASIS CAP 1.2)."""

import orjson
from aiohttp import web

from libs.catalogue.modules import EVENT_KEY
from libs.ogc.errors import NotFound, Uncomputable
from libs.ogc.link import path_segment
from libs.selection.ids import has_odd_id, key_condition
from libs.selection.selection import select
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.conditional import check_preconditions, check_tag, data_headers
from services.features.answer import Answer
from services.features.feeds.cap import alert, is_of_alerts
from services.features.feeds.earlier_alerts import earlier_alerts
from services.features.formats.geojson import encode, features
from services.features.resources import CAP, CATALOGUE, IMPACTS, STORE, VERSIONS
from services.features.rows.items_sql import item_plan
from services.features.sending import send


async def get_alert(call: Call) -> web.StreamResponse:
    """Return one feature of a collection of alerts."""
    app, request, item_id = call.request.app, call.request, call.path["itemId"]
    collection = app[CATALOGUE].collection(call.path["collectionId"])
    cap = app[CAP]
    version, limits = app[VERSIONS].of_impacts(collection), f"{cap.status} {cap.sender}"
    answer = Answer(data_headers(request, call.media_type, version, limits=limits))
    check_tag(request, answer.headers)
    call.query.check()
    if not is_of_alerts(collection):
        sentence = (
            f"Features of collection '{collection.id}' are no alerts: they say not when they were issued and expire."
        )
        raise NotFound(sentence)
    condition = key_condition(collection, item_id)
    plan = item_plan(select(collection, call.query), condition) if condition is not None else None
    try:
        row = await app[STORE].row(collection, plan) if plan is not None else None
    except Uncomputable:
        if not has_odd_id(collection):
            raise
        row = None
    if plan is None or row is None:
        raise NotFound(f"There is no item '{item_id}' in collection '{collection.id}'.")
    check_preconditions(request, answer.headers)
    base = base_url(request)
    address = f"{base}/collections/{path_segment(collection.id)}/items/{path_segment(item_id)}"
    host = base.partition("://")[2].partition("/")[0]
    feature = orjson.loads(encode(features([row], plan.layout)[0]))
    sender = cap.sender or f"alerts@{host}"
    earlier = await earlier_alerts(app[STORE], collection, feature, sender)
    headlines = await app[IMPACTS].headlines(collection, [feature])
    body = alert(
        collection,
        feature,
        address=address,
        sender=sender,
        status=cap.status,
        headline=headlines.get(str(feature["properties"].get(EVENT_KEY))),
        earlier=earlier,
    )
    return await send(request, answer.with_body(body, call.media_type))
