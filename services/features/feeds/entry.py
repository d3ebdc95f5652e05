"""A feature as an entry of a feed: its title, time and place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import orjson

from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection, Column
from libs.ogc.link import path_segment
from libs.ogc.temporal import moment_of
from libs.web.impact_sentence import sentence
from services.features.formats.geojson import encode

_UPDATED = ("updated", "updated_at", "last_updated", "modified", "modified_at", "last_modified", "issued", "sent")
"""Columns with the time of the last change or issue, the most specific first."""
_TOLD = 8
"""Maximum number of properties in the summary of an entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a feed, made from a feature."""

    id: str
    """A permanent address: the feature's own, or, without an id, one made from its content."""
    address: str | None
    """Address of the feature; None without an id."""
    title: str
    updated: datetime
    published: datetime | None
    summary: str
    box: tuple[float, float, float, float] | None
    """West, south, east, north; west is greater than east across the antimeridian."""


def update_column(collection: Collection) -> Column | None:
    """Return the column with the time of the last change; None if there is none."""
    columns = (collection.column(name) for name in _UPDATED)
    return next((column for column in columns if column is not None and column.format == "date-time"), None)


def entry(
    collection: Collection,
    feature: Mapping[str, Any],
    base: str,
    known_since: datetime,
    headline: Mapping[str, Any] | None = None,
) -> Entry:
    """Return the entry of a feature that is ready for `encode`. `known_since` is the start of the current data version.

    The summary begins with the people in the zones of its event, from the `headline` of the impact, if that is known.

    `updated` is the value of the update column, else the feature's own time if it is past, else `known_since`.
    """
    properties: dict[str, Any] = orjson.loads(encode(feature["properties"]))
    geometry = orjson.loads(encode(feature["geometry"]))
    item_id = feature.get("id")
    items = f"{base}/collections/{path_segment(collection.id)}/items"
    address = None if item_id is None else f"{items}/{path_segment(str(item_id))}"
    time, changed = collection.time(), update_column(collection)
    published = moment_of(properties.get(time.name)) if time else None
    updated = moment_of(properties.get(changed.name)) if changed else None
    now = datetime.now(UTC)
    if updated is None or updated > now:
        updated = published if published is not None and published <= now else known_since
    content = blake2b(encode([feature["properties"], feature["geometry"]]), digest_size=15).hexdigest()
    title = feature_name(collection, item_id, properties)
    people = [] if headline is None else [sentence(headline, title)]
    return Entry(
        id=address or f"{items}#{content}",
        address=address,
        title=title,
        updated=updated,
        published=None if published is None or published > updated else published,
        summary="\n".join([*people, *_property_lines(collection, properties)]),
        box=box_of(geometry),
    )


def _property_lines(collection: Collection, properties: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each property with a plain value, the most important first."""
    first = [name.removeprefix("-") for name in collection.importance]
    columns = sorted(collection.columns, key=lambda column: (column.name not in first, column.name == collection.key))
    told = 0
    for column in columns:
        value = properties.get(column.name)
        if told < _TOLD and value not in (None, "") and isinstance(value, str | int | float):
            told += 1
            shown = str(value).lower() if isinstance(value, bool) else str(value)[:300]
            yield f"{column.title or column.name}: {shown}{f' {column.unit}' if column.unit else ''}"


def box_of(geometry: Mapping[str, Any] | None) -> tuple[float, float, float, float] | None:
    """Return the box of a GeoJSON point or box; west is greater than east if two parts meet at ±180."""
    parts = [list(_positions(part)) for part in _parts(geometry)] if geometry else []
    parts = [part for part in parts if part]
    if not parts:
        return None
    boxes = [(min(x), min(y), max(x), max(y)) for x, y in (zip(*part, strict=True) for part in parts)]
    south, north = min(box[1] for box in boxes), max(box[3] for box in boxes)
    if len(boxes) == 2 and {boxes[0][2], boxes[1][2]} >= {180.0} and -180.0 in (boxes[0][0], boxes[1][0]):
        eastern, western = sorted(boxes, key=lambda box: box[0] == -180.0)
        return eastern[0], south, western[2], north
    return min(box[0] for box in boxes), south, max(box[2] for box in boxes), north


def _parts(geometry: Mapping[str, Any]) -> list[Any]:
    if geometry["type"] == "GeometryCollection":
        return [part for member in geometry["geometries"] for part in _parts(member)]
    coordinates: list[Any] = geometry["coordinates"]
    return coordinates if geometry["type"].startswith("Multi") else [coordinates]


def _positions(coordinates: Any) -> Iterator[tuple[float, float]]:
    if coordinates and not isinstance(coordinates[0], list):
        yield coordinates[0], coordinates[1]
    else:
        for member in coordinates:
            yield from _positions(member)
