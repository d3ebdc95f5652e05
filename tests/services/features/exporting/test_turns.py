"""The order in which files are made: each client has a share, and others wait in a queue."""

from __future__ import annotations

import asyncio
import time

import pytest

from libs.ogc.errors import Unavailable
from services.features.exporting.turns import Turns


async def _wait(turns: Turns, client: str) -> asyncio.Task[None]:
    waiting = asyncio.create_task(turns.enter(client))
    await asyncio.sleep(0)
    assert not waiting.done()
    return waiting


async def test_client_has_half_of_the_turns() -> None:
    turns = Turns(4, wait_seconds=0)
    for _ in range(2):
        await turns.enter("one")
    with pytest.raises(Unavailable, match="2 files are being made for your address") as refused:
        await turns.enter("one")
    assert refused.value.retry_after == 5
    for _ in range(2):
        await turns.enter("other")
    with pytest.raises(Unavailable, match="As many files"):
        await turns.enter("third")
    turns.leave("one")
    await turns.enter("third")
    assert turns.taken == 4


async def test_single_turn_may_be_of_any_client() -> None:
    turns = Turns(1, wait_seconds=0)
    await turns.enter("one")
    with pytest.raises(Unavailable, match="1 file is being made for your address"):
        await turns.enter("one")
    turns.leave("one")
    await turns.enter("other")
    assert turns.taken == 1


async def test_turn_goes_to_the_client_with_the_fewest() -> None:
    turns = Turns(4, wait_seconds=60)
    for client in ("one", "other", "one", "other"):
        await turns.enter(client)
    of_one, first, second = [await _wait(turns, client) for client in ("one", "third", "fourth")]
    turns.leave("one")
    await first
    assert (of_one.done(), second.done()) == (False, False)
    turns.leave("other")
    await second
    assert not of_one.done()
    turns.leave("other")
    await of_one


async def test_client_that_gives_up_passes_its_turn_on() -> None:
    turns = Turns(1, wait_seconds=60)
    await turns.enter("one")
    gone, next_ = await _wait(turns, "other"), await _wait(turns, "third")
    gone.cancel()
    await asyncio.gather(gone, return_exceptions=True)
    turns.leave("one")
    await next_
    last, after = await _wait(turns, "fourth"), await _wait(turns, "fifth")
    turns.leave("third")
    # it has the turn, and is cancelled before it knows
    last.cancel()
    await asyncio.gather(last, return_exceptions=True)
    await after
    assert turns.taken == 1


async def test_turn_given_back_when_others_have_waited_too_long_stays_free() -> None:
    turns = Turns(1, wait_seconds=0.01)
    await turns.enter("one")
    waiting = [await _wait(turns, client) for client in ("one", "other")]
    asyncio.get_running_loop().call_later(0.02, turns.leave, "one")
    # a busy process: the times are over and the turn is given back before any of the tasks goes on
    time.sleep(0.05)  # noqa: ASYNC251 blocks the loop on purpose
    ends = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(end) for end in ends] == [Unavailable, Unavailable]
    assert turns.taken == 0
    await turns.enter("other")


async def test_full_queue_refuses_at_once() -> None:
    turns = Turns(1, wait_seconds=60, most_waiting=1)
    await turns.enter("one")
    waiting = await _wait(turns, "other")
    with pytest.raises(Unavailable):
        await turns.enter("third")
    turns.leave("one")
    await waiting
