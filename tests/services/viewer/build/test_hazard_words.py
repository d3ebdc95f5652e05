"""The texts of the hazard collections are translated: each comment of their tables and columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from libs.web.catalogues import catalogue

SCHEMA = Path(__file__).parents[4] / "deploy/database/schema"
COMMENT = re.compile(r"COMMENT ON (TABLE|COLUMN) (?:hazard|%s)\.\S+ IS E?'((?:[^']|'')*)'")


@pytest.mark.parametrize("tag", ["es", "fr", "ar"])
def test_each_comment_of_the_hazard_tables_is_translated(tag: str) -> None:
    translated = {str(message.id) for message in catalogue(tag)}
    comments = [
        (kind, text.replace("''", "'"))
        for file in sorted(SCHEMA.glob("2*.sql"))
        for kind, text in COMMENT.findall(file.read_text())
    ]
    tables = [text.partition("\\n") for kind, text in comments if kind == "TABLE"]
    columns = [re.sub(r"\s*\[[^\]]*\]$", "", text).partition(". ") for kind, text in comments if kind == "COLUMN"]
    assert len(tables) > 15
    assert len(columns) > 200
    texts = {title.rstrip(".") for title, _, _ in [*tables, *columns]} | {text for _, _, text in [*tables, *columns]}
    assert texts - {"", *translated} == set()
