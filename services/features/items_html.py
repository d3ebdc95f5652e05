"""Features as a page: a table, paging, a filter form."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import orjson

from libs.web.respond import links_json
from services.features.geojson import features
from services.features.items_store import ItemsAnswer, Row
from services.features.preview import preview

_LONGEST = 300


def items_context(answer: ItemsAnswer, rows: Sequence[Row]) -> dict[str, Any]:
    """What the template of a page of features needs."""
    selection = answer.query.selection
    found = features(rows, answer.plan)
    return {
        "collection": selection.collection,
        # the feature's link shows the key already
        "columns": [column for column in answer.plan.properties if column.name != selection.collection.key],
        "given": answer.query.given,
        "rows": [row_context(feature) for feature in found],
        "preview": preview(found),
        "matched": answer.matched,
        "returned": len(rows),
        "links": links_json(answer.links),
        "limit": answer.query.limit,
        "geometry": selection.geometry,
    }


def row_context(feature: dict[str, Any]) -> dict[str, Any]:
    """A feature as a page shows it: its id and the text of each property."""
    return {
        "id": feature.get("id"),
        "cells": {name: readable(value) for name, value in feature["properties"].items()},
    }


def readable(value: Any) -> dict[str, Any]:
    """A value as text, with a link where it is an http address."""
    if value is None:
        return {"text": "", "href": None}
    if isinstance(value, orjson.Fragment):
        value = orjson.dumps(value).decode()
    elif isinstance(value, datetime):
        zone = " UTC" if value.tzinfo else ""
        value = f"{value:%Y-%m-%d %H:%M}{zone}" if value.second == 0 else f"{value:%Y-%m-%d %H:%M:%S}{zone}"
    elif isinstance(value, float):
        value = f"{value:.15g}"
    text = str(value)
    href = text if text.startswith(("https://", "http://")) else None
    return {"text": text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…", "href": href}
