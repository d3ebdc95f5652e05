"""How pages say numbers, times, boxes and formats to people: filters of the templates."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from libs.ogc.link import path_segment
from libs.ogc.media_type import LABELS

_EPSG = re.compile(r"http://www\.opengis\.net/def/crs/(\w+)/[\w.]+/(\w+)\Z")


def format_label(media_type: str) -> str:
    """`application/geo+json` to `GeoJSON`; a type without a name stays as it is."""
    return LABELS.get(media_type, media_type)


def count(number: int) -> str:
    """1707 to `1,707`."""
    return f"{number:,}"


def day(moment: str) -> str:
    """An RFC 3339 time to `31 Jan 2018`, in UTC; what is none stays as it is."""
    try:
        found = datetime.fromisoformat(moment)
    except ValueError:
        return moment
    found = found.astimezone(UTC) if found.tzinfo else found
    return f"{found.day} {found:%b} {found.year}"


def degrees(box: list[float]) -> str:
    """West, south, east, north in degrees to `179.6° W – 178.8° E, 65.9° S – 83° N`."""
    west, south, east, north = box
    return f"{_angle(west, 'EW')} – {_angle(east, 'EW')}, {_angle(south, 'NS')} – {_angle(north, 'NS')}"


def _angle(value: float, sides: str) -> str:
    size = f"{abs(value):.2f}".rstrip("0").rstrip(".")
    return f"{size}° {sides[value < 0]}" if size != "0" else "0°"


def crs_label(uri: str) -> str:
    """`http://www.opengis.net/def/crs/EPSG/0/3857` to `EPSG:3857`; anything else stays as it is."""
    found = _EPSG.match(uri)
    return uri if found is None else found.group(2) if found.group(1) == "OGC" else ":".join(found.groups())


def shell(text: str) -> str:
    """`text` as one word of a POSIX shell."""
    return "'" + text.replace("'", "'\\''") + "'"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "format_label": format_label,
    "count": count,
    "day": day,
    "degrees": degrees,
    "crs_label": crs_label,
    "shell": shell,
    # jinja's own `urlencode` leaves slashes, which ids may hold
    "segment": lambda value: path_segment(str(value)),
}
