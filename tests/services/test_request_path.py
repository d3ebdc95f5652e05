"""The path of a request leads through few modules of its service, so that a reader can follow it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.features.export import get_export
from services.features.item import get_item
from services.features.items import get_items
from services.tiles.tile import get_tile
from tests.services.in_process import Services
from tools.request_path import trace_modules


@pytest.mark.parametrize(
    ("service", "handler", "paths", "most"),
    [
        ("features", get_items, ("items?limit=3", "items?limit=4"), 20),
        ("features", get_item, ("items/1", "items/2"), 15),
        ("features", get_export, ("export?f=csv", "export?f=json"), 12),
        ("tiles", get_tile, ("tiles/WebMercatorQuad/3/1/1", "tiles/WebMercatorQuad/3/2/2"), 10),
    ],
)
async def test_request_visits_few_modules(
    running: Services, service: str, handler: Callable[..., Any], paths: tuple[str, str], most: int
) -> None:
    # the first request fills caches that belong to the process
    known, new = (f"/collections/hostile.events/{path}" for path in paths)
    assert (await running[service].get(known)).status == 200
    with trace_modules(handler) as modules:
        assert (await running[service].get(new)).status == 200
    own = sorted(module for module in modules if module.startswith(f"services.{service}."))
    assert handler.__module__ in own
    assert len(own) <= most, own
