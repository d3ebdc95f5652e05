"""Computes impacts after each change of the tables that they follow from."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack

import asyncpg

from deploy.impact import zones
from deploy.impact.computing import compute, due, forget
from deploy.impact.configured import describe, load_configured
from deploy.impact.documents import POPULATION
from deploy.impact.exposure import Files
from deploy.impact.loading import load_exposure
from deploy.impact.population import PopulationRaster, RasterError, open_raster
from deploy.impact.settings import read_config
from deploy.loader.places.packaged import SourceMissingError
from deploy.loader.store.connection import connect
from deploy.loader.store.lock import BusyError, hold_lock
from libs.catalogue.exposure import ExposureConfig
from libs.web.settings import SettingsError

POLL_SECONDS = 5.0
"""Time between two looks at the versions of the tables, in seconds."""
ROUND = 500
"""Events that are computed before the worker looks for newer ones."""
_FAILURE_SECONDS = 30.0
_AGAIN_SECONDS = 600.0
"""Time after which the worker looks for changes of files and of configured tables, and retries failed events."""
_BEAT_SECONDS = 60.0
_PEOPLE = "People in the cells of the raster, those at the edge by the part that lies in the zone"

_VERSIONS = """
SELECT relation::regclass::text AS relation, version, token FROM dams.data_versions()
WHERE relation = ANY (SELECT to_regclass('hazard.' || name)::oid FROM unnest($1::text[]) name) ORDER BY relation
"""

Say = Callable[[str], None]


async def update(connection: asyncpg.Connection, say: Say) -> int:
    """Load changed exposure data, compute all due impacts, newest events first, and delete those of deleted events.

    Return the number computed. Raise asyncpg.PostgresError, SettingsError.
    """
    begun = time.monotonic()
    config = read_config()
    with ExitStack() as files:
        raster = await _load(connection, config, files, say)
        events = await due(connection)
        if events:
            say(f"{len(events)} events to compute")
        done: set[tuple[str, str]] = set()
        while events:
            await compute(connection, events[:ROUND], say, raster)
            done |= {(event["event_id"], event["digest"]) for event in events[:ROUND]}
            # events that arrived during the batch are newer than the rest, and go first
            events = [event for event in await due(connection) if (event["event_id"], event["digest"]) not in done]
    gone = await forget(connection)
    await connection.execute(zones.SEEN, None)
    if done or gone:
        say(f"{len(done)} events computed, {gone} forgotten in {time.monotonic() - begun:.1f} s")
    return len(done)


async def _load(
    connection: asyncpg.Connection, config: ExposureConfig, files: ExitStack, say: Say
) -> PopulationRaster | None:
    """Load packaged and configured exposure data where they are not loaded; return the open raster.

    Faults are reported, and named in the tables.
    """
    is_new = False
    try:
        is_new = await load_exposure(connection, Files.find())
        if is_new:
            say("exposure data loaded")
    except SourceMissingError as error:
        say(f"warning: {error}")
    problems = await load_configured(connection, config, all_units=is_new)
    raster = None
    if config.population is not None:
        try:
            raster = files.enter_context(open_raster(config.population))
            await describe(
                connection,
                POPULATION,
                config.population,
                counts=_PEOPLE,
                quality="estimate",
                rows=raster.cells,
                fingerprint=raster.fingerprint,
            )
        except RasterError as error:
            problems[POPULATION] = (
                f"The population raster {config.population.title} cannot be used, as {error}. The figures count listed "
                "places instead."
            )
    if raster is None:
        await connection.execute("DELETE FROM exposure.dataset WHERE dataset = $1", POPULATION)
    for problem in problems.values():
        say(f"warning: {problem}")
    async with connection.transaction():
        await connection.execute("DELETE FROM exposure.problem")
        await connection.executemany(
            "INSERT INTO exposure.problem (dataset, problem) VALUES ($1, $2)", problems.items()
        )
    return raster


async def watch(url: str, say: Say) -> None:
    """Compute impacts until cancelled. Any number of processes may watch: one of them computes."""
    while True:
        try:
            async with connect(url, "impact") as connection, hold_lock(connection, "impact"):
                try:
                    await _follow(connection, say)
                except Exception as error:
                    if not connection.is_closed():
                        await connection.execute(zones.SEEN, f"{type(error).__name__}: {error}")
                    raise
        except BusyError:
            # another process computes: check again later
            pass
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, SettingsError) as error:
            say(f"error: {error}")
        await asyncio.sleep(_FAILURE_SECONDS)


async def _follow(connection: asyncpg.Connection, say: Say) -> None:
    """Compute after each change until the connection is lost; at intervals also without, for files and other tables."""
    seen: list[asyncpg.Record] | None = None
    at = beat = 0.0
    while True:
        versions, now = await connection.fetch(_VERSIONS, list(zones.WATCHED)), time.monotonic()
        if versions != seen or now - at > _AGAIN_SECONDS:
            await update(connection, say)
            seen, at, beat = versions, now, time.monotonic()
        elif now - beat > _BEAT_SECONDS:
            await connection.execute(zones.SEEN, None)
            beat = now
        await asyncio.sleep(POLL_SECONDS)
