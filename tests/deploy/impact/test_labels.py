"""Labels of zones in the documents of impacts."""

import pytest

from deploy.impact.documents import label


@pytest.mark.parametrize(
    ("hazard", "zone", "words"),
    [
        ("storm", "34 kt", "Winds of 34 kt and more"),
        ("storm", "15 kt", "Winds of 15 kt and more, as a disturbance"),
        ("earthquake", "VI", "Intensity VI and above"),
        ("flood", "flooded area", "Flooded area"),
    ],
)
def test_label_says_which_part_of_a_life_a_zone_covers(hazard: str, zone: str, words: str) -> None:
    assert label(hazard, zone) == words
