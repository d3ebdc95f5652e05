"""Exports of this process: which are made, who follows them, how many there may be."""

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
from services.features.exporting.folder import ExportFolder, Making, tag_of
from services.features.exporting.layer import JobOf, job_of, with_kinds
from services.features.exporting.turns import Turns
from services.features.exporting.writing import NeedsNoIndexError, TooLargeError, WritingFailedError, write_file
from services.features.formats.format import FeatureFormat, FileFormat, Format, PageLinks
from services.features.formats.pieces import pieces
from services.features.request.geometry_options import GeometryOptions
from services.features.request.items_query import ItemsQuery
from services.features.rows.items_store import ItemsStore
from services.features.rows.layout import Rows
from services.features.rows.whole import whole
from services.features.writers.kinds import OtherKindsError

_LOG = logging.getLogger("dams.features")
_RUNNING = Gauge("dams_exports_running", "Files that are made at present")
_MOST = Gauge("dams_exports_limit", "Files that may be made at the same time")
Chunks = AsyncGenerator[Rows]
Source = Callable[[], Chunks]
"""Gives the rows, from the first on each time."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An export that somebody asks for."""

    query: ItemsQuery
    format_: FeatureFormat | FileFormat
    links: PageLinks
    mark: bytes
    key: str | None
    """Of all that decides its content; None where nobody can tell when that changes."""
    is_current: Callable[[], bool] = lambda: True
    """Whether the data are still those that the key names."""
    client: str = ""
    """Address of the client that the file is made for."""


