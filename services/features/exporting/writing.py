"""Run the process that writes a file, and send it rows."""

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
    """A feature has no geometry, and the index of the format cannot include it."""


class TooLargeError(Exception):
    """The file would exceed its maximum size."""


async def write_file(job: Job, chunks: AsyncIterator[Rows], come: Callable[[int], None]) -> int:
    """Write the file of a job; return the number of geometries left out. Calls `come` with the number of rows sent.

    Raises NeedsNoIndexError, OtherKindsError, TooLargeError, Unavailable if the process fails, and errors of the
    chunks.
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
            # GDAL's temporary files are counted and deleted with the folder
            env={**os.environ, "PYTHONPATH": str(_TOP), "CPL_TMPDIR": str(said.parent), "TMPDIR": str(said.parent)},
        )
    try:
        answer = await _feed(process, job, messages)
    finally:
        if process.returncode is None:
            process.kill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STOP_SECONDS):
                    await process.wait()
        if process.stdin is not None:
            process.stdin.close()
            # the exit status already reports why the pipe broke
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
    """The writing process failed; `cause` is its output."""

    def __init__(self, cause: str) -> None:
        super().__init__("The file could not be written; another format may do.", retry_after=60)
        self.cause = cause


async def _feed(process: asyncio.subprocess.Process, job: Job, messages: AsyncIterator[object]) -> bytes:
    assert process.stdin is not None  # noqa: S101 for the type checker: they are pipes
    assert process.stdout is not None  # noqa: S101
    # a failed process stops reading; its exit status gives the reason
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
