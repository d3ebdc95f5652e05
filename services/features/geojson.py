"""Features as GeoJSON (RFC 7946). PostGIS has encoded the geometry; it is embedded, never parsed."""

import re
from collections.abc import Iterable
from typing import Any

import orjson

from services.features.items_sql import RowPlan
from services.features.items_store import Row

_MULTI = '{"type":"Multi'
_POINTS = '{"type":"MultiPoint"'
_GAP = re.compile(r"(?<=\[),+|,+(?=[\],])")
_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


def features(rows: Iterable[Row], plan: RowPlan) -> list[dict[str, Any]]:
    """Each row as a Feature, ready for `encode`."""
    start = plan.has_id + plan.has_geometry
    names = [column.name for column in plan.properties]
    raw = [name for name, is_json in zip(names, plan.raw_json, strict=True) if is_json]
    end = start + len(names)
    result = []
    for row in rows:
        properties = dict(zip(names, row[start:end], strict=True))
        for name, rfc3339 in plan.times:
            time = properties[name]
            if time is not None:
                properties[name] = rfc3339(time)
        for name in raw:
            if properties[name] is not None:
                properties[name] = orjson.Fragment(properties[name])
        geometry = _embedded(row[plan.has_id]) if plan.has_geometry else None
        if plan.has_id:
            feature = {"type": "Feature", "id": row[0], "geometry": geometry, "properties": properties}
        else:
            feature = {"type": "Feature", "geometry": geometry, "properties": properties}
        result.append(feature)
    if plan.id_time is not None:
        for feature in result:
            feature["id"] = plan.id_time(feature["id"])
    return result


def _embedded(text: str | None) -> orjson.Fragment | None:
    """The geometry that PostGIS has written; null where there is none or a coordinate is not finite."""
    # "NaN" and "Infinity": no word of GeoJSON has these capitals
    if text is None or "N" in text or "I" in text:
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