@dataclass(eq=False, slots=True)
class Export:
    """A file that is there or is made; who follows it reads what is written."""

    streams: bool
    """Whether what is written so far is the beginning of the file, and may be read."""
    tag: str | None
    file: IO[bytes] | None = None
    size: int = 0
    """Bytes that may be read so far."""
    whole: bool = False
    rows: int = 0
    """Written so far."""
    omitted: int = 0
    """Geometries that could not be given, once it is whole."""
    failing: int = 0
    """Rows that are left out, as the conditions fail on them."""
    readers: int = 0
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self) -> None:
        """More can be read."""
        self._changed.set()

    async def wait(self, size: int, seconds: float | None = None) -> bool:
        """Whether more than `size` bytes can be read, or it is whole; waits for it, for so many seconds at the most.

        Raises what its making raised.
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

    async def finished(self, seconds: float) -> bool:
        """Whether it is whole after so many seconds at the most. Raises what its making raised."""
        if self.task is not None:
            await asyncio.wait([self.task], timeout=seconds)
            if self.task.done():
                self.task.result()
        return self.whole

    async def read(self, start: int, number: int) -> bytes:
        """So many bytes from there on, or fewer; none where no more can be read yet."""
        number = min(number, self.size - start)
        if self.file is None or number <= 0:
            return b""
        return await asyncio.to_thread(os.pread, self.file.fileno(), number, start)


class Exports:
    """Makes files of rows, `at_once` at a time, each of at most `most_bytes`, in at most `most_seconds`.

    They are kept in `folder`.
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
        """Maximum size of a file."""
        return self._most_bytes

    async def close(self) -> None:
        """Gives up what is made."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def find(self, key: str | None) -> Export | None:
        """The export of that key, if it is there or is made; to be left."""
        if key is None:
            return None
        export = self._by_key.get(key)
        if export is None or export.readers <= 0:
            # one that nobody follows is given up
            path = await asyncio.to_thread(self._folder.find, key)
            if path is None:
                return None
            try:
                file = path.open("rb")
            except FileNotFoundError:
                return None
            export = Export(streams=True, tag=tag_of(path), file=file, size=os.fstat(file.fileno()).st_size, whole=True)
        export.readers += 1
        return export

    async def page(
        self, selection: Selection, options: GeometryOptions, format_: FileFormat, source: Source, client: str = ""
    ) -> Export:
        """A page as a file; to be left. Raises Unavailable where others are made, and what the source raises."""
        await self._turns.enter(client)
        making = await self._begin(format_, client)
        export = Export(streams=False, tag=None, readers=1)
        try:
            await self._write_file(source, job_of(format_, selection, options), making, export)
            return export
        finally:
            self._turns.leave(client)
            await self._end(making)

    async def _begin(self, format_: Format, client: str) -> Making:
        """Begin a file in a turn of the client, which ends where that fails."""
        beginning = asyncio.ensure_future(asyncio.to_thread(self._folder.begin, format_.name))
        try:
            return await asyncio.shield(beginning)
        except BaseException:
            self._turns.leave(client)
            # who asked has left: the thread makes the folder nevertheless
            beginning.add_done_callback(self._end_begun)
            raise

    def _end_begun(self, beginning: asyncio.Future[Making]) -> None:
        if not beginning.cancelled() and beginning.exception() is None:
            self._folder.end(beginning.result())

    async def _end(self, making: Making) -> None:
        # a thread that has not begun would never do so once who waits for it is cancelled
        ending = asyncio.get_running_loop().run_in_executor(None, self._folder.end, making)
        await asyncio.shield(ending)

    async def open(self, wanted: Wanted) -> Export:
        """The export, which is made now if it is not there; to be left. Raises Unavailable where others are made."""
        # who asks for the same meanwhile follows this one
        async with self._opening:
            found = await self.find(wanted.key)
            if found is not None:
                return found
            if self._turns.enter_now(wanted.client):
                return await self._open(wanted)
        try:
            await self._turns.enter(wanted.client)
        except Unavailable:
            # another may have begun the same
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
        """To be followed no more. What nobody follows is not made to its end, unless who leaves comes again for it."""
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
        # what it raised concerns nobody, and asyncio would tell of it
        _ = task.cancelled() or task.exception()
        self.leave(export)

    async def _make(self, wanted: Wanted, making: Making, export: Export) -> None:
        try:
            format_ = wanted.format_
            async with _limit(self._most_seconds), snapshot(self._database) as rows:
                # before anything is written, for it may be sent already
                query = await self._store.within(rows).tried(wanted.query)
                export.failing = query.selection.failing
                if isinstance(format_, FeatureFormat):
                    chunks = whole(self._store, rows, query, format_.geometry_as)
                    await self._write_text(chunks, wanted, format_, making, export)
                else:
                    source = partial(whole, self._store, rows, query, format_.geometry_as)
                    job = job_of(format_, query.selection, query.options)
                    await self._write_file(source, job, making, export)
            # one that lacks rows is kept for nobody, who would not be told
            if wanted.key is not None and wanted.is_current() and not export.failing:
                await asyncio.to_thread(self._folder.keep, making, wanted.key)
            export.whole = True
        finally:
            self._turns.leave(wanted.client)
            if wanted.key is not None and self._by_key.get(wanted.key) is export:
                del self._by_key[wanted.key]
            try:
                await self._end(making)
            finally:
                # the last reader may leave, which cancels this task, while it ends
                export.tell()
                if export.readers <= 0 and export.file is not None:
                    export.file.close()

    async def _write_text(
        self, chunks: Chunks, wanted: Wanted, format_: FeatureFormat, making: Making, export: Export
    ) -> None:
        file = export.file = FileIO(making.file, "w+")
        async with aclosing(_counted(chunks, export)) as counted:
            first = await anext(counted)
            head = wanted.mark + format_.head(wanted.query.selection.collection, first.layout, None, wanted.links)
            async for piece in pieces(format_, head, first, counted):
                try:
                    await asyncio.to_thread(_write, file, piece)
                except OSError as error:
                    _LOG.error("file not written", extra={"fields": {"cause": str(error)}})
                    raise Unavailable("The file could not be written; try again later.", retry_after=60) from None
                export.size += len(piece)
                self._check_size(export.size)
                export.tell()

    async def _write_file(self, source: Source, job: JobOf, making: Making, export: Export) -> None:
        def come(_: int) -> None:
            self._check_size(making.size())

        indexed, kinds, is_written = True, frozenset[str](), False
        while not is_written:
            export.rows = 0
            async with aclosing(_counted(source(), export)) as counted:
                first = await anext(counted)
                told = with_kinds(job(first.layout, making.file, self._most_bytes, indexed), first, kinds)
                try:
                    export.omitted = await write_file(told, _again(first, counted), come)
                    is_written = True
                except NeedsNoIndexError:
                    # write over the part that is there
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
                f"filter: the export is larger than the {self._most_bytes // 1_000_000} MB that one may have;"
                " ask for a part of it by filter, bbox, datetime or properties"
            )
            raise InvalidParameters([Fault(("query", "filter"), sentence)])


@asynccontextmanager
async def _limit(seconds: float) -> AsyncIterator[None]:
    """Bound what is in the block. Raises InvalidParameters after that time."""
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
    """All of the piece: of a disk that is nearly full the system takes what there is room for, and says so."""
    rest = memoryview(piece)
    while rest:
        rest = rest[file.write(rest) :]


async def _counted(chunks: Chunks, export: Export) -> Chunks:
    async with aclosing(chunks):
        async for found in chunks:
            export.rows += len(found.rows)
            yield found


async def _again(first: Rows, rest: Chunks) -> Chunks:
    yield first
    async for rows in rest:
        yield rows


async def one_chunk(rows: Rows) -> Chunks:
    """What is there already, as a source of a page."""
    yield rows
