"""Runs the process that writes a file, and feeds it with rows."""

import asyncio
import contextlib
import os
import pickle
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import orjson

from libs.ogc.errors import Unavailable
from services.features.rows.layout import Rows
from services.features.writers.job import NO_PLACE, OTHER_KINDS, TOO_LARGE, Job
from services.features.writers.kinds import OtherKindsError

_TOP = Path(__file__).parents[3]
_STOP_SECONDS = 5.0


class NeedsNoIndexError(Exception):
    """A feature has no geometry, and the index of the format no room for such."""


class TooLargeError(Exception):
    """The file would have more bytes than it may."""


async def write_file(job: Job, chunks: AsyncIterator[Rows], come: Callable[[int], None]) -> int:
    """Writes the file of a job; the number of geometries that could not be given. `come` is told of rows as they go.

    Raises NeedsNoIndexError, OtherKindsError, TooLargeError, Unavailable where the process fails, and what the chunks
    raise.
    """

    async def messages() -> AsyncIterator[object]:
        async for found in chunks:
            yield [tuple(row[: job.width]) for row in found.rows]
            come(len(found.rows))

    return await run(job, messages())


async def run(job: Job, messages: AsyncIterator[object]) -> int:
    """Run the process of a job; return the number of geometries that could not be given.

    messages: what the writer of the job reads. Raise as `write_file` does.
    """
    said = Path(job.path).with_name("said")
    with said.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "services.features.writers"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
            # GDAL's own temporary files are a part of what is counted and taken away
            env={**os.environ, "PYTHONPATH": str(_TOP), "CPL_TMPDIR": str(said.parent), "TMPDIR": str(said.parent)},
        )
    try:
        answer = await _fed(process, job, messages)
    finally:
        if process.returncode is None:
            process.kill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await process.wait()
        if process.stdin is not None:
            process.stdin.close()
            # that it broke is known already
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await process.stdin.wait_closed()
    if process.returncode == NO_PLACE:
        raise NeedsNoIndexError
    if process.returncode == OTHER_KINDS:
        raise OtherKindsError(frozenset(orjson.loads(answer)))
    if process.returncode == TOO_LARGE:
        raise TooLargeError
    if process.returncode != 0:
        raise WritingFailedError(said.read_text(errors="replace")[-2000:])
    return int(orjson.loads(answer)["omitted"])


class WritingFailedError(Unavailable):
    """The process that writes has failed; `cause` is what it said."""

    def __init__(self, cause: str) -> None:
        super().__init__("The file could not be written; another format may do.", retry_after=60)
        self.cause = cause


async def _fed(process: asyncio.subprocess.Process, job: Job, messages: AsyncIterator[object]) -> bytes:
    assert process.stdin is not None  # noqa: S101 for the type checker: they are pipes
    assert process.stdout is not None  # noqa: S101
    # a process that has failed takes no more, and says why by its status
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(pickle.dumps(job))
        async for message in messages:
            process.stdin.write(pickle.dumps(message))
            await process.stdin.drain()
        process.stdin.write(pickle.dumps(None))
        await process.stdin.drain()
        process.stdin.close()
    answer = await process.stdout.read()
    await process.wait()
    return answer
