"""How much of the pools is used, as metrics tell it."""

from __future__ import annotations

import gc
from dataclasses import dataclass

from prometheus_client import REGISTRY

from libs.pg.usage import watch


@dataclass(eq=False)
class Pool:
    in_use: int
    idle: int
    waiting: int
    size: int


def _told(name: str, **labels: str) -> float | None:
    return REGISTRY.get_sample_value(f"dams_database_{name}", {"pool": "usage-test", **labels})


def test_pools_of_one_name_are_told_together_as_long_as_they_live() -> None:
    first, second = Pool(1, 2, 4, 8), Pool(10, 20, 40, 80)
    for pool in (first, second):
        watch("usage-test", pool)
    assert (_told("connections", state="in_use"), _told("connections", state="idle")) == (11, 22)
    assert (_told("waiting"), _told("pool_size")) == (44, 88)
    first.in_use = 3
    assert _told("connections", state="in_use") == 13
    del first, pool
    second = Pool(0, 0, 0, 0)
    gc.collect()
    assert _told("pool_size") == 0
