"""Scales of colours, and how far those of the hazards are apart."""

import re
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from services.tiles.styling.palette import (
    ALERT,
    CATEGORY,
    DEPTH,
    DISTURBANCE,
    FLOOD_SEVERITY,
    HAZARDS,
    WIND,
    WIND_ZONE,
    Scale,
)
from tests.services.tiles.styling.colour_vision import VISIONS, ciede2000, difference, lab

_LEAST_BETWEEN = 20
_LEAST_WITHIN = 9
_SITE = Path(__file__).parents[4] / "libs/web/static/site.css"


def test_of_several_names_the_scale_tells_which_counts() -> None:
    found = WIND_ZONE.for_properties(("name", "max_wind_kt", "wind_speed_kt"))
    assert found is not None
    assert found.properties == ("wind_speed_kt", "max_wind_kt")
    assert WIND_ZONE.for_properties(("name",)) is None


def _colours(hazard: str) -> set[str]:
    own = {item.color for scale in HAZARDS[hazard] for item in scale.classes}
    return own | ({DISTURBANCE} if hazard == "storms" else set())


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


@pytest.mark.parametrize("vision", VISIONS)
def test_classes_of_two_hazards_are_told_apart_by_all_eyes(vision: str) -> None:
    for one, other in combinations(HAZARDS, 2):
        for first in _colours(one):
            for second in _colours(other):
                found = difference(first, second, vision)
                assert found >= _LEAST_BETWEEN, (vision, one, first, other, second, found)


@pytest.mark.parametrize("hazard", HAZARDS)
def test_classes_of_one_hazard_are_told_apart(hazard: str) -> None:
    found = {(first, second): difference(first, second) for first, second in combinations(sorted(_colours(hazard)), 2)}
    assert min(found.values()) >= _LEAST_WITHIN, min(found.items(), key=lambda item: item[1])


@pytest.mark.parametrize("scale", [DEPTH, WIND, CATEGORY, WIND_ZONE, FLOOD_SEVERITY], ids=lambda scale: scale.title)
def test_what_is_worse_is_darker(scale: Scale) -> None:
    lightness = [lab(item.color)[0] for item in scale.classes]
    assert all(milder - worse >= 5 for milder, worse in pairwise(lightness)), lightness


def test_alert_levels_have_shapes_of_their_own() -> None:
    assert len({item.shape for item in ALERT.classes}) == len(ALERT.classes)
    assert ALERT.mark()[0] == "match"
    assert FLOOD_SEVERITY.mark() == "■"


def test_pages_have_colours_of_the_map() -> None:
    lines = [line for line in _SITE.read_text(encoding="utf-8").splitlines() if not line.startswith("@media")]
    found = dict(re.findall(r"\.hazard-(\w+) \{ --hazard: (#\w{6}); \}", "\n".join(lines)))
    assert found.keys() == HAZARDS.keys()
    for hazard, colour in found.items():
        assert colour in _colours(hazard)
