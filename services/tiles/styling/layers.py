"""Convert the look of a collection to MapLibre layers, for every kind of geometry."""

from dataclasses import dataclass, field
from typing import Any

from services.tiles.styling.basemap import FONT, Layer, with_themes
from services.tiles.styling.palette import GENERIC, Expression, dark_expression

_DIMENSIONS = {
    "Point": ("Point",),
    "MultiPoint": ("Point",),
    "LineString": ("LineString",),
    "MultiLineString": ("LineString",),
    "Polygon": ("Polygon",),
    "MultiPolygon": ("Polygon",),
}


@dataclass(frozen=True, slots=True)
class Look:
    """The look of a collection's features; `legend` describes it (see `metadata` in document.py)."""

    color: Expression = GENERIC
    radius: Expression = field(default_factory=lambda: interpolate_zoom(1, 2.6, 6, 6, 12, 9))
    """Radius of points, in pixels."""
    width: Expression = field(default_factory=lambda: interpolate_zoom(1, 1.6, 6, 3, 12, 5))
    """Width of lines, in pixels."""
    casing_width: Expression = field(default_factory=lambda: interpolate_zoom(1, 2.8, 6, 4.6, 12, 7))
    opacity: Expression = 0.85
    """Opacity of points."""
    fill_opacity: Expression = 0.35
    sort_key: Expression | None = None
    """Features with a larger value are drawn on top."""
    cased: bool = True
    """Whether lines have an edge that makes pale colours visible; points always have one."""
    fine: bool = False
    """Whether an area consists of many small parts, so that outlines would cover it at low zooms."""
    provisional: bool = False
    """Whether lines are dashed and points hollow."""
    mark: Expression | None = None
    """A shape that shows the class without colour, and the position of an area too small to be seen."""
    label: str | None = None
    """Name of the property to write beside points and along lines."""
    legend: tuple[dict[str, Any], ...] = ()


def interpolate_zoom(*stops: Expression) -> Expression:
    """Interpolate linearly in the zoom level: zoom, value, zoom, value, …"""
    return ["interpolate", ["linear"], ["zoom"], *stops]


def data_layers(collection_id: str, geometry_type: str, look: Look) -> list[Layer]:
    """Return the layers that draw a collection; source and source layer are named by its id.

    `geometry_type` is a simple features type name. A type other than point, line or polygon (`Geometry`,
    `GeometryCollection`) gets layers for all three, each filtered by the geometry that it draws.
    """
    dimensions = _DIMENSIONS.get(geometry_type, ("Polygon", "LineString", "Point"))
    makers = {"Polygon": _polygons, "LineString": _lines, "Point": _points}
    layers: list[Layer] = []
    for dimension in dimensions:
        for layer in makers[dimension](look):
            if len(dimensions) > 1:
                layer["filter"] = ["==", ["geometry-type"], dimension]
            layers.append(layer)
    if look.mark is not None:
        layers += [_mark(look, dimension) for dimension in dimensions if dimension != "LineString"]
    if look.label is not None:
        layers.append(_label(look.label, dimensions))
    for layer in layers:
        layer["id"] = f"{collection_id}:{layer['id']}"
        layer["source"] = layer["source-layer"] = collection_id
        layer["metadata"] = {**layer.get("metadata", {}), "dams:collection": collection_id}
    return layers


def _sort_key(kind: str, look: Look) -> dict[str, Any]:
    return {} if look.sort_key is None else {f"{kind}-sort-key": look.sort_key}


def _polygons(look: Look) -> list[Layer]:
    # wide outlines would hide small areas, and the gaps between them, at low zooms
    width = interpolate_zoom(4, 0, 9, 1.2, 12, 2.4) if look.fine else interpolate_zoom(2, 0.4, 6, 0.8, 9, 1.2, 12, 2.4)
    fill: Layer = {
        "id": "fill",
        "type": "fill",
        "layout": _sort_key("fill", look),
        "paint": {"fill-color": look.color, "fill-opacity": look.fill_opacity, "fill-antialias": False},
    }
    outline: Layer = {
        "id": "outline",
        "type": "line",
        "layout": {"line-join": "round", **_sort_key("line", look)},
        "paint": {"line-color": look.color, "line-width": width},
    }
    if look.provisional:
        outline["paint"]["line-dasharray"] = [2.5, 1.5]
    return [fill, outline]


