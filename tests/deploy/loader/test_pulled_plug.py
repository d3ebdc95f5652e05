"""A loader that is killed at any moment leaves whole batches, and readers see none in between."""

from __future__ import annotations

import asyncio
import csv
import os
import random
import sys
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.sources import scedc
from tests.deploy.loader.conftest import Load
from tests.eventually import eventually

REPOSITORY = Path(__file__).parents[3]
_HELD = (
    "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database "
    "WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND d.datname = current_database()"
)
BATCH, BATCHES = 25_000, 2
COLUMNS = ("event_id", "time", "event_type", "geo_type", "magnitude", "mag_type", "latitude", "longitude", "depth_km")


def catalogue(path: Path, magnitude: float, rows: int = BATCH * BATCHES) -> Path:
    """Events along a line, all of one magnitude, so that a batch is all of one revision or another."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for number in range(rows):
            time = f"2020-01-01T{number // 3600 % 24:02}:{number // 60 % 60:02}:{number % 60:02}Z"
            writer.writerow((number, time, "eq", "l", magnitude, "l", 32 + number / rows, -118, 5))
    return path


async def mixtures(reader: asyncpg.Connection) -> int:
    """How many batches are of two revisions, or half there."""
    found = await reader.fetch(
        "SELECT event_id::integer / $1 AS batch, count(*) AS rows, count(DISTINCT magnitude) AS revisions "
        "FROM hazard.hazard_eq_events GROUP BY 1",
        BATCH,
    )
    return sum(row["rows"] != BATCH or row["revisions"] != 1 for row in found)


@pytest.mark.parametrize("moments", [2, pytest.param(50, marks=[pytest.mark.slow, pytest.mark.timeout(1200)])])
async def test_the_plug_may_be_pulled_at_any_moment(
    owner: asyncpg.Connection, loader_url: str, run: Load, tmp_path: Path, moments: int
) -> None:
    files = [catalogue(tmp_path / f"{number}.csv", 1 + number) for number in range(2)]
    await run(scedc.SOURCE, files[0])

    async def is_free() -> bool:
        return not await owner.fetchval(_HELD)

    chance = random.Random(15)  # noqa: S311 - moments, no secrets
    for moment in range(moments):
        loader = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "deploy.loader", "scedc-catalogue", "--from", str(files[(moment + 1) % 2])),
            cwd=REPOSITORY,
            env=os.environ | {"DAMS_DATABASE_LOADER_URL": loader_url},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        # from the first statement on: the time before does not matter
        while await is_free():
            assert loader.returncode is None
            await asyncio.sleep(0.02)
        killed_after = chance.uniform(0, 2)
        while killed_after > 0 and loader.returncode is None:
            begun = asyncio.get_running_loop().time()
            assert await mixtures(owner) == 0
            await asyncio.sleep(0.02)
            killed_after -= asyncio.get_running_loop().time() - begun
        if loader.returncode is None:
            loader.kill()
        await loader.wait()
        assert await mixtures(owner) == 0
        # the lock goes with the connection
        await eventually(is_free)
    last = await run(scedc.SOURCE, files[1])
    assert last.counts.unchanged + last.counts.updated == BATCH * BATCHES
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events WHERE magnitude <> 2") == 0
