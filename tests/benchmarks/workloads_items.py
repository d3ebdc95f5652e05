"""Features: pages of several sizes, one feature, deep pages, filters."""

from __future__ import annotations

import json
import random
from urllib.parse import quote, urlsplit

from tests.benchmarks.answers import ask
from tests.benchmarks.data import POINTS
from tests.benchmarks.load import Target
from tests.benchmarks.settings import SEED, BenchmarkError
from tests.benchmarks.workload import Workload

_ITEMS = f"/collections/{POINTS.id}/items"
_BY_HOST = "each request names another Host, by which the gateway keys what it caches; the peer has no cache"
_BY_VALUE = "each request filters by other values, so neither page nor count is known; the peer has no cache"
_DEEP = 400_000


def items_workloads(product: Target) -> list[Workload]:
    """The workloads, reproducible by the seed; the product is asked for the cursor of a deep page."""
    choice = random.Random(SEED)  # noqa: S311 - reproducible, not secret
    rows = choice.sample(range(1, POINTS.rows + 1), 60_000)
    return [
        Workload(
            "items_10",
            "items, limit 10",
            "items",
            [f"{_ITEMS}?limit=10"],
            _BY_HOST,
            vary_host=True,
            limit=True,
            of_peer=40,
        ),
        Workload(
            "items_1000",
            "items, limit 1,000",
            "items",
            [f"{_ITEMS}?limit=1000"],
            _BY_HOST,
            vary_host=True,
            limit=True,
            of_peer=20,
        ),
        Workload(
            "items_10000",
            "items, limit 10,000",
            "items",
            [f"{_ITEMS}?limit=10000"],
            _BY_HOST,
            vary_host=True,
            connections=2,
            peer_seconds=8,
            limit=True,
            of_peer=15,
        ),
        Workload(
            "item",
            "one item",
            "item",
            [f"{_ITEMS}/{row}" for row in rows],
            "60,000 features in turn, another Host in each request; the peer has no cache",
            vary_host=True,
            limit=True,
            of_peer=4,
        ),
        Workload(
            "page_40001",
            "items, page 40,001 by next",
            "items",
            [_deep_page(product)],
            f"{_BY_HOST}; it is asked for the same rows by offset",
            peer_paths=[f"{_ITEMS}?limit=10&offset={_DEEP}"],
            vary_host=True,
            limit=True,
            of_other=("items_10", 2),
        ),
        Workload("filter_bbox", "items in a bbox", "items", _boxes(choice), _BY_VALUE, vary_host=True, limit=True),
        Workload("filter_cql2", "items by a filter", "items", _filters(choice), _BY_VALUE, vary_host=True, limit=True),
        Workload("item_hot", "one item, cached", "item", [f"{_ITEMS}/{rows[0]}"], "", of_peer=4),
        Workload("items_10_hot", "items, limit 10, cached", "items", [f"{_ITEMS}?limit=10"], "", of_peer=40),
        Workload("items_1000_hot", "items, limit 1,000, cached", "items", [f"{_ITEMS}?limit=1000"], "", of_peer=20),
        Workload(
            "items_10000_hot",
            "items, limit 10,000, cached",
            "items",
            [f"{_ITEMS}?limit=10000"],
            "",
            connections=2,
            peer_seconds=8,
            of_peer=15,
        ),
    ]


def _deep_page(product: Target) -> str:
    """The address of the page after row 400,000, as the `next` link of the page before it has it."""
    page = json.loads(ask(product, f"{_ITEMS}?limit=10&offset={_DEEP - 10}").content)
    for link in page["links"]:
        if link["rel"] == "next":
            parts = urlsplit(link["href"])
            return f"{parts.path.removeprefix(product.prefix)}?{parts.query}"
    raise BenchmarkError("a page in the middle has no next link")


def _boxes(choice: random.Random) -> list[str]:
    """Boxes a few degrees wide, anywhere between 60 degrees south and north."""
    paths = []
    for _ in range(60_000):
        west, south = choice.uniform(-180, 176), choice.uniform(-60, 57)
        box = ",".join(f"{number:.4f}" for number in (west, south, west + 4, south + 3))
        paths.append(f"{_ITEMS}?limit=10&bbox={box}")
    return paths


def _filters(choice: random.Random) -> list[str]:
    """Strong earthquakes of a month: a filter of three comparisons, two of them indexed."""
    text = quote(
        "magnitude >= 4 AND depth < {depth:.4f} AND event_date >= TIMESTAMP('{year}-{month:02}-01T00:00:00Z')"
        " AND event_date < TIMESTAMP('{year}-{after:02}-01T00:00:00Z')",
        safe="{}:.",
    )
    paths = []
    for _ in range(60_000):
        year, month, depth = choice.randint(1990, 2025), choice.randint(1, 11), choice.uniform(1, 100)
        paths.append(f"{_ITEMS}?limit=10&filter={text.format(depth=depth, year=year, month=month, after=month + 1)}")
    return paths
