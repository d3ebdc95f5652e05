"""Which collections maps and tiles of all of them show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import yaml

from libs.catalogue.chosen_collections import MOST, chosen_collections, collections_value
from libs.catalogue.model import Collection, GeometryColumn

COMPONENTS = Path(__file__).parents[3] / "libs" / "web" / "components.yaml"
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


def test_every_name_that_chooses_nothing_is_told() -> None:
    bare = replace(LATEST, id="a.bare", geometries=())
    known = {each.id: each for each in (LATEST, HISTORY, bare)}
    long = "x" * 200
    chosen, faults = chosen_collections(known, ["a.latst", "a.bare", "a.latest", "a.latest", "a.histry", long], "")
    assert (chosen.collections, chosen.named, chosen.omitted) == ((LATEST,), True, 0)
    assert [fault.msg for fault in faults] == [
        "collections: there is no collection 'a.latst'; did you mean a.latest?",
        "collections: 'a.bare' has no geometry, hence no tiles",
        "collections: 'a.latest' is named more than once",
        # names that are near are looked for once
        "collections: there is no collection 'a.histry'",
        f"collections: there is no collection '{'x' * 100}'",
    ]
    assert {(fault.loc, fault.type) for fault in faults} == {(("query", "collections"), "enum")}
    assert [fault.input for fault in faults][-2:] == ["a.histry", "x" * 100]
    assert chosen_collections(known, ["zzz"], "")[1][0].msg == "collections: there is no collection 'zzz'"


def test_without_names_the_first_are_meant_and_nobody_named_them() -> None:
    bare = replace(LATEST, id="a.bare", geometries=())
    chosen, faults = chosen_collections({each.id: each for each in (bare, LATEST)}, None, "")
    assert (chosen.collections, chosen.named, chosen.omitted, faults) == ((LATEST,), False, 0, [])


def test_a_value_in_an_address_chooses_the_collections_that_it_was_made_of() -> None:
    odd = [replace(LATEST, id=name) for name in ("a.b,c", "a.50%", "a.ü/x", "a.plain")]
    assert collections_value(odd) == "a.b%252Cc,a.50%2525,a.%C3%BC%2Fx,a.plain"
    known = {each.id: each for each in odd}
    names = [unquote(name) for name in collections_value(odd).split(",")]
    assert chosen_collections(known, names, "")[0].collections == tuple(odd)


def test_at_the_most_three_names_may_have_been_meant() -> None:
    known = {f"a.late{letter}": LATEST for letter in "abcde"}
    (fault,) = chosen_collections(known, ["a.late"], "")[1]
    assert fault.msg.count("a.late") == 1 + 3


def test_what_is_called_so_comes_before_what_is_meant_by_escapes() -> None:
    escaped, plain = replace(LATEST, id="a.50%25"), replace(LATEST, id="a.50%")
    known = {each.id: each for each in (plain, escaped)}
    assert chosen_collections(known, ["a.50%25"], "")[0].collections == (escaped,)
    assert chosen_collections({plain.id: plain}, ["a.50%25"], "")[0].collections == (plain,)


def test_similar_names_are_searched_among_few() -> None:
    many = {f"b.{number}": LATEST for number in range(299)}
    for more, hint in (({"a.late": LATEST}, "; did you mean a.late?"), ({"b": LATEST, "a.late": LATEST}, "")):
        (fault,) = chosen_collections({**many, **more}, ["a.lates"], "")[1]
        assert fault.msg == f"collections: there is no collection 'a.lates'{hint}"
    (fault,) = chosen_collections({"x" * 100: LATEST}, ["x" * 300], "")[1]
    assert fault.msg.endswith(f"; did you mean {'x' * 100}?")


def test_a_tile_has_no_more_collections_than_its_parameter_may_name() -> None:
    parameters = yaml.safe_load(COMPONENTS.read_text(encoding="utf-8"))["parameters"]
    assert parameters["collections"]["schema"]["maxItems"] == MOST
    chosen, _ = chosen_collections({f"a.{number}": LATEST for number in range(MOST + 1)}, None, "")
    assert (len(chosen.collections), chosen.omitted) == (MOST, 1)
