"""`q` finds features by words in their texts (draft of Features Part 9)."""

from __future__ import annotations

import pytest

from tests.services.in_process import Client

_QUAKES, _FLOODS = "/collections/hazard.hazard_eq_events/items", "/collections/hazard.hazard_fl_events/items"


async def _found(features: Client, path: str, q: str, **others: str) -> set[str]:
    answer = await features.json(path, q=q, **others)
    return {feature["properties"]["event_id"] for feature in answer["features"]}


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("nepal", {"Q1"}),
        ("NÉPAL", {"Q1"}),
        ("m 6.1", {"Q1"}),
        ("6.1  -  here", {"Q1"}),
        ("6.1 m,explosion", {"X1"}),
        ("nepal,explosion", {"Q1", "X1"}),
        ("explo", {"X1"}),
        ("%", set()),
        ("e_rthquake,explosion", {"X1"}),
        ("it's", set()),
    ],
)
async def test_terms_are_words_in_order_and_one_suffices(features: Client, q: str, found: set[str]) -> None:
    assert await _found(features, _QUAKES, q) == found


@pytest.mark.parametrize(
    ("path", "q", "found"),
    [
        # other forms of a word, in the language of the database
        (_FLOODS, "rains", {"FL1", "FL2"}),
        (_FLOODS, "raining heavily", set()),
        (_QUAKES, "explosions", {"X1"}),
        # similar words, only if nothing matches
        (_QUAKES, "nepla", {"Q1"}),
        (_QUAKES, "earthqauke", {"Q1"}),
        (_QUAKES, "earthqauke,explosion", {"X1"}),
        (_QUAKES, "zzzzzz", set()),
    ],
)
async def test_other_forms_and_similar_words_are_found(features: Client, path: str, q: str, found: set[str]) -> None:
    assert await _found(features, path, q) == found
    answer = await features.json(path, q=q, limit="1")
    assert answer["numberMatched"] == len(found)


async def test_the_best_match_comes_first_and_pages_have_each_once(features: Client) -> None:
    address, found = f"{_QUAKES}?q=explo,nepal&limit=1", []
    while address:
        answer = (await features.get(address)).json()
        assert answer["numberMatched"] == 2
        found += [feature["properties"]["event_id"] for feature in answer["features"]]
        address = next((link["href"] for link in answer["links"] if link["rel"] == "next"), "")
    # a whole word is a better match than a part of one
    assert found == ["Q1", "X1"]
    answer = await features.json(_QUAKES, q="explo,nepal", sortby="magnitude")
    assert [feature["properties"]["event_id"] for feature in answer["features"]] == ["X1", "Q1"]


async def test_it_narrows_the_other_filters(features: Client) -> None:
    assert await _found(features, _QUAKES, "nepal,explosion", filter="magnitude > 5") == {"Q1"}


async def test_counts_pages_and_exports_follow_it(features: Client) -> None:
    answer = await features.json(_FLOODS, q="heavy rain", limit="1")
    assert answer["numberMatched"] == 1
    (export,) = [link["href"] for link in answer["links"] if link["rel"] == "enclosure"]
    assert len((await features.get(export)).json()["features"]) == 1


@pytest.mark.parametrize("q", ["", "a,b,c,d,e,f", "x" * 101])
async def test_too_many_or_long_terms_are_refused(features: Client, q: str) -> None:
    assert (await features.get(_QUAKES, {"q": q})).status == 422


async def test_a_page_leads_to_the_map_of_what_was_found(features: Client) -> None:
    page = (await features.get(f"{_QUAKES}?q=nepal&f=html")).body.decode()
    assert "map.html#" in page
    assert "nepal" in page.partition("map.html#")[2][:3000]
