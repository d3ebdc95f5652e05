"""Files whose readers leave at the worst moments: nothing of them stays."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from prometheus_client import REGISTRY

from services.features.exporting.exports import Chunks, Exports
from services.features.exporting.folder import ExportFolder, Making
from services.features.exporting.wanted import Wanted
from services.features.formats.fgb import FORMAT
from tests.eventually import eventually

NOTHING = cast("Any", None)


class Folder(ExportFolder):
    """Waits before it makes a place, until it is let."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, kept_bytes=0, kept_seconds=0)
        self.asked = threading.Event()
        self.go = threading.Event()
        self.made: list[Making] = []

    def begin(self, extension: str) -> Making:
        self.asked.set()
        assert self.go.wait(60)
        self.made.append(super().begin(extension))
        return self.made[-1]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def exports(folder: Folder) -> Exports:
    return Exports(NOTHING, NOTHING, folder, at_once=1, most_bytes=1000)


@pytest.fixture
async def one_thread() -> AsyncIterator[ThreadPoolExecutor]:
    """That does all that the event loop has done elsewhere."""
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(1) as thread:
        loop.set_default_executor(thread)
        yield thread
        loop.set_default_executor(ThreadPoolExecutor())


async def leaves(reader: asyncio.Task[Any], *, times: int = 1) -> None:
    for _ in range(times):
        reader.cancel()
        # all happens that can
        for _ in range(10):
            await asyncio.sleep(0)
    await asyncio.wait([reader])
    assert reader.cancelled()


async def is_taken_away(folder: Folder) -> None:
    async def taken_away() -> None:
        assert [making.folder.exists() for making in folder.made] == [False]
        # there is room for another
        assert REGISTRY.get_sample_value("dams_exports_running") == 0

    await eventually(taken_away)


class Waiting:
    """A database that never gives a connection. A caller that gives up leaves as soon as it may."""

    def __init__(self) -> None:
        self.asked, self.may_leave = asyncio.Event(), asyncio.Event()
        self.may_leave.set()

    @asynccontextmanager
    async def connection(self, *, snapshot: bool) -> AsyncIterator[None]:
        assert snapshot
        self.asked.set()
        try:
            await asyncio.Event().wait()
            yield
        finally:
            await self.may_leave.wait()


async def test_with_the_process(folder: Folder) -> None:
    folder.go.set()
    database = Waiting()
    exports = Exports(cast("Any", database), NOTHING, folder, at_once=2, most_bytes=1000)
    assert REGISTRY.get_sample_value("dams_exports_limit") == 2
    export = await exports.open(Wanted(NOTHING, FORMAT, NOTHING, b"", "key"))
    await database.asked.wait()
    assert REGISTRY.get_sample_value("dams_exports_running") == 1
    (making,) = folder.made
    assert making.file.name == "export.fgb"
    assert await exports.find("key") is export
    async with asyncio.timeout(60):
        await exports.close()
    # nothing goes on behind it
    assert export.task
    assert export.task.cancelled()
    assert (making.folder.exists(), REGISTRY.get_sample_value("dams_exports_running")) == (False, 0)
    assert await exports.find("key") is None


async def test_while_another_of_the_same_key_begins(folder: Folder) -> None:
    folder.go.set()
    database = Waiting()
    database.may_leave.clear()
    exports = Exports(cast("Any", database), NOTHING, folder, at_once=4, most_bytes=1000)
    wanted = Wanted(NOTHING, FORMAT, NOTHING, b"", "key")
    left = await exports.open(wanted)
    await database.asked.wait()
    exports.leave(left)
    again = await exports.open(wanted)
    assert again is not left
    database.may_leave.set()
    assert left.task
    await asyncio.wait([left.task])
    # a later client follows the export that is being made
    assert await exports.find("key") is again
    await exports.close()


async def test_while_its_folder_is_made(exports: Exports, folder: Folder) -> None:
    reader = asyncio.create_task(exports.page(NOTHING, NOTHING, FORMAT, NOTHING))
    assert await asyncio.to_thread(folder.asked.wait, 60)
    await leaves(reader)
    folder.go.set()
    await is_taken_away(folder)


async def test_twice_while_no_thread_is_free_to_take_it_away(
    exports: Exports, folder: Folder, one_thread: ThreadPoolExecutor
) -> None:
    waits, go = asyncio.Event(), threading.Event()

    async def rows_that_do_not_come() -> Chunks:
        waits.set()
        await asyncio.Event().wait()
        yield NOTHING

    folder.go.set()
    reader = asyncio.create_task(exports.page(NOTHING, NOTHING, FORMAT, rows_that_do_not_come))
    await waits.wait()
    one_thread.submit(go.wait, 60)
    await leaves(reader, times=2)
    go.set()
    await is_taken_away(folder)
