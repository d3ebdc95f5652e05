"""Computes impacts after each change of the tables that they follow from."""

import asyncio
import time
from collections.abc import Callable

import asyncpg

from deploy.impact import zones
from deploy.impact.computing import compute, due, forget
from deploy.impact.exposure import Files
from deploy.impact.loading import load_exposure
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.store.connection import connected
from deploy.loader.store.lock import BusyError, hold_lock

POLL_SECONDS = 5.0
"""Time between two looks at the versions of the tables, in seconds."""
ROUND = 500
"""Events that are computed before the worker looks for newer ones."""
_FAILURE_SECONDS = 30.0

_VERSIONS = """
SELECT relation::regclass::text AS relation, version, token FROM dams.data_versions()
WHERE relation = ANY (SELECT to_regclass('hazard.' || name)::oid FROM unnest($1::text[]) name) ORDER BY relation
"""

Say = Callable[[str], None]


async def update(connection: asyncpg.Connection, say: Say) -> int:
    """Compute all due impacts, newest events first, and delete those of deleted events; return the number computed.

    Raise asyncpg.PostgresError.
    """
    begun = time.monotonic()
    events = await due(connection)
    if events:
        say(f"{len(events)} events to compute")
    done: set[tuple[str, str]] = set()
    while events:
        await compute(connection, events[:ROUND])
        done |= {(event["event_id"], event["digest"]) for event in events[:ROUND]}
        # events that arrived during the batch are newer than the rest, and go first
        events = [event for event in await due(connection) if (event["event_id"], event["digest"]) not in done]
    gone = await forget(connection)
    if done or gone:
        say(f"{len(done)} events computed, {gone} forgotten in {time.monotonic() - begun:.1f} s")
    return len(done)


async def load(connection: asyncpg.Connection, say: Say) -> None:
    """Load the packaged exposure data where they are not loaded; go on without them where no package is installed."""
    try:
        if await load_exposure(connection, Files.find()):
            say("exposure data loaded")
    except SourceMissingError as error:
        say(f"warning: {error}")


async def watch(url: str, say: Say) -> None:
    """Compute impacts until cancelled. Any number of processes may watch: one of them computes."""
    while True:
        try:
            async with connected(url, "impact") as connection, hold_lock(connection, "impact"):
                await load(connection, say)
                await _follow(connection, say)
        except BusyError:
            # another process computes: check again later
            pass
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
            say(f"error: {error}")
        await asyncio.sleep(_FAILURE_SECONDS)


async def _follow(connection: asyncpg.Connection, say: Say) -> None:
    """Compute after each change until the connection is lost."""
    seen: list[asyncpg.Record] | None = None
    while True:
        versions = await connection.fetch(_VERSIONS, list(zones.WATCHED))
        if versions != seen:
            await update(connection, say)
            seen = versions
        await asyncio.sleep(POLL_SECONDS)
