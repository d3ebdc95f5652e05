"""The metadata about the collections whose layers a tile has."""

from __future__ import annotations

import pytest

from libs.catalogue.chosen_collections import Chosen
from libs.catalogue.model import Collection
from services.tiles.dataset.chosen import describe

PLACES = Collection("s.a", "s", "a", 1, "table", "A", None, ())


@pytest.mark.parametrize(
    ("number", "omitted", "said"),
    [
        (1, 0, "One layer, of one collection."),
        (2, 0, "A layer for each of 2 collections."),
        (32, 8, "A layer for each of the first 32 of 40 collections; `collections=` chooses others, 32 at a time."),
    ],
)
def test_it_is_said_how_many_there_are(number: int, omitted: int, said: str) -> None:
    assert describe(Chosen((PLACES,) * number, named=False, omitted=omitted)) == said
