"""Features as GeoJSON (RFC 7946). PostGIS has encoded the geometry; it is embedded, never parsed."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import orjson

from services.features.rows.row_plan import Row, RowPlan

_MULTI = '{"type":"Multi'
_POINTS = '{"type":"MultiPoint"'
_GAP = re.compile(r"(?<=\[),+|,+(?=[\],])")
_MARK = orjson.Fragment(b"\0")
_BETWEEN = b",\0,"
_OPTIONS = orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z


def features(rows: Sequence[Row], plan: RowPlan) -> list[dict[str, Any]]:
    """Each row as a Feature, ready for `encode`."""
    if not rows:
        return []
    names = tuple([column.name for column in plan.properties])
    make = _maker(
        plan.has_id, plan.has_geometry, names, plan.raw_json, tuple(place for place, _ in plan.times), len(rows[0])
    )
    # by columns: what is done to one value of each row is done faster to all of them
    times = [rfc3339([row[place] for row in rows]) for place, rfc3339 in plan.times]
    geometries = _embedded([row[plan.has_id] for row in rows]) if plan.has_geometry else [None] * len(rows)
    return make(rows, geometries, *times)


@lru_cache(maxsize=256)
def _maker(  # noqa: PLR0917 what tells layouts apart
    has_id: bool,
    has_geometry: bool,
    names: tuple[str, ...],
    raw_json: tuple[bool, ...],
    times: tuple[int, ...],
    width: int,
) -> Callable[..., list[dict[str, Any]]]:
    """Makes features of rows so laid out, their geometries and their times.

    Its names are constants of a function made for them, as those of a named tuple are: to pair names with values anew
    for each row takes twice as long.
    """
    values = [f"value{place}" for place in range(width)]
    start = has_id + has_geometry
    members = []
    for place, (name, is_json) in enumerate(zip(names, raw_json, strict=True), start):
        value = f"time{place}" if place in times else values[place]
        if is_json:
            value = f"None if {value} is None else fragment({value})"
        members.append(f"{name!r}: {value}")
    identifier = f"'id': {'time0' if 0 in times else 'value0'}, " if has_id else ""
    columns = ", ".join(["rows", "geometries", *(f"times{place}" for place in times)])
    row = ", ".join([f"({', '.join(values)},)", "geometry", *(f"time{place}" for place in times)])
    made: dict[str, Any] = {"fragment": orjson.Fragment}
    exec(  # noqa: S102 nothing of a row is in it, and names as Python quotes them
        f"def make({columns}):\n"
        f"    return [{{'type': 'Feature', {identifier}'geometry': geometry, 'properties': {{{', '.join(members)}}}}}\n"
        f"            for {row} in zip({columns})]\n",
        made,
    )
    make: Callable[..., list[dict[str, Any]]] = made["make"]
    return make


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


def encoded(rows: Sequence[Row], plan: RowPlan) -> list[bytes]:
    """Each row as a Feature, in JSON."""
    if not rows:
        return []
    # one call for all, cut at a byte that no JSON holds: a call for each takes half as long again, and leaves each
    # text in a buffer of several times its length
    marked: list[Any] = [_MARK] * (2 * len(rows) - 1)
    marked[::2] = features(rows, plan)
    return encode(marked)[1:-1].split(_BETWEEN)


def encode(value: Any) -> bytes:
    """JSON with times in UTC and a trailing Z."""
    return orjson.dumps(value, default=str, option=_OPTIONS)
