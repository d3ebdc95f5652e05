"""Files of real data, which are not in the repository, load twice, the second time unchanged."""

from __future__ import annotations

import os
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.source import Source
from deploy.loader.sources import scedc, usgs_csv
from tests.deploy.loader.conftest import Load

FILES = Path(os.environ.get("DAMS_HAZARD_FILES", Path(__file__).parents[4] / "shared" / "data" / "hazards"))


@pytest.mark.parametrize(
    ("source", "name", "counts"),
    [
        (usgs_csv.SOURCE, "eq_usgs_m5_2013_2023.csv.gz", (18_334, 0)),
        pytest.param(
            scedc.SOURCE,
            "eq_scedc_catalog.csv.gz",
            (760_887, 44_765),
            marks=[pytest.mark.slow, pytest.mark.timeout(1200)],
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Source) else None,
)
async def test_a_file_loads_twice(
    owner: asyncpg.Connection, run: Load, source: Source, name: str, counts: tuple[int, int]
) -> None:
    """`counts` are rows, and those without a magnitude, which the file writes as 0."""
    if not (FILES / name).is_file():
        pytest.skip(f"{FILES / name} is not there (DAMS_HAZARD_FILES says where)")
    rows, _ = counts
    first = await run(source, FILES / name)
    assert (first.findings.read, first.counts.inserted, first.findings.rejected) == (rows, rows, [])
    second = await run(source, FILES / name)
    assert (second.findings.read, second.counts.unchanged, second.counts.changed) == (rows, rows, 0)
    found = await owner.fetchrow(
        "SELECT count(*), count(*) FILTER (WHERE magnitude IS NULL) FROM hazard.hazard_eq_events"
    )
    assert tuple(found) == counts
