"""Zones of events in words."""

import pytest

from libs.web.impact_sentence import zone_name


@pytest.mark.parametrize(
    ("zone", "kind", "words"),
    [
        ("64 kt", "analysed", "winds of 64 kt and more"),
        ("34 kt", "forecast", "forecast winds of 34 kt and more"),
        # they cover the disturbance only, so fewer people than the stronger winds of the storm
        ("25 kt", "analysed", "winds of 25 kt and more, as a disturbance"),
        ("VI", "estimated", "estimated intensity VI and above"),
        ("VI", "analysed", "intensity VI and above"),
    ],
)
def test_zone_name_says_which_part_of_a_life_it_covers(zone: str, kind: str, words: str) -> None:
    assert zone_name({"zone": zone, "kind": kind}) == words
