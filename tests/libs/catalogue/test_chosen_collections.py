"""Which collections maps and tiles of all of them show."""

from __future__ import annotations

from dataclasses import replace

from libs.catalogue.chosen_collections import MOST, chosen_collections
from libs.catalogue.model import Collection, GeometryColumn

LATEST = Collection("a.latest", "a", "latest", 1, "table", "L", None, (), (GeometryColumn("geom", "Point", 4326),))
HISTORY = replace(LATEST, id="a.history", name="history", overview=False)


def test_what_is_not_shown_with_others_can_be_named() -> None:
    known = {each.id: each for each in (LATEST, HISTORY)}
    assert chosen_collections(known, None, "")[0].collections == (LATEST,)
    assert chosen_collections(known, None, "")[0].omitted == 0
    named, faults = chosen_collections(known, ["a.history", "a.latest"], "")
    assert (named.collections, faults) == ((HISTORY, LATEST), [])


def test_what_is_not_shown_of_all_is_counted_without_functions() -> None:
    tables = [replace(LATEST, id=f"a.{number}") for number in range(MOST + 2)]
    known = {each.id: each for each in (replace(LATEST, id="a.asked", kind="function"), *tables)}
    chosen, _ = chosen_collections(known, None, "")
    assert (chosen.collections, chosen.omitted) == (tuple(tables[:MOST]), 2)


def test_an_address_is_one_of_this_service() -> None:
    known, base = {"a.latest": LATEST}, "https://here.example/api"
    assert chosen_collections(known, [f"{base}/collections/a.latest"], base)[0].collections == (LATEST,)
    elsewhere = "https://elsewhere.example/api/collections/a.latest"
    assert [fault.input for fault in chosen_collections(known, [elsewhere], base)[1]] == [elsewhere]
