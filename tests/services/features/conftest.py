"""What the features service asks the database for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from services.features.resources import STORE
from tests.services.in_process import Services


@dataclass(frozen=True)
class Fetch:
    """A statement for a page, and how many rows it gave."""

    text: str
    rows: int


@pytest.fixture
def fetches(running: Services, monkeypatch: pytest.MonkeyPatch) -> list[Fetch]:
    """All of the features service, as they come."""
    made: list[Fetch] = []
    database = running.apps["features"][STORE]._database
    fetch = database.fetch

    async def noted(statement: Any) -> list[asyncpg.Record]:
        rows = await fetch(statement)
        made.append(Fetch(statement.render()[0], len(rows)))
        return rows

    monkeypatch.setattr(database, "fetch", noted)
    return made
