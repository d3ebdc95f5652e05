"""The MapLibre style (version 8) of a collection: the basemap, the collection on top, labels above."""

from collections.abc import Mapping, Sequence
from math import log2
from typing import Any

from libs.catalogue.own_look import OwnLook
from libs.geo.longitudes import wrap_longitude
from libs.web.basemap import Basemap
from services.tiles.styling.basemap import basemap_layers, basemap_sources, font_faces, raster_layers, raster_sources
from services.tiles.styling.hazard import look_of
from services.tiles.styling.layers import data_layers, is_mark, with_dark_colors
from services.tiles.styling.plain import plain_layers

_MERCATOR_LATITUDE = 85.051129


def style_json(
    *,
    collection_id: str,
    title: str,
    geometry_type: str,
    properties: Mapping[str, Any],
    base_url: str,
    tile_matrix_set_id: str,
    tiles_url_template: str,
    minzoom: int,
    maxzoom: int,
    bounds: Sequence[float] | None,
    center: Sequence[float] | None,
    attribution: str | None,
    basemap: Basemap | None = None,
    plain: bool = False,
    own: OwnLook | None = None,
    color: str | None = None,
) -> dict[str, Any]:
    """Return the StyleJSON of a collection: a valid MapLibre style v8 that needs no other server, except for `basemap`.

    `geometry_type` is a simple features name (`Point`, `MultiPolygon`, `Geometry`, …), `properties` maps property names
    to JSON types, `tiles_url_template` contains `{z}`, `{x}`, `{y}`. `bounds` is west, south, east, north in degrees
    (west > east if it crosses ±180°), `basemap` an operator's raster tiles instead of ours. `plain` makes a layer for
    each colour instead of expressions. `own` is the look that the operator configured, `color` as for
    `look_of`. Source layer, source and the prefix of layer ids are the collection's id.

    `metadata` has facts for a viewer that MapLibre styles cannot express: `dams:collection`, `dams:tileMatrixSet`,
    `dams:geometryType`, `dams:layers` (ids of the layers that draw data), and `dams:legend`, a list of `{title, unit,
    properties, symbol, classes, sizes}`. Each themed layer's `metadata["dams:dark"]` has its paint properties for a
    dark theme.
    """
    look = look_of(collection_id, geometry_type, properties, own, color)
    data = data_layers(collection_id, geometry_type, look)
    if plain:
        # programs that read few expressions would draw all marks of a layer in the same shape
        data = plain_layers([layer for layer in data if not is_mark(layer)])
    data = [with_dark_colors(layer) for layer in data]
    below, labels = raster_layers() if basemap else basemap_layers()
    center_zoom = _center_and_zoom(bounds, minzoom, maxzoom)
    source = vector_source(tiles_url_template, minzoom, maxzoom, bounds, attribution)
    return {
        "version": 8,
        "name": title,
        "metadata": {
            "dams:collection": collection_id,
            "dams:tileMatrixSet": tile_matrix_set_id,
            "dams:geometryType": geometry_type,
            "dams:layers": [layer["id"] for layer in data],
            "dams:legend": list(look.legend),
        },
        "center": [round(value, 6) for value in center[:2]] if center else center_zoom[0],
        "zoom": center_zoom[1],
        "font-faces": font_faces(base_url),
        "sources": {**(raster_sources(basemap) if basemap else basemap_sources(base_url)), collection_id: source},
        "layers": [*below, *data, *labels],
    }


def vector_source(
    template: str, minzoom: int, maxzoom: int, bounds: Sequence[float] | None, attribution: str | None
) -> dict[str, Any]:
    """Return the source of a style: tiles at `template`, `bounds` as in `style_json`."""
    source: dict[str, Any] = {"type": "vector", "tiles": [template], "minzoom": minzoom, "maxzoom": maxzoom}
    if bounds is not None and bounds[0] <= bounds[2]:
        source["bounds"] = [round(value, 6) for value in bounds]
    if attribution:
        source["attribution"] = attribution
    return source


def _center_and_zoom(bounds: Sequence[float] | None, minzoom: int, maxzoom: int) -> tuple[list[float], int]:
    """Return the middle of the bounds, and the zoom at which they roughly fill a screen of 1024 pixels."""
    if bounds is None:
        return [0.0, 0.0], max(1, minzoom)
    west, south, east, north = bounds
    width = east - west if west <= east else east + 360 - west
    middle = wrap_longitude(west + width / 2)
    south, north = max(south, -_MERCATOR_LATITUDE), min(north, _MERCATOR_LATITUDE)
    span = max(width, 2 * (north - south), 0.05)
    # 512-pixel tiles: the world is 1024 pixels wide at zoom 1
    zoom = int(log2(360 / span)) + 1
    return [round(middle, 6), round((south + north) / 2, 6)], min(max(zoom, minzoom, 1), max(maxzoom, 1))
