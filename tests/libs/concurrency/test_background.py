from __future__ import annotations

import asyncio
import logging

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
    assert "broken once more" in caplog.text
