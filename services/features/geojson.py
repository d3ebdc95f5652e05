"""Features as GeoJSON (RFC 7946). PostGIS has encoded the geometry; it is embedded, never parsed."""

import re
from collections.abc import Sequence
from typing import Any

import orjson

from services.features.items_sql import RowPlan
from services.features.items_store import Row

_MULTI = '{"type":"Multi'
_POINTS = '{"type":"MultiPoint"'
_GAP = re.compile(r"(?<=\[),+|,+(?=[\],])")
_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


def features(rows: Sequence[Row], plan: RowPlan) -> list[dict[str, Any]]:
    """Each row as a Feature, ready for `encode`."""
    if not rows:
        return []
    # by columns: what is done to one value of each row is done faster to all of them
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
    for place, rfc3339 in plan.times:
        columns[place] = rfc3339(columns[place])
    start = plan.has_id + plan.has_geometry
    names = [column.name for column in plan.properties]
    for place, is_json in enumerate(plan.raw_json, start):
        if is_json:
            columns[place] = [None if text is None else orjson.Fragment(text) for text in columns[place]]
    # strict= costs as much as two more columns, and the plan made both
    values = zip(*columns[start : start + len(names)])  # noqa: B905
    properties = [dict(zip(names, row)) for row in values] if names else [{} for _ in rows]  # noqa: B905
    geometries = _embedded(columns[plan.has_id]) if plan.has_geometry else [None] * len(rows)
    members = zip(geometries, properties, strict=True)
    if not plan.has_id:
        return [{"type": "Feature", "geometry": geometry, "properties": found} for geometry, found in members]
    return [
        {"type": "Feature", "id": identifier, "geometry": geometry, "properties": found}
        for identifier, (geometry, found) in zip(columns[0], members, strict=True)
    ]


def _embedded(texts: Sequence[str | None]) -> list[orjson.Fragment | None]:
    """The geometries that PostGIS has written; null where there is none or a coordinate is not finite."""
    fragment = orjson.Fragment
    joined = "".join([text or "" for text in texts])
    # "NaN", "Infinity", "Multi…": most pages hold none of these
    special = "N" in joined or "I" in joined or "M" in joined
    return [None if text is None else (_one_embedded(text) if special else fragment(text)) for text in texts]


def _one_embedded(text: str) -> orjson.Fragment | None:
    # "NaN" and "Infinity": no word of GeoJSON has these capitals
    if "N" in text or "I" in text:
        return None
    if text.startswith(_MULTI) and ("[]" in text or (text.startswith(_POINTS) and _GAP.search(text))):
        # an empty member is written as [] or, in a MultiPoint, as nothing between two commas
        geometry = orjson.loads(_GAP.sub("", text))
        geometry["coordinates"] = [member for member in geometry["coordinates"] if member]
        return orjson.Fragment(orjson.dumps(geometry))
    return orjson.Fragment(text)


def encode(value: Any) -> bytes:
    """JSON with times in UTC and a trailing Z."""
    return orjson.dumps(value, default=str, option=_OPTIONS)
