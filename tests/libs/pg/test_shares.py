"""Turns by name."""

from __future__ import annotations

import asyncio

import pytest

from libs.ogc.errors import Unavailable
from libs.pg.shares import Shares


async def eventually_waits(shares: Shares, name: str) -> asyncio.Task[None]:
    task = asyncio.create_task(shares.enter(name))
    await asyncio.sleep(0.02)
    assert not task.done()
    return task


async def test_a_name_that_has_its_share_waits_and_others_do_not() -> None:
    shares = Shares(2, wait_seconds=5)
    await shares.enter("a")
    await shares.enter("a")
    first = await eventually_waits(shares, "a")
    second = await eventually_waits(shares, "a")
    await shares.enter("b")
    shares.leave("a")
    await first
    assert not second.done()
    shares.leave("a")
    await second
    shares.leave("a")
    shares.leave("a")
    shares.leave("b")
    # as at the beginning
    await shares.enter("a")
    await shares.enter("a")
    assert (await eventually_waits(shares, "a")).cancel()


async def test_who_waits_for_too_long_or_with_too_many_is_told() -> None:
    shares = Shares(1, wait_seconds=0.2, most_waiting=1)
    await shares.enter("a")
    waiting = await eventually_waits(shares, "a")
    with pytest.raises(Unavailable, match="too much") as one_too_many:
        await shares.enter("a")
    # at once, not when its own wait would be over
    assert not waiting.done()
    with pytest.raises(Unavailable, match="too much") as too_long:
        await waiting
    assert str(one_too_many.value) == str(too_long.value) == "The collection is being asked for too much; try again."
    # in metrics it is not an error of the database
    assert (one_too_many.value.cause, too_long.value.cause) == ("share", "share")
    shares.leave("a")
    await shares.enter("a")


async def test_who_need_not_wait_is_none_too_many_and_each_name_has_its_own() -> None:
    nobody, one = Shares(1, wait_seconds=5, most_waiting=0), Shares(1, wait_seconds=5, most_waiting=1)
    for name in ("a", "b"):
        await nobody.enter(name)
        with pytest.raises(Unavailable, match="too much"):
            await nobody.enter(name)
        await one.enter(name)
    waiting = [await eventually_waits(one, name) for name in ("a", "b")]
    for name in ("a", "b"):
        one.leave(name)
    await asyncio.gather(*waiting)


async def test_as_many_may_wait_as_before_once_others_have_stopped_waiting() -> None:
    shares = Shares(1, wait_seconds=60, most_waiting=2)
    await shares.enter("a")
    for _ in range(2):
        waiting = [await eventually_waits(shares, "a") for _ in range(2)]
        with pytest.raises(Unavailable, match="too much"):
            await asyncio.wait_for(shares.enter("a"), 5)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)


async def test_a_turn_of_one_who_went_away_is_the_next_ones() -> None:
    shares = Shares(1, wait_seconds=5)
    await shares.enter("a")
    gone, stays = await eventually_waits(shares, "a"), await eventually_waits(shares, "a")
    # left and cancelled in the same turn of the loop
    shares.leave("a")
    gone.cancel()
    await asyncio.wait_for(stays, 1)
    with pytest.raises(asyncio.CancelledError):
        await gone
    earlier = await eventually_waits(shares, "a")
    later = await eventually_waits(shares, "a")
    earlier.cancel()
    await asyncio.sleep(0)
    shares.leave("a")
    await asyncio.wait_for(later, 1)
