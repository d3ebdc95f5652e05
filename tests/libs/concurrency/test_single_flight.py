from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from typing import Any

import pytest

from libs.concurrency.single_flight import SingleFlight
from tests.eventually import eventually


class Work:
    """Counts its starts, and ends when the test wants it."""

    def __init__(self) -> None:
        self.starts = 0
        self.go_on = asyncio.Event()
        self.error: Exception | None = None

    async def __call__(self) -> int:
        self.starts += 1
        await self.go_on.wait()
        if self.error:
            raise self.error
        return self.starts


async def test_requests_at_the_same_time_share_one_task() -> None:
    flights, work = SingleFlight[int](), Work()
    waiting = [asyncio.create_task(flights.do("key", work)) for _ in range(5)]
    other = asyncio.create_task(flights.do("other key", work))
    await asyncio.sleep(0)
    work.go_on.set()
    assert len(set(await asyncio.gather(*waiting))) == 1
    await other
    assert work.starts == 2


async def test_the_next_request_starts_anew() -> None:
    flights, work = SingleFlight[int](), Work()
    work.go_on.set()
    assert [await flights.do("key", work) for _ in range(3)] == [1, 2, 3]
    assert flights.find("key") is None


async def test_a_client_that_goes_away_leaves_the_task_to_the_others() -> None:
    flights, work = SingleFlight[int](), Work()
    gone, stays = (asyncio.create_task(flights.do("key", work)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    work.go_on.set()
    assert await stays == 1


async def test_abandoned_work_is_cancelled_and_then_starts_again() -> None:
    flights, work = SingleFlight[int](abandoned_after=0.05), Work()
    gone = [asyncio.create_task(flights.do("key", work)) for _ in range(2)]
    await asyncio.sleep(0)
    task = flights.start("key", work)
    gone[0].cancel()
    await asyncio.sleep(0.1)
    # one still waits
    assert not task.done()
    gone[1].cancel()
    await asyncio.gather(*gone, return_exceptions=True)
    # a caller that arrives in time keeps it running
    back = asyncio.create_task(flights.do("key", work))
    await asyncio.sleep(0.1)
    assert flights.find("key") is task
    back.cancel()
    await asyncio.wait([task], timeout=5)
    assert task.cancelled()
    assert flights.find("key") is None
    work.go_on.set()
    assert await flights.do("key", work) == 2


async def test_an_error_is_everybodys_and_is_not_cached() -> None:
    flights, work = SingleFlight[int](), Work()
    work.error = ValueError("no")
    waiting = [asyncio.create_task(flights.do("key", work)) for _ in range(3)]
    await asyncio.sleep(0)
    work.go_on.set()
    assert [str(found) for found in await asyncio.gather(*waiting, return_exceptions=True)] == ["no"] * 3
    assert work.starts == 1
    work.error = None
    assert await flights.do("key", work) == 2


async def test_what_is_under_way_can_be_looked_at_and_given_up() -> None:
    flights, work = SingleFlight[int](), Work()
    task = flights.start("key", work)
    assert flights.start("key", work) is task
    assert flights.find("key") is task
    await flights.close()
    assert task.cancelled()
    assert flights.find("key") is None


async def test_late_end_of_cancelled_work_leaves_the_new_one() -> None:
    flights, work, ended = SingleFlight[int](abandoned_after=0), Work(), asyncio.Event()

    async def slow_to_end() -> int:
        try:
            return await work()
        finally:
            await ended.wait()

    gone = asyncio.create_task(flights.do("key", slow_to_end))
    await asyncio.sleep(0)
    old = flights.start("key", slow_to_end)
    gone.cancel()

    async def is_given_up() -> bool:
        return flights.find("key") is None

    await eventually(is_given_up)
    new = flights.start("key", work)
    assert (new is old, old.done()) == (False, False)
    ended.set()
    await asyncio.wait([old])
    assert old.cancelled()
    # a new caller shares the new one
    assert flights.start("key", work) is new
    work.go_on.set()
    assert await new == 2


async def test_the_end_waits_for_what_was_given_up_too() -> None:
    flights, work, let_go = SingleFlight[int](abandoned_after=0), Work(), asyncio.Event()
    ended = False

    async def slow_to_end() -> int:
        nonlocal ended
        try:
            return await work()
        finally:
            let_go.set()
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            ended = True

    gone = asyncio.create_task(flights.do("key", slow_to_end))
    await asyncio.sleep(0)
    gone.cancel()
    await let_go.wait()
    await flights.close()
    assert ended


async def test_a_failure_that_nobody_waits_for_is_no_complaint() -> None:
    flights, work, complaints = SingleFlight[int](), Work(), list[Any]()
    work.error = ValueError("no")
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        waiting = asyncio.create_task(flights.do("key", work))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        work.go_on.set()

        async def has_ended() -> bool:
            return flights.find("key") is None

        await eventually(has_ended)
        del waiting
        gc.collect()
    finally:
        loop.set_exception_handler(None)
    assert complaints == []
