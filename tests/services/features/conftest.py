"""What the features service asks the database for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from libs.pg.pool import Statements


@dataclass(frozen=True)
class Fetch:
    """A statement for a page, and how many rows it gave."""

    text: str
    rows: int


@pytest.fixture
def fetches(monkeypatch: pytest.MonkeyPatch) -> list[Fetch]:
    """All that the services ask for from now on, those of their pollers included, as they come."""
    made: list[Fetch] = []
    fetch = Statements.fetch

    async def noted(database: Statements, statement: Any) -> list[asyncpg.Record]:
        rows = await fetch(database, statement)
        made.append(Fetch(statement.render()[0], len(rows)))
        return rows

    monkeypatch.setattr(Statements, "fetch", noted)
    return made
