"""The standard's own examples and predicates, in both languages (standard/README.md)."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from typing import Any

import cql2
import pytest

from libs.cql import FilterLang, parse
from tests.libs.cql.conftest import STANDARD, Table, standard_features
from tests.libs.cql.normalise import normalise
from tests.libs.cql.plain_evaluation import matching

EXAMPLES: list[dict[str, Any]] = json.loads((STANDARD / "examples.json").read_text(encoding="utf-8"))
PREDICATES: list[dict[str, Any]] = json.loads((STANDARD / "predicates.json").read_text(encoding="utf-8"))
PAIRS = [example for example in EXAMPLES if "json" in example]
TEXTS = [example["text"] for example in EXAMPLES]
SOURCES: list[tuple[FilterLang, str]] = [
    *(("cql2-text", text) for text in TEXTS),
    *(("cql2-json", json.dumps(pair["json"])) for pair in PAIRS),
]
features = cache(standard_features)


def test_all_cases_are_here() -> None:
    assert (len(TEXTS), len(PAIRS), len(PREDICATES)) == (120, 109, 178)
    assert [len(features(table)) for table in ("countries", "places", "rivers")] == [177, 243, 13]
    found = [len(predicate["ids"]) for predicate in PREDICATES]
    assert min(found) == 0
    assert max(found) == 243
    assert sum(0 < number < 243 for number in found) > 150


@pytest.mark.parametrize(("lang", "text"), SOURCES)
def test_example_parses_and_survives_normalising(lang: FilterLang, text: str) -> None:
    tree = parse(text, lang)
    assert normalise(parse(normalise(tree), "cql2-json")) == normalise(tree)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["text"][:40])
def test_text_and_json_give_the_same_tree(example: dict[str, Any]) -> None:
    as_json = json.dumps(example.get("json") or example["tree"])
    written = [normalise(parse(example["text"])), normalise(parse(as_json, "cql2-json"))]
    # one example is decomposed in one of the two languages
    assert unicodedata.normalize("NFC", written[0]) == unicodedata.normalize("NFC", written[1])


@pytest.mark.parametrize("op", ["isNull", "isnull", "ISNULL"])
def test_operators_of_json_are_read_in_any_case(op: str) -> None:
    assert normalise(parse(json.dumps({"op": op, "args": [{"property": "a"}]}), "cql2-json")) == (
        normalise(parse("a IS NULL"))
    )


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda predicate: predicate["filter"][:60])
async def test_predicate_selects_the_expected_features(predicate: dict[str, Any], standard: dict[str, Table]) -> None:
    table = standard[predicate["table"]]
    assert await table.ids(predicate["filter"]) == predicate["ids"]
    as_json = normalise(parse(predicate["filter"]))
    if table.sql(as_json, "cql2-json").render() != table.sql(predicate["filter"]).render():
        assert await table.ids(as_json, "cql2-json") == predicate["ids"]


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda predicate: predicate["filter"][:60])
def test_plain_python_selects_the_same_features(predicate: dict[str, Any]) -> None:
    assert matching(predicate["filter"], features(predicate["table"])) == predicate["ids"]


@pytest.mark.parametrize("text", [*TEXTS, *(predicate["filter"] for predicate in PREDICATES)])
def test_another_parser_reads_the_same(text: str) -> None:
    theirs = json.dumps(cql2.parse_text(text).to_json())
    assert normalise(parse(theirs, "cql2-json")) == normalise(parse(text))
