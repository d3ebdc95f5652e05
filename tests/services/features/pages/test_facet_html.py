from decimal import Decimal

import pytest

from libs.catalogue.model import Column
from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.languages import speak
from services.features.aggregation.facet import NumberFacet, TermFacet
from services.features.pages.facet_html import sections, usual_facets
from services.features.rows.value_ranges import ValueRange

MAGNITUDE = NumberFacet("magnitude", Column("magnitude", "numeric", "number"), bins=10)


@pytest.mark.parametrize(
    ("least", "greatest", "width"),
    [
        (-0.8, 6.4, "0.5"),
        (0.0, 650.2, "50"),
        (1.0, 1.5, "0.05"),
        (Decimal(-3), Decimal("7.00"), "1"),
        (0.0, 1e6, "100000"),
        (-1e-300, 1e300, f"1{'0' * 299}"),
    ],
)
def test_a_page_counts_numbers_between_round_ones(least: object, greatest: object, width: str) -> None:
    (facet,) = usual_facets([MAGNITUDE], {"magnitude": ValueRange(least, greatest)})
    assert isinstance(facet, NumberFacet)
    assert (facet.bins, facet.width) == (None, width)


@pytest.mark.parametrize(
    "known",
    [
        {},
        {"magnitude": ValueRange()},
        {"magnitude": ValueRange(1.0, 1.0)},
        {"magnitude": ValueRange(1.0, float("nan"))},
        {"magnitude": ValueRange(float("-inf"), 1.0)},
    ],
)
def test_otherwise_by_ten_ranges_of_equal_width(known: dict[str, ValueRange]) -> None:
    assert usual_facets([MAGNITUDE], known) == [MAGNITUDE]


def test_truth_is_linked_as_the_form_of_the_features_writes_it() -> None:
    facet = TermFacet("felt", Column("felt", "boolean", "boolean"))
    buckets = [{"value": value, "count": 2} for value in (True, False)]
    (section,) = sections([facet], {"felt": {"buckets": buckets}}, {"f": "html", "lang": "fr"})
    found = [(row["label"], row["query"]) for row in section["rows"]]
    assert found == [("true", "lang=fr&felt=true"), ("false", "lang=fr&felt=false")]


def test_a_page_shows_two_properties_that_are_known_to_have_few_values() -> None:
    texts = [TermFacet(name, Column(name, "text", "string")) for name in ("place", "status", "net", "kind")]
    known = {"status": ValueRange(values=["automatic", "reviewed"]), "kind": ValueRange(values=["a"])}
    assert usual_facets(texts, {"place": ValueRange(), "net": ValueRange(values=[]), **known}) == [texts[1], texts[3]]
    chosen = TermFacet("grade", Column("grade", "text", "string", enum=("low", "high")))
    felt = TermFacet("felt", Column("felt", "boolean", "boolean"))
    assert usual_facets([*texts, chosen, felt], {}) == [chosen, felt]
    assert usual_facets([*texts, chosen, felt], known) == [texts[1], texts[3]]


def test_ranges_keep_their_direction_on_an_arabic_page() -> None:
    buckets = [{"min": -0.5, "max": 0, "count": 2}]

    def label() -> str:
        return str(sections([MAGNITUDE], {"magnitude": {"buckets": buckets}}, {})[0]["rows"][0]["label"])

    assert label() == "-0.5 – 0"
    speak(LANGUAGES["ar"])
    try:
        assert label() == "\u2068-0.5 – 0\u2069"
    finally:
        speak(ENGLISH)
