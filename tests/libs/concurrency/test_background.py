from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

import pytest

from libs.concurrency.background import background, periodic


async def test_work_ends_with_the_block() -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with background(work(), name="work") as task:
        await asyncio.sleep(0)
        assert not task.done()
    assert ended.is_set()
    assert task.cancelled()


@pytest.mark.parametrize("error", [TimeoutError, asyncio.CancelledError])
async def test_work_that_passes_over_a_cancellation_ends_all_the_same(error: type[BaseException]) -> None:
    heard = 0

    async def work() -> None:
        nonlocal heard
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            heard += 1
            raise (error if heard == 1 else asyncio.CancelledError) from None

    calls = asyncio.Queue[None]()

    async def called() -> None:
        calls.put_nowait(None)
        await work()

    async with asyncio.timeout(20) as limit, periodic(called, 0, name="deaf"):
        await calls.get()
    assert not limit.expired()
    assert heard == (2 if error is TimeoutError else 1)


async def test_an_error_of_the_work_comes_out_where_the_block_ends() -> None:
    async def work() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        async with background(work(), name="work"):
            await asyncio.sleep(0)


async def test_who_waits_for_the_end_of_the_work_may_be_cancelled() -> None:
    held = asyncio.Event()

    async def work() -> None:
        while True:
            with suppress(asyncio.CancelledError):
                await held.wait()
                return

    async def block() -> None:
        async with background(work(), name="stubborn"):
            await asyncio.sleep(0)

    waiting = asyncio.create_task(block())
    await asyncio.sleep(0.01)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(20):
            await waiting
    held.set()


async def test_the_first_call_comes_at_once_and_others_follow() -> None:
    calls = asyncio.Queue[int]()

    async def work() -> None:
        calls.put_nowait(1)

    async with periodic(work, 3600, name="seldom") as first:
        await first.wait()
        assert calls.qsize() == 1
    async with periodic(work, 0, name="often"):
        for _ in range(10):
            await calls.get()
    left = calls.qsize()
    await asyncio.sleep(0.01)
    assert calls.qsize() == left


async def test_the_pause_may_change_from_call_to_call() -> None:
    pauses = iter([0.0, 0.0, 3600.0])
    calls, asked = 0, asyncio.Event()

    async def work() -> None:
        nonlocal calls
        calls += 1

    def pause() -> float:
        seconds = next(pauses)
        if seconds:
            asked.set()
        return seconds

    async with periodic(work, pause, name="changing"):
        await asked.wait()
        assert calls == 3


async def test_an_error_is_logged_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    calls = asyncio.Queue[int]()

    async def work() -> None:
        calls.put_nowait(1)
        raise ValueError("broken once more")

    with caplog.at_level(logging.ERROR, "dams.background"):
        async with periodic(work, 0, name="broken") as first:
            await first.wait()
            await calls.get()
            await calls.get()
    assert {record.exc_info[0] for record in caplog.records if record.exc_info} == {ValueError}
