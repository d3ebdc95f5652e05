"""The standard's own examples and predicates, in both languages."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import cql2
import pytest

from libs.cql import parse
from tests.libs.cql.conftest import CQL2_DATA, Table
from tests.libs.cql.normalise import normalise

EXAMPLES = sorted(CQL2_DATA.glob("examples/*/*.[tj][xs]*"))
PAIRS = [path for path in EXAMPLES if path.suffix == ".json"]
PREDICATES: list[dict[str, Any]] = json.loads((CQL2_DATA / "predicates.json").read_text()) if CQL2_DATA.exists() else []

pytestmark = pytest.mark.skipif(not EXAMPLES, reason="the standard's data set is not beside the checkout")


def _lang(path: Any) -> Any:
    return "cql2-json" if path.suffix == ".json" else "cql2-text"


def test_all_examples_are_here() -> None:
    assert len(EXAMPLES) == 229
    assert len(PREDICATES) == 178


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem + path.suffix)
def test_example_parses_and_survives_normalising(path: Any) -> None:
    tree = parse(path.read_text(encoding="utf-8"), _lang(path))
    assert normalise(parse(normalise(tree), "cql2-json")) == normalise(tree)


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: path.stem)
def test_text_and_json_give_the_same_tree(path: Any) -> None:
    text = path.parents[1] / "text" / f"{path.stem}.txt"
    written = [normalise(parse(source.read_text(encoding="utf-8"), _lang(source))) for source in (path, text)]
    # Example 70 is decomposed in one of the two files.
    assert unicodedata.normalize("NFC", written[0]) == unicodedata.normalize("NFC", written[1])


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda predicate: predicate["id"])
async def test_predicate_selects_the_expected_number(predicate: dict[str, Any], standard: dict[str, Table]) -> None:
    table = standard[predicate["dataset"]]
    expected = predicate.get("known_error", {}).get("data_gives", predicate["expected_count"])
    assert len(await table.ids(predicate["filter"])) == expected
    as_json = normalise(parse(predicate["filter"]))
    assert len(await table.ids(as_json, "cql2-json")) == expected


@pytest.mark.parametrize("text", [path.read_text(encoding="utf-8") for path in EXAMPLES if path.suffix == ".txt"])
def test_another_parser_reads_the_same(text: str) -> None:
    theirs = json.dumps(cql2.parse_text(text).to_json())
    assert normalise(parse(theirs, "cql2-json")) == normalise(parse(text))


@pytest.mark.parametrize("predicate", PREDICATES, ids=lambda predicate: predicate["id"])
def test_another_parser_reads_the_same_predicate(predicate: dict[str, Any]) -> None:
    test_another_parser_reads_the_same(predicate["filter"])
