"""Features as a page: a table, paging, a filter form."""

from collections.abc import Sequence
from typing import Any

import orjson

from libs.web.respond import links_json
from services.features.geojson import features
from services.features.items_store import ItemsAnswer, Row

_LONGEST = 300


def items_context(answer: ItemsAnswer, rows: Sequence[Row]) -> dict[str, Any]:
    """What the template of a page of features needs."""
    selection = answer.query.selection
    return {
        "collection": selection.collection,
        "columns": answer.plan.properties,
        "rows": [row_context(feature) for feature in features(rows, answer.plan)],
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
        "cells": [readable(value) for value in feature["properties"].values()],
        "names": list(feature["properties"]),
    }


def readable(value: Any) -> dict[str, Any]:
    """A value as text, with a link where it is an http address."""
    if value is None:
        return {"text": "", "href": None}
    if isinstance(value, orjson.Fragment):
        value = orjson.dumps(value).decode()
    elif hasattr(value, "isoformat"):
        value = value.isoformat(sep=" ", timespec="seconds") if hasattr(value, "hour") else value.isoformat()
    text = str(value)
    href = text if text.startswith(("https://", "http://")) else None
    return {"text": text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…", "href": href}