def _lines(look: Look) -> list[Layer]:
    layout = {"line-join": "round", "line-cap": "butt" if look.provisional else "round", **_sort_key("line", look)}
    line: Layer = {
        "id": "line",
        "type": "line",
        "layout": layout,
        "paint": {"line-color": look.color, "line-width": look.width},
    }
    if look.provisional:
        line["paint"]["line-dasharray"] = [2.2, 1.4]
        return [line]
    if not look.cased:
        return [line]
    casing: Layer = {
        "id": "casing",
        "type": "line",
        "layout": {"line-join": "round", "line-cap": "round"},
        "paint": {"line-width": look.casing_width, "line-opacity": 0.75},
    }
    return [with_themes(casing, line_color="casing"), line]


def _points(look: Look) -> list[Layer]:
    circle: Layer = {
        "id": "circle",
        "type": "circle",
        "layout": _sort_key("circle", look),
        "paint": {
            "circle-radius": look.radius,
            "circle-color": look.color,
            "circle-opacity": look.opacity,
            "circle-stroke-width": interpolate_zoom(1, 0.6, 6, 1.2),
        },
    }
    if look.provisional:
        circle["paint"] |= {
            "circle-opacity": 0.18,
            "circle-stroke-color": look.color,
            "circle-stroke-width": interpolate_zoom(1, 1.1, 6, 2),
        }
        return [circle]
    return [with_themes(circle, circle_stroke_color="casing")]


def with_dark_colors(layer: Layer) -> Layer:
    """Return the layer with the colours of its classes for a dark theme in its metadata."""
    dark = {name: pair for name, value in layer["paint"].items() if (pair := dark_expression(value)) != value}
    if not dark:
        return layer
    metadata = layer.get("metadata", {})
    return {**layer, "metadata": {**metadata, "dams:dark": {**metadata.get("dams:dark", {}), **dark}}}


ANCHOR = "dams:anchor"
"""Property of an area in the one tile with its first corner: an area in several tiles has one mark."""
MARKED_BELOW = 6
"""Zoom from which areas are large enough to need no mark."""


def _mark(look: Look, dimension: str) -> Layer:
    """Return the marks: of areas while they are small; of points inside their coloured circles, at near zooms."""
    is_area = dimension == "Polygon"
    is_dimension: Expression = ["==", ["geometry-type"], dimension]
    layer: Layer = {
        "id": "mark" if is_area else "shape",
        "type": "symbol",
        **({"maxzoom": MARKED_BELOW} if is_area else {"minzoom": 2}),
        "filter": ["all", is_dimension, ["==", ["get", ANCHOR], True]] if is_area else is_dimension,
        "layout": {
            "text-field": look.mark,
            "text-font": [FONT],
            "text-size": interpolate_zoom(0, 10, 5, 14) if is_area else interpolate_zoom(2, 8, 6, 12, 10, 17),
            "text-allow-overlap": True,
            "text-ignore-placement": True,
        },
        "paint": {"text-color": look.color, "text-halo-width": 1.2} if is_area else {"text-color": "#10171e"},
    }
    return with_themes(layer, text_halo_color="casing") if is_area else layer


def is_mark(layer: Layer) -> bool:
    """Return whether a layer draws marks, by its name from `data_layers`."""
    return str(layer["id"]).endswith((":mark", ":shape"))


def _label(name: str, dimensions: tuple[str, ...]) -> Layer:
    layout: dict[str, Any] = {
        "text-field": ["to-string", ["get", name]],
        "text-font": [FONT],
        "text-size": interpolate_zoom(3, 11, 8, 14),
        "symbol-placement": "line" if dimensions == ("LineString",) else "point",
        "text-optional": True,
    }
    if "Point" in dimensions:
        # below the symbol; in an area it stands in the middle
        layout |= {"text-offset": [0, 1.1], "text-anchor": "top"}
    layer: Layer = {"id": "label", "type": "symbol", "minzoom": 3, "layout": layout, "paint": {"text-halo-width": 1.4}}
    return with_themes(layer, text_color="label", text_halo_color="halo")
