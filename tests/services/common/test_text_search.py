"""`q` finds collections by words of their title, description, keywords and id (draft of Common Part 4)."""

from __future__ import annotations

import pytest

from libs.catalogue.model import Collection
from services.common.catalogue.text_search import matches
from tests.services.in_process import Client

FLOODS = Collection(
    id="hazard.floods",
    oid=1,
    columns=(),
    schema="hazard",
    name="floods",
    kind="table",
    title="Inundación events",
    description="Observed floods.\nFrom satellites, within 72 h",
    keywords=("water level", "flood"),
)


@pytest.mark.parametrize(
    ("terms", "found"),
    [
        (["floods"], True),
        (["FLOOD"], True),
        (["inundacion"], True),
        (["water  level"], True),
        (["level water"], False),
        # words of different texts do not follow each other
        (["events observed"], False),
        (["flo"], False),
        (["storm", "satellite"], True),
        (["hazard.floods"], True),
        (["-"], False),
    ],
)
def test_words_in_order_of_one_text_match(terms: list[str], found: bool) -> None:
    assert matches(FLOODS, terms) is found


async def test_the_list_has_what_matches_with_its_number_and_pages(common: Client) -> None:
    whole = await common.json("/collections")
    some = await common.json("/collections", q="hostile,nothing like it")
    assert 1 < some["numberMatched"] == len(some["collections"]) < whole["numberMatched"]
    assert all("hostile" in each["id"] for each in some["collections"])
    page = await common.json("/collections", q="hostile", limit="1", type="Table")
    (following,) = [link["href"] for link in page["links"] if link["rel"] == "next"]
    assert "q=hostile" in following
    assert (await common.json("/collections", q="zzz"))["collections"] == []


async def test_the_page_has_a_field_for_it(common: Client) -> None:
    page = (await common.get("/collections?f=html&q=hostile")).body.decode()
    assert '<input type="search" name="q" value="hostile">' in page
    assert (await common.get("/collections?f=html&q=")).status == 200
