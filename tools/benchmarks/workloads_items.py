"""Pages of features of several sizes, one feature, deep pages, filters; the list of collections."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from urllib.parse import quote, urlsplit

from tools.benchmarks.answers import ask
from tools.benchmarks.data import POINTS
from tools.benchmarks.load import Target
from tools.benchmarks.settings import SEED, BenchmarkError
from tools.benchmarks.workload import Workload

_ITEMS = f"/collections/{POINTS.id}/items"
_BY_HOST = "each request names another Host, by which the gateway keys what it caches; the peer has no cache"
_AT_HAND = f"{_BY_HOST}; the product has encoded the page's features before, and asks the database for keys"
_BY_VALUE = "each request filters by other values, so neither page nor count is known; the peer has no cache"
_UNCOUNTED = f"{_BY_HOST}; nobody asks the product how many match, and the peer knows no such question"
_DEEP = 400_000
_PAGES = 400


def items_workloads(product: Target) -> list[Workload]:
    """Return the workloads, reproducible by the seed; the product provides the cursors of deep pages."""
    choice = random.Random(SEED)  # noqa: S311 - reproducible, not secret
    rows = choice.sample(range(1, POINTS.rows + 1), 60_000)
    boxes, filters = _boxes(choice), _filters(choice)
    return [
        *_pages(product),
        Workload(
            "item",
            "one item",
            "item",
            [f"{_ITEMS}/{row}" for row in rows],
            "60,000 features in turn, another Host in each request; the peer has no cache",
            vary_host=True,
            limit=True,
            of_peer={"tipg": 4},
        ),
        Workload("filter_bbox", "items in a bbox", "items", boxes, _BY_VALUE, vary_host=True, limit=True),
        Workload("filter_cql2", "items by a filter", "items", filters, _BY_VALUE, vary_host=True, limit=True),
        _skip_count("filter_bbox_uncounted", "items in a bbox, not counted", boxes),
        _skip_count("filter_cql2_uncounted", "items by a filter, not counted", filters),
        Workload("collections", "collections", "collections", ["/collections"], _BY_HOST, vary_host=True),
        Workload("item_hot", "one item, cached", "item", [f"{_ITEMS}/{rows[0]}"], "", of_peer={"tipg": 4}),
    ]


def _pages(product: Target) -> list[Workload]:
    found: list[Workload] = []
    for limit, ratio in ((10, 40), (1000, 20), (10_000, 15)):
        name, title, paths = f"items_{limit}", f"items, limit {limit:,}", [f"{_ITEMS}?limit={limit}"]
        kept_out = _BY_HOST if limit < 1000 else _AT_HAND
        found += [
            Workload(name, title, "items", paths, kept_out, vary_host=True, limit=True, of_peer={"tipg": ratio}),
            Workload(f"{name}_hot", f"{title}, cached", "items", paths, "", of_peer={"tipg": ratio}),
        ]
    page = Workload("", "", "items", [f"{_ITEMS}?limit=100"], _AT_HAND, vary_host=True, encoding="gzip")
    compressed = [
        replace(page, name="items_100_gzip", title="items, limit 100, gzip"),
        replace(page, name="items_100_gzip_hot", title="items, limit 100, gzip, cached", uncached="", vary_host=False),
    ]
    found[-2:] = [replace(workload, connections=2, peer_seconds=8) for workload in found[-2:]]
    return [
        *found,
        *compressed,
        Workload(
            "items_1000_new",
            "items, limit 1,000, of other rows each",
            "items",
            _harvest(product),
            "pages by next that share no row, more of them than a process keeps encoded; the peer is asked by offset",
            peer_paths=[f"{_ITEMS}?limit=1000&offset={1000 * page}" for page in range(_PAGES)],
            vary_host=True,
            limit=True,
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
    ]


def _skip_count(name: str, title: str, paths: list[str]) -> Workload:
    wanted = [f"{path}&numberMatched=false" for path in paths]
    return Workload(name, title, "items", wanted, _UNCOUNTED, peer_paths=paths, vary_host=True, limit=True)


def _deep_page(product: Target) -> str:
    """Return the address of the page after row 400,000, from the `next` link of the page before it."""
    return next_page(product, f"{_ITEMS}?limit=10&offset={_DEEP - 10}")


def _harvest(product: Target) -> list[str]:
    """Return the addresses of pages of 1,000, one after another."""
    paths = [f"{_ITEMS}?limit=1000"]
    while len(paths) < _PAGES:
        paths.append(next_page(product, paths[-1]))
    return paths


def next_page(product: Target, path: str) -> str:
    page = json.loads(ask(product, path).content)
    for link in page["links"]:
        if link["rel"] == "next":
            parts = urlsplit(link["href"])
            return f"{parts.path.removeprefix(product.prefix)}?{parts.query}"
    raise BenchmarkError("a page in the middle has no next link")


def _boxes(choice: random.Random) -> list[str]:
    """Return boxes a few degrees wide, anywhere between 60 degrees south and north."""
    paths = []
    for _ in range(60_000):
        west, south = choice.uniform(-180, 176), choice.uniform(-60, 57)
        box = ",".join(f"{number:.4f}" for number in (west, south, west + 4, south + 3))
        paths.append(f"{_ITEMS}?limit=10&bbox={box}")
    return paths


def _filters(choice: random.Random) -> list[str]:
    """Return filters for strong earthquakes of a month: three comparisons, two of them indexed."""
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
