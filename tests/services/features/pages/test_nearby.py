"""Where a feature is, in words: the cases hold for the map's script, too."""

import json
from pathlib import Path
from typing import Any

import pytest

from libs.web.nearby import nearby_words

_CASES = json.loads((Path(__file__).parents[2] / "nearby_words.json").read_text("utf-8"))


@pytest.mark.parametrize(("words", "properties"), _CASES)
def test_the_nearest_place_in_words(words: str, properties: dict[str, Any]) -> None:
    assert nearby_words(properties) == words
