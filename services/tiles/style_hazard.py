"""Which look a collection gets: by the properties it has, then by what its id says, else a generic one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from services.tiles.palette import (
    ALERT,
    CATEGORY,
    DEPTH,
    DISTURBANCE,
    FLOOD_SEVERITY,
    GENERIC,
    WIND,
    WIND_ZONE,
    Expression,
    Scale,
)
from services.tiles.style_layers import Look, by_zoom

# magnitude to radius in pixels at zoom 1 and zoom 6: area grows with the energy's feel, not the energy
_MAGNITUDE_RADII = ((4, 1.7, 4.5), (5, 2.6, 7.5), (6, 4.6, 13), (7, 8.5, 24), (8, 15, 42))
_LEGEND_DIAMETERS = (("4", 5), ("5", 8), ("6", 13), ("7", 22), ("8", 34))

_NODE_RADIUS = by_zoom(1, 1.8, 4, 3.2, 6, 5.2, 10, 8)


def look_of(collection_id: str, geometry_type: str, properties: Mapping[str, Any]) -> Look:
    """The look of a collection with these properties (name to JSON type)."""
    names = tuple(properties)
    name = collection_id.rpartition(".")[2].lower()
    polygons = geometry_type.endswith("Polygon")
    if "disturbance" in name:
        return _disturbance(polygons)
    if "magnitude" in names:
        return _earthquake(names)
    if polygons and (zone := WIND_ZONE.for_properties(names)) and "buffer" in name:
        return Look(
            color=zone.color(),
            fill_opacity=0.28,
            sort_key=zone.rank(),
            legend=(zone.legend("fill"),),
        )
    if "category" in names or WIND.for_properties(names):
        return _storm(names, geometry_type)
    if alert := ALERT.for_properties(names):
        return Look(
            color=alert.color(),
            fill_opacity=0.42,
            sort_key=alert.rank(),
            radius=by_zoom(1, 3, 6, 7, 10, 10),
            legend=(alert.legend("fill" if polygons else "circle"),),
        )
    if severity := FLOOD_SEVERITY.for_properties(names):
        return Look(
            color=severity.color(),
            fill_opacity=0.6,
            sort_key=severity.rank(),
            legend=(severity.legend("fill" if polygons else "circle"),),
        )
    if "gauge" in name:
        return Look(color="#1971c2", radius=by_zoom(1, 2.4, 6, 5.5, 10, 9), legend=(_single("Gauge", "#1971c2", "circle"),))
    symbol = {"Point": "circle", "LineString": "line", "Polygon": "fill"}.get(geometry_type.removeprefix("Multi"), "fill")
    return Look(color=GENERIC, legend=(_single("Feature", GENERIC, symbol),))


def _earthquake(names: tuple[str, ...]) -> Look:
    magnitude: Expression = ["to-number", ["get", "magnitude"], 0]
    depth = DEPTH.for_properties(names)

    def radius(column: int) -> Expression:
        stops = [part for item in _MAGNITUDE_RADII for part in (item[0], item[column])]
        return ["interpolate", ["linear"], magnitude, *stops]

    sizes = {
        "title": "Magnitude",
        "unit": None,
        "properties": ["magnitude"],
        "symbol": "circle",
        "sizes": [{"label": label, "diameter": diameter} for label, diameter in _LEGEND_DIAMETERS],
    }
    look = Look(
        radius=by_zoom(1, radius(1), 6, radius(2)),
        opacity=0.78,
        cased=False,
        # small shocks stay visible, and clickable, on top of large ones
        sort_key=["-", 0, magnitude],
        legend=(sizes,),
    )
    if depth is None:
        return look
    return replace(look, color=depth.color(), legend=(sizes, depth.legend("circle")))


def _storm(names: tuple[str, ...], geometry_type: str) -> Look:
    scale: Scale | None = WIND.for_properties(names) or CATEGORY.for_properties(names)
    symbol = {"Point": "circle", "LineString": "line", "Polygon": "fill"}.get(geometry_type.removeprefix("Multi"), "line")
    forecast: Expression = ["case", ["==", ["get", "kind"], "forecast"], 0.45, 0.95]
    assert scale is not None  # noqa: S101 the caller saw one of the two
    return Look(
        color=_category_color(names),
        radius=_NODE_RADIUS if "name" not in names else by_zoom(1, 3.2, 6, 7, 10, 10),
        width=by_zoom(1, 1.6, 4, 3, 6, 4.6, 10, 7),
        casing_width=by_zoom(1, 2.8, 4, 4.6, 6, 6.6, 10, 9.4),
        opacity=forecast if "kind" in names else 0.95,
        sort_key=scale.rank(),
        label="name" if "name" in names else None,
        legend=(CATEGORY.legend(symbol) if "category" in names else scale.legend(symbol),),
    )


def _category_color(names: tuple[str, ...]) -> Expression:
    """By category; a feature whose category is missing or of another scale is coloured by its wind."""
    wind = WIND.for_properties(names)
    if "category" not in names:
        return wind.color() if wind else GENERIC
    matched = CATEGORY.color()
    if wind is not None:
        matched[-1] = wind.color()
    return matched


def _disturbance(polygons: bool) -> Look:
    legend = _single("Disturbance, not yet named", DISTURBANCE, "fill" if polygons else "line")
    return Look(
        color=DISTURBANCE,
        radius=_NODE_RADIUS,
        width=by_zoom(1, 1.4, 6, 3, 10, 5),
        fill_opacity=0.16,
        provisional=True,
        legend=({**legend, "provisional": True},),
    )


def _single(label: str, color: str, symbol: str) -> dict[str, Any]:
    return {"title": None, "unit": None, "properties": [], "symbol": symbol, "classes": [{"label": label, "color": color}]}
