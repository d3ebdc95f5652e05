"""Rows at fault are found among many, in the time there is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from libs.ogc.errors import StoredValueError
from libs.pg.halving import failing_places


def attempts(bad: set[int], seen: list[range]) -> Callable[[range], Awaitable[None]]:
    async def attempt(places: range) -> None:
        seen.append(places)
        if bad & set(places):
            raise StoredValueError

    return attempt


@pytest.mark.parametrize("bad", [set(), {0}, {9}, {3, 4}, set(range(10))])
async def test_the_places_at_fault_are_found(bad: set[int]) -> None:
    seen: list[range] = []
    until = asyncio.get_running_loop().time() + 60
    found = await failing_places(10, attempts(bad, seen), until=until)
    assert found == sorted(bad)
    # faulty rows among others are found by halving, not one by one
    assert len(seen) <= 1 + 8 * len(bad)
    seen.clear()
    assert await failing_places(0, attempts(bad, seen), until=until) == []
    assert seen == []


async def test_a_search_that_is_not_over_in_time_ends() -> None:
    seen: list[range] = []
    loop = asyncio.get_running_loop()
    with pytest.raises(StoredValueError):
        await failing_places(10, attempts({3}, seen), until=loop.time() - 1)
    assert seen == []
