"""The statements that the features service sends to the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import asyncpg
import pytest

from libs.pg.pool import Statements
from services.features.exporting.exports import Export, Exports


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


@pytest.fixture
def empty_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of pages have nothing in them, and no process writes them."""

    async def written(*_: object) -> Export:
        return Export(streams=False, tag=None, whole=True, readers=1)

    monkeypatch.setattr(Exports, "page", written)
