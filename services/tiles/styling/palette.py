"""Colours of the map: shaking and storms go from yellow over orange and red to purple, floods are blue.

Each class has a colour for the light basemap, where a worse class is darker, and one of a similar hue for the dark
basemap, where a worse class is lighter: the worst class contrasts most with the land and the sea of both. Alerts are
like traffic lights. `HAZARDS` lists the scales for the test that measures it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

Expression = Any
"""A MapLibre style expression: a JSON array, or a literal."""

Symbol = Literal["circle", "line", "fill"]

MISSING = "#8d99a5"
_NO_NUMBER = -1e9
"""A value below every class, for values that are not numbers."""


@dataclass(frozen=True, slots=True)
class Class:
    """One colour of a scale and its values: those from `start` up, or one of `values`."""

    label: str
    color: str
    """Colour on the light basemap."""
    dark: str
    """Colour on the dark basemap."""
    start: float | None = None
    values: tuple[str, ...] = ()
    shape: str | None = None
    """The mark that shows the class without colour."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The classes of a property, in order, as a colour expression and as a legend."""

    title: str
    properties: tuple[str, ...]
    """Alternative names of the property; the first one that a feature has is used."""
    classes: tuple[Class, ...]
    unit: str | None = None

    def for_properties(self, names: Sequence[str]) -> "Scale | None":
        """Return this scale with those of its properties that exist, or None if none does."""
        found = tuple(name for name in self.properties if name in names)
        return Scale(self.title, found, self.classes, self.unit) if found else None

    def color(self) -> Expression:
        """Return the colour of a feature; features without the property get a neutral one."""
        if self.classes[0].start is None:
            return self._match()
        # comparisons only, without "step", "typeof" or "coalesce": QGIS replaces what it cannot read by a colour of its
        # own
        branches: list[Any] = []
        for name in self.properties:
            number = ["to-number", ["get", name], _NO_NUMBER]
            for item in reversed(self.classes):
                branches += [["all", ["has", name], [">=", number, item.start]], item.color]
        return ["case", *branches, MISSING]

    def rank(self) -> Expression:
        """Return the class's index, from 0; worse classes are drawn on top."""
        if self.classes[0].start is not None:
            return self._if_number(["to-number", self._value()], -1)
        ranks: list[Any] = []
        for position, item in enumerate(self.classes):
            ranks += [list(item.values), position]
        return ["match", ["to-string", self._value()], *ranks, -1]

    def mark(self) -> Expression:
        """Return the shape of a feature's class; a dot without the property; one shape if all classes share it."""
        shapes = [item.shape or "●" for item in self.classes]
        if len(set(shapes)) == 1:
            return shapes[0]
        pairs = [part for item, shape in zip(self.classes, shapes, strict=True) for part in (list(item.values), shape)]
        return ["match", ["to-string", self._value()], *pairs, "●"]

    def legend(self, symbol: Symbol) -> dict[str, Any]:
        """Return the legend as JSON: title, unit, property, and label, colour, shape and values of each class."""
        has_shapes = isinstance(self.mark(), list)
        return {
            "title": self.title,
            "unit": self.unit,
            "properties": list(self.properties),
            "symbol": symbol,
            "classes": [
                {"label": item.label, "color": item.color, "dark": item.dark}
                | ({"shape": item.shape} if has_shapes else {})
                | ({"from": item.start} if item.start is not None else {"values": list(item.values)})
                for item in self.classes
            ],
        }

    def _value(self) -> Expression:
        gets = [["get", name] for name in self.properties]
        return gets[0] if len(gets) == 1 else ["coalesce", *gets]

    def _if_number(self, expression: Expression, otherwise: Expression) -> Expression:
        # "to-number" turns missing values into 0
        return ["case", ["==", ["typeof", self._value()], "number"], expression, otherwise]

    def _match(self) -> Expression:
        pairs = [part for item in self.classes for part in (list(item.values), item.color)]
        return ["match", ["to-string", self._value()], *pairs, MISSING]


_SHAKING = (
    ("#dbb512", "#8e7500"),
    ("#d98901", "#cb7702"),
    ("#de4f11", "#ff734e"),
    ("#bd023c", "#ff91bc"),
    ("#591877", "#e9bcff"),
)
"""Five colours from yellow to purple, each on the light and on the dark basemap."""

MAGNITUDE = Scale(
    "Magnitude",
    ("magnitude",),
    tuple(
        Class(label, *colors, start)
        for label, colors, start in zip(("< 5", "5", "6", "7", "8+"), _SHAKING, (-10, 5, 6, 7, 8), strict=True)
    ),
)

INTENSITY = Scale(
    "Intensity of shaking",
    ("intensity",),
    tuple(
        # half steps belong to the lower class
        Class(label, *colors, start)
        for label, colors, start in zip(("≤ IV", "V", "VI", "VII", "VIII+"), _SHAKING, (0, 5, 6, 7, 8), strict=True)
    ),
)

_SAFFIR_SIMPSON = (
    ("#daba17", "#857101"),
    ("#db9d01", "#a97501"),
    ("#de7e00", "#d1740d"),
    ("#de540d", "#f37745"),
    ("#d02b2a", "#fe8485"),
    ("#a9004f", "#ff99c8"),
    ("#591877", "#e9bcff"),
)
_CATEGORIES = ("TD", "TS", "C1", "C2", "C3", "C4", "C5")
_THRESHOLDS = (0, 34, 64, 83, 96, 113, 137)

WIND = Scale(
    "Cyclone category (Saffir–Simpson)",
    ("wind_kt", "max_wind_kt", "wind_speed_kt"),
    tuple(
        Class(label, *colors, start)
        for label, colors, start in zip(_CATEGORIES, _SAFFIR_SIMPSON, _THRESHOLDS, strict=True)
    ),
    None,
)

