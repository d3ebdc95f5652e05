"""Zones of events in words."""

import pytest

from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.impact_sentence import sentence, zone_name
from libs.web.languages import speak


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


def test_a_sentence_in_arabic_runs_from_the_right_and_isolates_its_parts() -> None:
    headline = {"people": 116_526, "zone": "VI", "kind": "estimated", "areas": ["Taiwan"]}
    speak(LANGUAGES["ar"])
    try:
        said = sentence(headline, "22km NNE of Hualien, Taiwan")
    finally:
        speak(ENGLISH)
    assert said.startswith("\u200f\u206822km NNE of Hualien, Taiwan\u2069")
    assert "\u2068تايوان\u2069" in said
    assert sentence(headline, "Hualien").startswith("Hualien: 116,526 people in ")
