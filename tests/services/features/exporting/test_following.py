"""The clients that follow an export, the parts of it that are kept, and the report of a failing writer."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import weakref
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from libs.ogc.errors import InvalidParameters, Unavailable
from libs.pg.pool import Database, PoolSettings
from libs.web.query_params import QueryValues
from services.features.exporting import exports as exports_module
from services.features.exporting.exports import Export, Exports
from services.features.exporting.folder import ExportFolder
from services.features.exporting.wanted import Wanted
from services.features.exporting.writing import NeedsNoIndexError, WritingFailedError, write_file
from services.features.formats.format import PageLinks
from services.features.formats.registry import EXPORT_FORMATS
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.resources import CATALOGUE, EXPORTS, STORE
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Layout, Rows
from services.features.writers.job import Field, Job, Shape
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Services


async def test_who_follows_waits_for_more_than_was_read(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    with (tmp_path / "file").open("rb") as file:
        export = Export(streams=True, tag=None, file=file, size=4)
        assert await export.wait(3, 60)
        assert not await export.wait(4, 0.01)
        assert not await export.wait(5, 0.01)
        waiting = asyncio.create_task(export.wait(4, 60))
        await asyncio.sleep(0)
        # told of nothing new, it goes on waiting
        export.tell()
        await asyncio.sleep(0)
        assert not waiting.done()
        export.size = 6
        export.tell()
        assert await waiting
        # no more than may be read
        assert [await export.read(start, 3) for start in (0, 4, 6, 9)] == [b"012", b"45", b"", b""]
        export.whole = True
        assert await export.wait(6, 60)
    assert await Export(streams=True, tag=None, size=5).read(0, 5) == b""


async def test_what_its_making_raises_is_told_to_whoever_waits() -> None:
    async def fail() -> None:
        raise Unavailable("it failed")

    async def wait_for_ever() -> None:
        await asyncio.Event().wait()

    export = Export(streams=False, tag=None, task=asyncio.create_task(fail()))
    with pytest.raises(Unavailable, match="it failed"):
        await export.wait_for_end(60)
    with pytest.raises(Unavailable, match="it failed"):
        await export.wait(0, 60)
    unfinished = Export(streams=False, tag=None, task=asyncio.create_task(wait_for_ever()))
    assert not await unfinished.wait_for_end(0.01)
    assert await Export(streams=False, tag=None, whole=True).wait_for_end(60)
    assert unfinished.task
    unfinished.task.cancel()


def _wanted(running: Services, key: str | None, is_current: Callable[[], bool] = lambda: True) -> Wanted:
    collection = running.apps["features"][CATALOGUE].collection("hostile.events")
    query = parse_items(collection, QueryValues(defaultdict(lambda: None, limit=2**62)), {})
    return Wanted(query, EXPORT_FORMATS["text/csv"], PageLinks(b"", ""), b"mark", key, is_current)


async def _made(exports: Exports, wanted: Wanted) -> Export:
    export = await exports.open(wanted)
    assert await export.wait_for_end(20)
    exports.leave(export)
    assert export.task
    assert export.file
    await asyncio.wait([export.task])
    return export


async def test_what_was_made_is_kept_under_its_key_while_the_data_are_those(running: Services) -> None:
    exports, key = running.apps["features"][EXPORTS], token_hex(8)
    made = await _made(exports, _wanted(running, key))
    assert made.file
    assert made.file.closed
    found = await exports.find(key)
    assert found is not None
    assert (found.whole, found.streams, found.tag, found.size) == (True, True, made.tag, made.size)
    assert (await found.read(0, 17), found.readers) == (b"markcollectionId,", 1)
    exports.leave(found)
    assert found.file
    assert found.file.closed
    # an existing file is not made again
    again = await exports.open(_wanted(running, key))
    assert (again.task, again.tag) == (None, made.tag)
    exports.leave(again)
    # the data have changed since, or it is unknown whether they have
    for other_key in (token_hex(8), None):
        other = await _made(exports, _wanted(running, other_key, lambda: False))
        assert (other.tag is None) is (other_key is None)
        assert await exports.find(other_key) is None


async def test_a_file_may_be_as_large_as_is_said_and_no_larger(
    running: Services, hostile: HostileDatabase, tmp_path: Path
) -> None:
    app, wanted = running.apps["features"], _wanted(running, token_hex(8))
    folder = ExportFolder(tmp_path, kept_bytes=10**6, kept_seconds=100)
    size = (await _made(app[EXPORTS], wanted)).size
    async with Database(PoolSettings(hostile.reader_url, "test-exports", size=1)) as database:
        for most, key in ((size - 1, "small"), (size, "large")):
            exports = Exports(database, app[STORE], folder, at_once=1, most_bytes=most)
            export = await exports.open(replace(wanted, key=key))
            if most < size:
                with pytest.raises(InvalidParameters, match=f"larger than {most:,} bytes, the maximum of this server"):
                    await export.wait_for_end(20)
                # a later client starts a new one
                assert await exports.find(key) is None
            else:
                assert (await export.wait_for_end(20), export.size) == (True, size)
                assert export.task
                await asyncio.wait([export.task])
            exports.leave(export)
    assert [folder.find(key) is not None for key in ("small", "large")] == [False, True]


@pytest.mark.parametrize("fails", [False, True])
async def test_what_is_made_for_one_who_comes_again_is_closed_once_it_is_made(
    running: Services,
    may_begin: asyncio.Event,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails: bool,
) -> None:
    exports = running.apps["features"][EXPORTS]
    export = await exports.open(_wanted(running, token_hex(8)))
    exports.leave(export, comes_again=True)
    # it is followed still
    assert export.readers == 1
    if fails:
        monkeypatch.setattr(exports_module, "FileIO", None)
    may_begin.set()
    assert export.task
    task = weakref.ref(export.task)
    await asyncio.wait([export.task])

    async def left() -> None:
        assert export.readers == 0

    await eventually(left)
    assert export.whole is not fails
    assert export.file is None if fails else export.file and export.file.closed
    export.task = None
    gc.collect()
    # an abandoned export logs no error
    assert task() is None
    assert not [record for record in caplog.records if record.name == "asyncio"]


@pytest.mark.parametrize("fails", [False, True])
async def test_who_waits_for_more_hears_of_the_end(
    running: Services, may_begin: asyncio.Event, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    exports = running.apps["features"][EXPORTS]
    export = await exports.open(_wanted(running, token_hex(8)))
    waiting = asyncio.create_task(export.wait(2**40, 20))
    await asyncio.sleep(0)
    if fails:
        monkeypatch.setattr(exports_module, "FileIO", None)
    may_begin.set()
    if fails:
        with pytest.raises(TypeError):
            await waiting
    else:
        assert await waiting
    exports.leave(export)


async def test_what_lacks_rows_is_kept_for_nobody(running: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = ItemsStore.exclude_failing

    async def failing(store: ItemsStore, query: ItemsQuery) -> ItemsQuery:
        found = await tried(store, query)
        return replace(found, selection=replace(found.selection, failing=3))

    monkeypatch.setattr(ItemsStore, "exclude_failing", failing)
    exports, key = running.apps["features"][EXPORTS], token_hex(8)
    assert (await _made(exports, _wanted(running, key))).failing == 3
    assert await exports.find(key) is None


async def test_who_cannot_be_told_from_others_follows_an_export_of_its_own(
    running: Services, may_begin: asyncio.Event
) -> None:
    exports, wanted = running.apps["features"][EXPORTS], _wanted(running, token_hex(8))
    first, second = await exports.open(wanted), await exports.open(wanted)
    assert (second is first, first.readers) == (True, 2)
    exports.leave(first)
    may_begin.set()
    assert await second.wait_for_end(20)
    exports.leave(second)
    may_begin.clear()
    one, other = [await exports.open(replace(_wanted(running, None), client=client)) for client in ("one", "other")]
    assert one is not other
    # the largest number that may be made at once
    with pytest.raises(Unavailable) as refused:
        await exports.open(replace(_wanted(running, None), client="third"))
    with pytest.raises(Unavailable, match="for your address"):
        await exports.open(replace(_wanted(running, None), client="one"))
    assert (refused.value.retry_after, refused.value.cause) == (5, "exports")
    assert str(refused.value) == "As many files are being made as may be at once; try again."
    may_begin.set()
    for export in (one, other):
        assert await export.wait_for_end(20)
        exports.leave(export)

    async def has_room() -> None:
        try:
            export = await exports.open(_wanted(running, None))
        except Unavailable as error:
            raise AssertionError from error
        assert await export.wait_for_end(20)
        exports.leave(export)

    await eventually(has_room)


LAYOUT = Layout(key=None, has_geometry=False, properties=(), raw_json=(), times=())


def _job(folder: Path, **more: object) -> Job:
    told: dict[str, object] = {"writer": "ogr", "driver": "GPKG", "most_bytes": 10**9, **more}
    fields = (Field("word", "text", 0),)
    return Job(path=str(folder / "file"), layer="a", fields=fields, **told)  # type: ignore[arg-type]


async def test_a_feature_without_a_place_needs_a_file_without_an_index(tmp_path: Path) -> None:
    async def rows() -> AsyncIterator[Rows]:
        yield Rows(LAYOUT, [("here", bytes.fromhex("0101000000") + bytes(16)), ("nowhere", None), ("short", b"\1")])

    indexed = _job(tmp_path, driver="FlatGeobuf", shape=Shape("geom", "Point", 1, "EPSG:4326"))
    with pytest.raises(NeedsNoIndexError):
        await write_file(indexed, rows(), lambda _: None)
    (tmp_path / "other").mkdir()
    indexed = replace(indexed, path=str(tmp_path / "other" / "file"))
    come: list[int] = []
    # one has none, and one cannot be given
    assert await write_file(replace(indexed, indexed=False), rows(), come.append) == 1
    assert come == [3]


@pytest.mark.faults
async def test_a_writer_that_fails_says_why(tmp_path: Path) -> None:
    async def one_row() -> AsyncIterator[Rows]:
        yield Rows(LAYOUT, [("x",)])

    with pytest.raises(WritingFailedError) as failed:
        await write_file(_job(tmp_path, driver="None such" * 300, shape=None), one_row(), lambda _: None)
    # the end of what it said, where the error is
    assert failed.value.cause.rstrip().endswith("into GDAL)")
    assert len(failed.value.cause) == 2000
    assert str(failed.value) == "The file could not be written; another format may do."
    assert failed.value.retry_after == 60


@pytest.mark.faults
async def test_what_the_rows_raise_ends_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[asyncio.subprocess.Process, dict[str, str]]] = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: str, **given: Any) -> asyncio.subprocess.Process:
        started.append((await start(*command, **given), given["env"]))
        return started[0][0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def broken() -> AsyncIterator[Rows]:
        yield Rows(LAYOUT, [("x",)])
        raise Unavailable("no more rows")

    with pytest.raises(Unavailable, match="no more rows"):
        await write_file(_job(tmp_path, shape=None), broken(), lambda _: None)
    ((process, environment),) = started
    assert process.returncode == -signal.SIGKILL
    # what it keeps for itself is a part of what is counted and taken away, and it finds its module from anywhere
    assert {environment[name] for name in ("CPL_TMPDIR", "TMPDIR")} == {str(tmp_path)}
    assert (Path(environment["PYTHONPATH"]) / "services" / "features" / "writers").is_dir()
    assert environment["PATH"] == os.environ["PATH"]