CATEGORY = Scale(
    "Cyclone category (Saffir–Simpson)",
    ("category",),
    tuple(
        # written as TD, TS, C1 or 1, or with -1 and 0 for storms weaker than a hurricane
        Class(
            label,
            *colors,
            values=(label, str(number), f"Category {number}") if number > 0 else (label, str(number)),
        )
        for label, colors, number in zip(_CATEGORIES, _SAFFIR_SIMPSON, range(-1, 6), strict=True)
    ),
)

WIND_ZONE = Scale(
    "Wind zone",
    ("wind_speed_kt", "wind_kt", "max_wind_kt"),
    tuple(
        Class(label, *colors, start)
        for label, colors, start in zip(("34", "50", "64", "83", "96+"), _SHAKING, (0, 50, 64, 83, 96), strict=True)
    ),
    "kt",
)

FORMATION = Scale(
    "Chance that a storm forms in 7 days",
    ("probability_7_days",),
    # low, medium and high in the outlook of the NHC, which is in steps of ten
    tuple(
        Class(label, *colors, start)
        for label, colors, start in zip(
            ("< 40", "40 – 60", "> 60"), (_SHAKING[0], _SHAKING[1], _SHAKING[3]), (0, 40, 61), strict=True
        )
    ),
    "%",
)

ALERT = Scale(
    "Alert level",
    ("alert_level", "alert"),
    (
        Class("Green", "#56c06a", "#78e289", values=("Green", "green"), shape="●"),
        Class("Orange", "#e27101", "#fa9627", values=("Orange", "orange"), shape="▲"),
        Class("Red", "#e00224", "#ff5453", values=("Red", "red"), shape="◆"),
    ),
)

FLOOD_SEVERITY = Scale(
    "Flood severity",
    ("severity",),
    (
        Class("1 large", "#14bae6", "#008ad4", 0, shape="■"),
        Class("1.5 very large", "#0984ba", "#40bcf2", 1.5, shape="■"),
        Class("2 extreme", "#034d87", "#9cf0fe", 2, shape="■"),
    ),
)

# Disturbances have no category yet.
DISTURBANCE = "#56616d"
GENERIC = "#0b7285"
_OWN = {
    "#036f71": "#0ecace",
    "#056a96": "#59bfff",
    "#3f5eb9": "#a7b1fe",
    "#994091": "#e99ce0",
    "#b33156": "#ff98ab",
    "#5c6900": "#b4bc66",
    "#007152": "#54ca9f",
    "#9a4f0d": "#f1a56f",
}
"""Colours of collections without a scale, of equal lightness, each with its pair for the dark basemap."""
OWN_COLORS = tuple(_OWN)
_DARK_SINGLE = {DISTURBANCE: "#aeb9c4", GENERIC: "#3fb6c9", **_OWN}

HAZARDS: dict[str, tuple[Scale, ...]] = {
    "earthquakes": (MAGNITUDE, INTENSITY),
    "storms": (WIND, CATEGORY, WIND_ZONE, FORMATION),
    "floods": (FLOOD_SEVERITY, ALERT),
}
"""The scales of each hazard, from the mildest class to the worst."""

_DARK = _DARK_SINGLE | {
    item.color: item.dark for scales in HAZARDS.values() for scale in scales for item in scale.classes
}


def own_color(collection_id: str) -> str:
    """Return the colour of a collection without a scale that is alone, by its id: the same after a restart."""
    return OWN_COLORS[crc32(collection_id.encode()) % len(OWN_COLORS)]


def dark_color(color: str) -> str:
    """Return the colour on the dark basemap for one on the light basemap; a colour without a pair stays."""
    return _DARK.get(color, color)


def single_class(label: str, color: str, symbol: Symbol) -> dict[str, Any]:
    """Return the legend of a collection with one colour."""
    return {
        "title": None,
        "unit": None,
        "properties": [],
        "symbol": symbol,
        "classes": [{"label": label, "color": color, "dark": dark_color(color)}],
    }


def dark_expression(expression: Expression) -> Expression:
    """Return an expression with each colour replaced by its pair for the dark basemap."""
    if isinstance(expression, list):
        return [dark_expression(member) for member in expression]
    return dark_color(expression) if isinstance(expression, str) else expression


@dataclass(frozen=True, slots=True)
class BasemapColours:
    """The colours of the basemap in one theme."""

    sea: str
    land: str
    border: str
    province: str
    coast: str
    lake: str
    river: str
    graticule: str
    label: str
    town_label: str
    province_label: str
    sea_label: str
    halo: str
    casing: str
    """Colour of the edges of data lines and rings, which keep pale classes visible."""


LIGHT = BasemapColours(
    sea="#dfe8ee",
    land="#f7f6f2",
    border="#c6c2b8",
    province="#dcd9d1",
    coast="#b4c3ce",
    lake="#dfe8ee",
    river="#bfd2df",
    graticule="#cfdae2",
    label="#6f7782",
    town_label="#48515c",
    province_label="#8a8f98",
    sea_label="#7d97aa",
    halo="#f7f6f2",
    casing="#2b3640",
)
DARK = BasemapColours(
    sea="#10171e",
    land="#1d2731",
    border="#394857",
    province="#2b3845",
    coast="#33424f",
    lake="#10171e",
    river="#253b4d",
    graticule="#1a252f",
    label="#8b9bab",
    town_label="#b4c1cd",
    province_label="#72818f",
    sea_label="#50708a",
    halo="#141c24",
    casing="#060a0e",
)
