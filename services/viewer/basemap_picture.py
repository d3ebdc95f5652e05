"""GET /basemap.svg: the basemap of a box as a picture, for pages without scripts.

Degrees of longitude have their true width at the middle of the box, so that Alaska keeps its shape.
"""

import gzip
import json
from collections.abc import Iterator
from functools import lru_cache
from html import escape
from math import ceil, floor, log2
from pathlib import Path
from typing import Any, NamedTuple

from aiohttp import web

from libs.geo.longitudes import stretch
from libs.ogc.bbox import BBox, bbox_of
from libs.ogc.errors import Fault, InvalidParameters
from libs.web.app import Call
from libs.web.conditional import conditional
from libs.web.query_params import QueryValues
from services.viewer.assets import DIST

_WIDTH = 900
_TALLEST = 1800
_LAST = 5
_LEAST = 0.01
"""Minimum size in degrees: tiles are not finer."""
_EXTENT = 4096
_CACHE = "public, max-age=86400"
_STYLE = (
    "text{font:500 12px Inter,system-ui,sans-serif;text-anchor:middle;stroke-width:3px;paint-order:stroke}"
    "path{fill:none;stroke-linejoin:round}.sea{fill:#dfe8ee}.land{fill:#f7f6f2}.lakes{fill:#dfe8ee}"
    ".coast{stroke:#b4c3ce}.rivers{stroke:#bfd2df}.borders{stroke:#b5b0a4}.provinces{stroke:#dcd9d1}"
    "text,circle{fill:#48515c;stroke:#f7f6f2}circle{stroke:none}text.country{fill:#626a75;font-size:13px}"
    "text.province{fill:#6d727b;font-size:11px}"
    "@media(prefers-color-scheme:dark){.sea,.lakes{fill:#10171e}.land{fill:#1d2731}.coast{stroke:#33424f}"
    ".rivers{stroke:#253b4d}.borders{stroke:#4b5c6e}.provinces{stroke:#2b3845}text,circle{fill:#b4c1cd;stroke:#141c24}"
    "text.country{fill:#9aa9b8}text.province{fill:#8695a3}}"
)
_SHAPES = (("land", 0.0), ("lakes", 0.0), ("rivers", 1.0), ("provinces", 0.6), ("coast", 0.8), ("borders", 1.0))
"""Layers from bottom to top, and the width of their lines in pixels."""


class _Label(NamedTuple):
    x: float
    y: float
    kind: str
    name: str
    zoom: float
    size: int
    names: dict[str, str]
    """Names in other languages than English, by tag."""


async def get_basemap_picture(call: Call) -> web.StreamResponse:
    """Return the picture, 900 pixels wide, as SVG."""
    call.query.check()
    # at most a dozen small files, each read once
    response = web.Response(text=picture(_box(call.query), call.query.values["lang"]), content_type="image/svg+xml")
    return conditional(call.request, response, cache_control=_CACHE)


def _box(query: QueryValues) -> BBox:
    """Return the requested box. Raises InvalidParameters."""
    numbers = query.values["bbox"]
    fault = f"bbox must be at least {_LEAST} degrees wide and high"
    try:
        box = bbox_of(numbers)
        if min(_width(box), box.north - box.south) >= _LEAST:
            return box
    except ValueError as error:
        fault = f"bbox {error}"
    raise InvalidParameters([Fault(("query", "bbox"), fault, numbers)])


def _width(box: BBox) -> float:
    return box.east - box.west if box.west <= box.east else box.east - box.west + 360


def picture(box: BBox, tag: str | None = None, folder: Path = DIST / "basemap" / "pictures") -> str:
    """Return an SVG document that shows the box, with the names of this language."""
    east = box.west + _width(box)
    across = _WIDTH / (east - box.west)
    down = across / stretch(box.south, box.north)
    height = min(_TALLEST, (box.north - box.south) * down)
    down = height / (box.north - box.south)
    # tiles of a third of the picture's width or height, whichever is larger
    zoom = max(0, min(_LAST, floor(log2(540 / max(east - box.west, box.north - box.south)))))
    side = 180 / 2**zoom
    paths: dict[str, list[str]] = {name: [] for name, _ in _SHAPES}
    labels: list[_Label] = []
    for row in range(floor((90 - box.north) / side), ceil((90 - box.south) / side)):
        for column in range(floor((box.west + 180) / side), ceil((east + 180) / side)):
            tile = _tile(folder / f"{zoom}/{row}/{column % 2 ** (zoom + 1)}.json.gz")
            left, top = (column * side - 180 - box.west) * across, (box.north - 90 + row * side) * down
            wide, high = side * across / _EXTENT, side * down / _EXTENT
            move = f"matrix({wide:.7g} 0 0 {high:.7g} {left:.7g} {top:.7g})"
            for name, width in _SHAPES:
                if tile.get(name):
                    stroke = f' stroke-width="{width / (wide * high) ** 0.5:.4g}"' if width else ""
                    paths[name].append(f'<path class="{name}" transform="{move}"{stroke} d="{tile[name]}"/>')
            for x, y, *rest in (*tile.get("labels", ()), *tile.get("towns", ())):
                labels.append(_Label(left + x * wide, top + y * high, *rest))
    shapes = "".join(path for name, _ in _SHAPES for path in paths[name])
    seen = log2(360 * across / 512)
    countries = _tile(folder / "names.json.gz").get(tag or "", {})
    named = [
        label._replace(name=label.names.get(tag or "") or countries.get(label.name, label.name)) for label in labels
    ]
    names = "".join(_fit_labels(named, seen, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.6g}"'
        f' viewBox="0 0 {_WIDTH} {height:.6g}" preserveAspectRatio="none">'
        f'<style>{_STYLE}</style><rect class="sea" width="{_WIDTH}" height="{height:.6g}"/>{shapes}{names}</svg>'
    )


def _fit_labels(labels: list[_Label], zoom: float, height: float) -> Iterator[str]:
    """Yield the labels that fit, countries first, then towns by size."""
    taken: list[tuple[float, float, float, float]] = []
    order = {"country": 0, "town": 1, "province": 2}
    for label in sorted(labels, key=lambda each: (order.get(each.kind, 9), each.zoom, -each.size)):
        if label.kind not in order or label.zoom > zoom + 0.5:
            continue
        half = len(label.name) * 3.4 + 4
        inside = half < label.x < _WIDTH - half and 12 < label.y < height - 22
        box = (label.x - half, label.y - 7, label.x + half, label.y + 21)
        if not inside or any(box[0] < b[2] and b[0] < box[2] and box[1] < b[3] and b[1] < box[3] for b in taken):
            continue
        taken.append(box)
        below = 0
        if label.kind == "town":
            below = 15
            yield f'<circle cx="{label.x:.1f}" cy="{label.y:.1f}" r="1.8"/>'
        name = escape(label.name)
        yield f'<text class="{label.kind}" x="{label.x:.1f}" y="{label.y + below:.1f}">{name}</text>'


@lru_cache(maxsize=128)
def _tile(file: Path) -> dict[str, Any]:
    """Return the tile; empty if there is no file."""
    try:
        tile: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    except FileNotFoundError:
        return {}
    return tile
