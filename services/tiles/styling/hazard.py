"""Choose the look of a collection: by its properties, then by its id, else a generic one."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libs.catalogue.feature_name import name_columns
from libs.catalogue.own_look import OwnLook
from services.tiles.styling.layers import Look, interpolate_zoom
from services.tiles.styling.own_look import with_own_look
from services.tiles.styling.palette import (
    ALERT,
    CATEGORY,
    DISTURBANCE,
    FLOOD_SEVERITY,
    FORMATION,
    GENERIC,
    INTENSITY,
    MAGNITUDE,
    WIND,
    WIND_ZONE,
    Expression,
    Symbol,
    own_color,
    single_class,
)

# magnitude to radius in pixels at zoom 1 and zoom 6: area grows with the felt strength, not the energy
_MAGNITUDE_RADII = ((4, 1.7, 4.5), (5, 2.6, 7.5), (6, 4.6, 13), (7, 8.5, 24), (8, 15, 42))
_LEGEND_DIAMETERS = (("4", 5), ("5", 8), ("6", 13), ("7", 22), ("8", 34))

_SYMBOLS: Mapping[str, Symbol] = {"Point": "circle", "LineString": "line", "Polygon": "fill"}

_OF_STORMS = re.compile(r"storm|cyclone|hurricane|typhoon|(?:^|_)ts_")
_OF_FLOODS = re.compile(r"flood|(?:^|_)fl_")
"""Names of collections of a hazard whose columns other tables may have, too."""

_NODE_RADIUS = interpolate_zoom(1, 1.8, 4, 3.2, 6, 5.2, 10, 8)


@dataclass(frozen=True, slots=True)
class _Subject:
    """The facts that the rules use."""

    name: str
    """Name of the collection, without its schema, in lower case."""
    names: tuple[str, ...]
    """Names of the properties."""
    symbol: Symbol


def look_of(
    collection_id: str,
    geometry_type: str,
    properties: Mapping[str, Any],
    own: OwnLook | None = None,
    color: str | None = None,
) -> Look:
    """Return the look of a collection with these properties (name to JSON type).

    `own` is the operator's, `color` what a collection without a scale has instead of the colour of its id.
    """
    subject = _subject(collection_id, geometry_type, properties)
    named = next((name for name in name_columns(properties) if properties[name] == "string"), None)
    color = color or own_color(collection_id)
    generic = Look(color=color, label=named, legend=(single_class("Feature", color, subject.symbol),))
    look = _of_a_hazard(subject) or generic
    return look if own is None else with_own_look(look, own, subject.symbol)


def has_own_color(collection_id: str, geometry_type: str, properties: Mapping[str, Any]) -> bool:
    """Return whether a collection has its own colour, because no scale of a hazard applies."""
    return _of_a_hazard(_subject(collection_id, geometry_type, properties)) is None


def _subject(collection_id: str, geometry_type: str, properties: Mapping[str, Any]) -> _Subject:
    return _Subject(
        name=collection_id.rpartition(".")[2].lower(),
        names=tuple(properties),
        symbol=_SYMBOLS.get(geometry_type.removeprefix("Multi"), "fill"),
    )


def _of_a_hazard(subject: _Subject) -> Look | None:
    found = (rule(subject) for rule in (_disturbance, _earthquake, _contour, _wind_zone, _storm, _alert, _flood))
    return next((look for look in found if look is not None), None)


def _disturbance(subject: _Subject) -> Look | None:
    if "disturbance" not in subject.name:
        return None
    color: Expression = DISTURBANCE
    legend = [single_class("Disturbance, not yet named", DISTURBANCE, subject.symbol)]
    chance = FORMATION.for_properties(subject.names)
    if chance is not None:
        # zones of wind, and disturbances that no outlook has, are without a chance
        color = chance.color()
        color[-1] = DISTURBANCE
        legend.insert(0, chance.legend(subject.symbol))
    return Look(
        color=color,
        radius=_NODE_RADIUS,
        width=interpolate_zoom(1, 1.4, 6, 3, 10, 5),
        fill_opacity=0.16,
        sort_key=chance.rank() if chance else None,
        provisional=True,
        legend=tuple({**entry, "provisional": True} for entry in legend),
    )


def _contour(subject: _Subject) -> Look | None:
    intensity = INTENSITY.for_properties(subject.names)
    if intensity is None or subject.symbol != "line":
        return None
    return Look(
        color=intensity.color(),
        width=interpolate_zoom(1, 0.8, 4, 1.6, 6, 2.6, 10, 4),
        casing_width=interpolate_zoom(1, 1.2, 4, 2.4, 6, 3.8, 10, 5.6),
        sort_key=intensity.rank(),
        legend=(intensity.legend("line"),),
    )


def _earthquake(subject: _Subject) -> Look | None:
    if "magnitude" not in subject.names:
        return None
    magnitude: Expression = ["to-number", ["get", "magnitude"], 0]
    legend = MAGNITUDE.legend("circle")

    def radius(column: int) -> Expression:
        stops = [part for item in _MAGNITUDE_RADII for part in (item[0], item[column])]
        return ["interpolate", ["linear"], magnitude, *stops]

    sizes = [
        {"label": label, "diameter": diameter, "color": item["color"], "dark": item["dark"]}
        for (label, diameter), item in zip(_LEGEND_DIAMETERS, legend["classes"], strict=True)
    ]
    return Look(
        color=MAGNITUDE.color(),
        radius=interpolate_zoom(1, radius(1), 6, radius(2)),
        opacity=0.78,
        # small earthquakes stay visible, and clickable, above large ones
        sort_key=["-", 0, magnitude],
        legend=({**legend, "sizes": sizes},),
    )


def _wind_zone(subject: _Subject) -> Look | None:
    zone = WIND_ZONE.for_properties(subject.names)
    if zone is None or subject.symbol != "fill" or "buffer" not in subject.name:
        return None
    return Look(color=zone.color(), fill_opacity=0.28, sort_key=zone.rank(), legend=(zone.legend("fill"),))


def _storm(subject: _Subject) -> Look | None:
    names = subject.names
    wind = WIND.for_properties(names)
    # a table of roads may have categories, too
    scale = (CATEGORY.for_properties(names) if wind or _says(subject, _OF_STORMS, "basin") else None) or wind
    if scale is None:
        return None
    # hourly positions of one storm are small, and not labelled individually
    is_named = "name" in names and "valid_time" not in names
    forecast: Expression = ["case", ["==", ["get", "kind"], "forecast"], 0.45, 0.95]
    return Look(
        color=_category_color(names),
        radius=interpolate_zoom(1, 2, 4, 4, 6, 7, 10, 10) if is_named else _NODE_RADIUS,
        width=interpolate_zoom(1, 1.1, 4, 2.6, 6, 4.4, 10, 7),
        casing_width=interpolate_zoom(1, 1.7, 4, 4, 6, 6.2, 10, 9.4),
        opacity=forecast if "kind" in names else 0.95,
        sort_key=(wind or scale).rank(),
        label="name" if is_named else None,
        legend=(scale.legend(subject.symbol),),
    )


def _category_color(names: tuple[str, ...]) -> Expression:
    """Return the colour by category; without a category, or with one of another scale, by wind."""
    wind = WIND.for_properties(names)
    if "category" not in names:
        return wind.color() if wind else GENERIC
    matched = CATEGORY.color()
    if wind is not None:
        matched[-1] = wind.color()
    return matched


def _alert(subject: _Subject) -> Look | None:
    alert = ALERT.for_properties(subject.names)
    # an observed flood may also have an alert level; its severity says more
    if alert is None or "began" in subject.names:
        return None
    return Look(
        color=alert.color(),
        radius=interpolate_zoom(1, 3, 6, 7, 10, 10),
        fill_opacity=0.42,
        sort_key=alert.rank(),
        mark=alert.mark(),
        legend=(alert.legend(subject.symbol),),
    )


def _says(subject: _Subject, names: re.Pattern[str], column: str) -> bool:
    """Return whether the name of the collection or a column shows that it is of a hazard."""
    return column in subject.names or names.search(subject.name) is not None


def _flood(subject: _Subject) -> Look | None:
    severity = FLOOD_SEVERITY.for_properties(subject.names)
    # and their accidents a severity
    if severity is None or not _says(subject, _OF_FLOODS, "began"):
        return None
    return Look(
        color=severity.color(),
        fill_opacity=0.6,
        fine=True,
        sort_key=severity.rank(),
        mark=severity.mark(),
        legend=(severity.legend(subject.symbol),),
    )
