"""Exports that begin when a test says so."""

from __future__ import annotations

import asyncio

import pytest

from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import ItemsStore


@pytest.fixture
def may_begin(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Return the event that exports wait for before they fetch a row."""
    tried, begin = ItemsStore.exclude_failing, asyncio.Event()

    async def waiting(store: ItemsStore, query: ItemsQuery) -> ItemsQuery:
        await begin.wait()
        return await tried(store, query)

    monkeypatch.setattr(ItemsStore, "exclude_failing", waiting)
    return begin
