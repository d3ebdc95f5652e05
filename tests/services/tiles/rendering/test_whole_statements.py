"""Statements as they are sent, word for word: what says less of them, or puts something else in, is seen here."""

from __future__ import annotations

import pytest

from tests.services.tiles.rendering.statements import FILE, statements, written

TEXT = FILE.read_text(encoding="utf-8")
WRITTEN = {name: text.rstrip("\n") for name, _, text in (part.partition("\n") for part in TEXT[2:].split("\n# "))}
MADE = statements()


@pytest.mark.parametrize("name", MADE)
def test_a_statement_is_as_it_is_written(name: str) -> None:
    assert MADE[name] == WRITTEN[name]


def test_each_that_is_written_is_made() -> None:
    assert written(MADE) == TEXT
