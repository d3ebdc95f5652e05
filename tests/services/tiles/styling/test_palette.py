"""Scales of colours: readable on both basemaps, and steady in lightness for all eyes."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from services.tiles.styling.hazard import look_of
from services.tiles.styling.layers import data_layers
from services.tiles.styling.palette import (
    ALERT,
    DARK,
    FLOOD_SEVERITY,
    FORMATION,
    HAZARDS,
    INTENSITY,
    LIGHT,
    MAGNITUDE,
    WIND,
    WIND_ZONE,
    BasemapColours,
    Class,
    Scale,
    dark_color,
)
from tests.services.tiles.styling.colour_vision import VISIONS, ciede2000, contrast, difference, lab

_LEAST_CONTRAST = 3
"""Ratio that WCAG 2.2 requires of graphics (1.4.11)."""
_LEAST_DIFFERENCE = 9
_SEQUENCES = (MAGNITUDE, INTENSITY, WIND, WIND_ZONE, FORMATION, FLOOD_SEVERITY)
_SITE = Path(__file__).parents[4] / "libs/web/static/site.css"


def test_of_several_names_the_scale_tells_which_counts() -> None:
    found = WIND_ZONE.for_properties(("name", "max_wind_kt", "wind_speed_kt"))
    assert found is not None
    assert found.properties == ("wind_speed_kt", "max_wind_kt")
    assert WIND_ZONE.for_properties(("name",)) is None


def _colours(scale: Scale, theme: str) -> list[str]:
    return [item.color if theme == "light" else item.dark for item in scale.classes]


def _basemap(theme: str) -> BasemapColours:
    return LIGHT if theme == "light" else DARK


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1.3802, -84.2814), (50, 0, -82.7485), 1.0),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_differences_are_those_of_the_formulas_authors(
    first: tuple[float, float, float], second: tuple[float, float, float], known: float
) -> None:
    assert ciede2000(first, second) == pytest.approx(known, abs=1e-4)


_THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
_SCALES = pytest.mark.parametrize("scale", [*_SEQUENCES, ALERT], ids=lambda scale: scale.title)


@_THEMES
@_SCALES
@pytest.mark.parametrize("ground", ["land", "sea"])
def test_each_class_or_its_edge_contrasts_with_the_basemap(scale: Scale, theme: str, ground: str) -> None:
    basemap = _basemap(theme)
    behind = getattr(basemap, ground)
    for color in _colours(scale, theme):
        assert max(contrast(color, behind), contrast(basemap.casing, behind)) >= _LEAST_CONTRAST, (color, behind)


@_THEMES
@_SCALES
def test_worst_class_contrasts_with_the_basemap_by_itself(scale: Scale, theme: str) -> None:
    worst = _colours(scale, theme)[-1]
    assert all(contrast(worst, behind) >= _LEAST_CONTRAST for behind in (_basemap(theme).land, _basemap(theme).sea))


@_THEMES
@pytest.mark.parametrize("scale", _SEQUENCES, ids=lambda scale: scale.title)
def test_worse_class_contrasts_more_with_the_land(scale: Scale, theme: str) -> None:
    ratios = [contrast(color, _basemap(theme).land) for color in _colours(scale, theme)]
    assert ratios == sorted(ratios)


@_THEMES
@_SCALES
@pytest.mark.parametrize("vision", VISIONS)
def test_lightness_changes_steadily_for_all_eyes(scale: Scale, theme: str, vision: str) -> None:
    rises = theme == "dark" and scale is not ALERT
    lightness = [lab(color, vision)[0] for color in _colours(scale, theme)]
    steps = [(worse - milder) * (1 if rises else -1) for milder, worse in pairwise(lightness)]
    assert min(steps) >= 2.5, lightness


@_THEMES
@_SCALES
def test_neighbouring_classes_differ(scale: Scale, theme: str) -> None:
    found = [difference(first, second) for first, second in pairwise(_colours(scale, theme))]
    assert min(found) >= _LEAST_DIFFERENCE, found


def test_alert_levels_have_shapes_of_their_own() -> None:
    assert len({item.shape for item in ALERT.classes}) == len(ALERT.classes)
    assert ALERT.mark()[0] == "match"
    assert FLOOD_SEVERITY.mark() == "■"


@_THEMES
def test_pages_have_colours_of_the_map(theme: str) -> None:
    lines = [
        line
        for line in _SITE.read_text(encoding="utf-8").splitlines()
        if line.startswith("@media (prefers-color-scheme: dark)") == (theme == "dark")
    ]
    found = dict(re.findall(r"\.hazard-(\w+) \{ --hazard: (#\w{6}); \}", "\n".join(lines)))
    assert found.keys() == HAZARDS.keys()
    for hazard, colour in found.items():
        assert colour in {each for scale in HAZARDS[hazard] for each in _colours(scale, theme)}


def test_picture_of_the_map_in_the_documents_has_the_colours_of_alerts() -> None:
    # a palette of few colours would average them away
    with Image.open(_SITE.parents[3] / "deploy/pictures/map.png") as picture:
        counted = picture.convert("RGB").getcolors(1 << 24) or []
    for item in ALERT.classes:
        wanted = [int(item.color[at : at + 2], 16) for at in (1, 3, 5)]
        seen = [
            number
            for number, colour in counted
            if isinstance(colour, tuple) and all(abs(a - b) < 20 for a, b in zip(colour, wanted, strict=True))
        ]
        assert sum(seen) > 50, item.label


def test_class_has_two_colours_in_the_legend() -> None:
    scale = Scale("T", ("p",), (Class("a", "#111111", "#eeeeee", 0),))
    assert scale.legend("fill")["classes"] == [{"label": "a", "color": "#111111", "dark": "#eeeeee", "from": 0}]


def test_own_collections_have_colours_of_their_own() -> None:
    ids = [f"own.table_{number}" for number in range(30)]
    looks = {name: look_of(name, "Polygon", {}) for name in ids}
    colors = {look.legend[0]["classes"][0]["color"]: name for name, look in looks.items()}
    assert len(colors) == 8
    for color, name in colors.items():
        fill = next(layer for layer in data_layers(name, "Polygon", looks[name]) if layer["id"] == f"{name}:fill")
        dark = looks[name].legend[0]["classes"][0]["dark"]
        assert (fill["paint"]["fill-color"], dark) == (color, dark_color(color))
        assert min(contrast(color, LIGHT.land), contrast(dark, DARK.land)) > 4.5
