"""Exports of this process: running exports, their readers, and the concurrency limit."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from io import FileIO
from typing import IO

from prometheus_client import Gauge

from libs.ogc.errors import Fault, InvalidParameters, Unavailable
from libs.pg.pool import Database
from libs.pg.snapshot import snapshot
from libs.selection.selection import Selection
from services.features.exporting.folder import ExportFolder, Making, omitted_of, tag_of
from services.features.exporting.layer import JobOf, job_of, with_kinds
from services.features.exporting.turns import Turns
from services.features.exporting.wanted import Wanted
from services.features.exporting.writing import NeedsNoIndexError, TooLargeError, WritingFailedError, write_file
from services.features.formats.format import FeatureFormat, FileFormat, Format
from services.features.request.items_query import GeometryOptions
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Rows
from services.features.rows.read_all import read_all
from services.features.writers.kinds import OtherKindsError

_LOG = logging.getLogger("dams.features")
_RUNNING = Gauge("dams_exports_running", "Files that are made at present")
_MOST = Gauge("dams_exports_limit", "Files that may be made at the same time")
Chunks = AsyncGenerator[Rows]
Source = Callable[[], Chunks] | Rows
"""Rows that are fetched already, or a function that returns them, from the first on, at each call."""


@dataclass(eq=False, slots=True)
class Export:
    """A file that is complete or being written; its readers get the bytes written so far."""

    streams: bool
    """Whether the bytes written so far may be read: they are the beginning of the file."""
    tag: str | None
    file: IO[bytes] | None = None
    size: int = 0
    """Bytes that may be read so far."""
    whole: bool = False
    rows: int = 0
    """Rows written so far."""
    omitted: int = 0
    """Geometries left out, known once the file is complete."""
    failing: int = 0
    """Rows left out because a condition fails on them."""
    readers: int = 0
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """Wake the readers: more can be read."""
        self._changed.set()

    async def wait(self, size: int, seconds: float | None = None) -> bool:
        """Wait until more than `size` bytes can be read or the file is complete; return False after `seconds`.

        Raises the error of the export, if it failed.
        """
        try:
            async with asyncio.timeout(seconds):
                while self.size <= size and not self.whole:
                    self._changed.clear()
                    if self.task is not None and self.task.done():
                        self.task.result()
                    await self._changed.wait()
        except TimeoutError:
            return False
        return True

    async def wait_for_end(self, seconds: float) -> bool:
        """Wait at most `seconds` for the file and return whether it is complete. Raises the error of the export."""
        if self.task is not None:
            await asyncio.wait([self.task], timeout=seconds)
            if self.task.done():
                self.task.result()
        return self.whole

    async def read(self, start: int, number: int) -> bytes:
        """Return up to `number` bytes from `start` on; empty if there are none yet."""
        number = min(number, self.size - start)
        if self.file is None or number <= 0:
            return b""
        return await asyncio.to_thread(os.pread, self.file.fileno(), number, start)


class Exports:
    """Writes rows to files, `at_once` at a time, each of at most `most_bytes` and in at most `most_seconds`.

    The files are in `folder`.
    """

    def __init__(
        self,
        database: Database,
        store: ItemsStore,
        folder: ExportFolder,
        *,
        at_once: int,
        most_bytes: int,
        most_seconds: float = 600.0,
    ) -> None:
        self._database = database
        self._store = store
        self._folder = folder
        self._turns = Turns(at_once)
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds
        _RUNNING.set_function(lambda: self._turns.taken)
        _MOST.set(at_once)
        self._opening = asyncio.Lock()
        self._by_key: dict[str, Export] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def most_bytes(self) -> int:
        """Maximum size of a file, in bytes."""
        return self._most_bytes

    async def close(self) -> None:
        """Cancel running exports."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def find(self, key: str | None) -> Export | None:
        """Return the export of that key if it exists or is being written. The caller must call `leave`."""
        if key is None:
            return None
        export = self._by_key.get(key)
        if export is None or export.readers <= 0:
            # an export without readers is being cancelled
            path = await asyncio.to_thread(self._folder.find, key)
            if path is None:
                return None
            try:
                file = path.open("rb")
            except FileNotFoundError:
                return None
            size = os.fstat(file.fileno()).st_size
            omitted = omitted_of(path)
            export = Export(streams=True, tag=tag_of(path), file=file, size=size, whole=True, omitted=omitted)
        export.readers += 1
        return export

    async def page(
        self,
        selection: Selection,
        options: GeometryOptions,
        format_: FileFormat,
        source: Source,
        client: str = "",
    ) -> Export:
        """Write a page, fetched already or read from its source, as a file. The caller must call `leave`.

        Raises Unavailable if all turns are taken, and errors of the source.
        """
        await self._turns.enter(client)
        making = await self._begin(format_, client)
        export = Export(streams=False, tag=None, readers=1)
        try:
            await self._write_file(source, job_of(format_, selection, options), making, export)
            export.whole = True
            return export
        finally:
            self._turns.leave(client)
            await self._end(making)

    async def _begin(self, format_: Format, client: str) -> Making:
        """Begin a file in a turn of the client; give the turn back if that fails."""
        beginning = asyncio.ensure_future(asyncio.to_thread(self._folder.begin, format_.name))
        try:
            return await asyncio.shield(beginning)
        except BaseException:
            self._turns.leave(client)
            # the request was cancelled, but the thread still creates the folder: delete it when the thread is done
            beginning.add_done_callback(self._end_begun)
            raise

    def _end_begun(self, beginning: asyncio.Future[Making]) -> None:
        if not beginning.cancelled() and beginning.exception() is None:
            self._folder.end(beginning.result())

    async def _end(self, making: Making) -> None:
        # shield it: cancelling the waiter would drop a job that the thread pool has not started
        ending = asyncio.get_running_loop().run_in_executor(None, self._folder.end, making)
        await asyncio.shield(ending)

    async def open(self, wanted: Wanted) -> Export:
        """Return the export, started now if there is none. The caller must call `leave`.

        Raises Unavailable if all turns are taken.
        """
        # a concurrent request for the same file follows this export
        async with self._opening:
            found = await self.find(wanted.key)
            if found is not None:
                return found
            if self._turns.enter_now(wanted.client):
                return await self._open(wanted)
        try:
            await self._turns.enter(wanted.client)
        except Unavailable:
            # another request may have started the same export
            found = await self.find(wanted.key)
            if found is None:
                raise
            return found
        is_kept = False
        try:
            async with self._opening:
                found = await self.find(wanted.key)
                if found is not None:
                    return found
                is_kept = True
                return await self._open(wanted)
        finally:
            if not is_kept:
                self._turns.leave(wanted.client)

    async def _open(self, wanted: Wanted) -> Export:
        """Begin the export in a turn of its client."""
        making = await self._begin(wanted.format_, wanted.client)
        tag = None if wanted.key is None else f'"{wanted.key}.{making.tag}"'
        export = Export(streams=isinstance(wanted.format_, FeatureFormat), tag=tag, readers=1)
        if wanted.key is not None:
            self._by_key[wanted.key] = export
        export.task = asyncio.create_task(self._make(wanted, making, export))
        self._tasks.add(export.task)
        export.task.add_done_callback(self._tasks.discard)
        return export

    def leave(self, export: Export, *, comes_again: bool = False) -> None:
        """Release the export. Without readers it is cancelled, unless this reader will return (`comes_again`)."""
        if comes_again and export.task is not None and not export.task.done():
            export.task.add_done_callback(partial(self._leave_made, export))
            return
        export.readers -= 1
        if export.readers > 0:
            return
        if export.task is not None and not export.task.done():
            export.task.cancel()
        elif export.file is not None:
            export.file.close()

    def _leave_made(self, export: Export, task: asyncio.Task[None]) -> None:
        # retrieve the exception, so that asyncio does not log it as unhandled
        _ = task.cancelled() or task.exception()
        self.leave(export)

    async def _make(self, wanted: Wanted, making: Making, export: Export) -> None:
        try:
            format_ = wanted.format_
            async with _limit(self._most_seconds), snapshot(self._database) as rows:
                # before anything is written: written bytes may already be sent
                query = await self._store.read_from(rows).exclude_failing(wanted.query)
                export.failing = query.selection.failing
                if isinstance(format_, FeatureFormat):
                    chunks = read_all(self._store, rows, query, format_.geometry_as)
                    await self._write_text(chunks, wanted, format_, making, export)
                else:
                    source = partial(read_all, self._store, rows, query, format_.geometry_as)
                    job = job_of(format_, query.selection, query.options)
                    await self._write_file(source, job, making, export)
            # do not cache an export with missing rows: later readers would not be informed
            if wanted.key is not None and wanted.is_current() and not export.failing:
                await asyncio.to_thread(self._folder.keep, making, wanted.key, export.omitted)
            export.whole = True
        finally:
            self._turns.leave(wanted.client)
            if wanted.key is not None and self._by_key.get(wanted.key) is export:
                del self._by_key[wanted.key]
            try:
                await self._end(making)
            finally:
                # the last reader may leave, and so cancel this task, while the task ends
                export.tell()
                if export.readers <= 0 and export.file is not None:
                    export.file.close()

    async def _write_text(
        self, chunks: Chunks, wanted: Wanted, format_: FeatureFormat, making: Making, export: Export
    ) -> None:
        file = export.file = FileIO(making.file, "w+")
        async with aclosing(_count_rows(chunks, export)) as counted:
            first = await anext(counted)
            head = wanted.mark + format_.head(wanted.query.selection.collection, first.layout, None, wanted.links)
            async for piece in format_.pieces(head, first, counted):
                try:
                    await asyncio.to_thread(_write, file, piece)
                except OSError as error:
                    _LOG.error("file not written", extra={"fields": {"cause": str(error)}})
                    raise Unavailable("The file could not be written; try again later.", retry_after=60) from None
                export.size += len(piece)
                self._check_size(export.size)
                export.tell()

    async def _write_file(self, source: Source, job: JobOf, making: Making, export: Export) -> None:
        def check_size(_: int) -> None:
            self._check_size(making.size())

        indexed, kinds, is_written = True, frozenset[str](), False
        while not is_written:
            export.rows = 0
            async with aclosing(
                _count_rows(_one_chunk(source) if isinstance(source, Rows) else source(), export)
            ) as counted:
                first = await anext(counted)
                told = with_kinds(job(first.layout, making.file, self._most_bytes, indexed), first, kinds)
                try:
                    export.omitted = await write_file(told, _prepend(first, counted), check_size)
                    is_written = True
                except NeedsNoIndexError:
                    # overwrite the part that was written
                    indexed = False
                except OtherKindsError as other:
                    kinds = other.kinds
                except TooLargeError:
                    self._check_size(self._most_bytes + 1)
                except WritingFailedError as error:
                    _LOG.error("file not written", extra={"fields": {"cause": error.cause}})
                    raise
        export.file = making.file.open("rb")
        export.size = os.fstat(export.file.fileno()).st_size

    def _check_size(self, size: int) -> None:
        if size > self._most_bytes:
            sentence = (
                f"filter: the export is larger than {self._most_bytes:,} bytes, the maximum of this server;"
                " request a part of it by filter, bbox, datetime or properties"
            )
            raise InvalidParameters([Fault(("query", "filter"), sentence)])


@asynccontextmanager
async def _limit(seconds: float) -> AsyncIterator[None]:
    """Limit the time of the block. Raises InvalidParameters after `seconds`."""
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        sentence = (
            f"filter: the export takes longer than the {seconds:.0f} s that one may take;"
            " request a part of it by filter, bbox, datetime or properties"
        )
        raise InvalidParameters([Fault(("query", "filter"), sentence)]) from None


def _write(file: FileIO, piece: bytes | memoryview) -> None:
    """Write the whole piece: on a nearly full disk the system first writes a part, then reports the error."""
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]


async def _count_rows(chunks: Chunks, export: Export) -> Chunks:
    async with aclosing(chunks):
        async for found in chunks:
            export.rows += len(found.rows)
            yield found


async def _prepend(first: Rows, rest: Chunks) -> Chunks:
    yield first
    async for rows in rest:
        yield rows


async def _one_chunk(rows: Rows) -> Chunks:
    yield rows
