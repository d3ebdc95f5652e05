"""Files of real floods and alerts, which are not in the repository, load twice, the second time unchanged."""

from __future__ import annotations

from typing import NamedTuple

import asyncpg
import pytest

from deploy.loader.source import Source
from deploy.loader.sources import dfo_floods, gdacs_earthquakes, gdacs_floods, mom_alerts
from tests.deploy.loader.conftest import Load
from tests.deploy.loader.test_hazard_files import FILES

COUNT = "SELECT count(*), bool_and(ST_IsValid(geom)) FROM hazard.{}"


class Known(NamedTuple):
    """The contents of a source's files: numbers of records, repaired records, duplicates, and rows by table."""

    source: Source
    names: tuple[str, ...]
    noticed: tuple[int, int, int]
    tables: dict[str, int]


_KNOWN = (
    Known(gdacs_earthquakes.SOURCE, ("gdacs_earthquake_202605.geojson.gz",), (2, 0, 0), {"hazard_eq_events": 2}),
    Known(
        gdacs_floods.SOURCE,
        ("gdacs_flood_202605.geojson.gz",),
        (6, 3, 0),
        {"hazard_fl_events": 6, "hazard_fl_alerts": 6},
    ),
    Known(dfo_floods.SOURCE, ("fl_dfo_floods_1985_2019.geojson.gz",), (4825, 156, 1), {"hazard_fl_events": 4824}),
    Known(
        mom_alerts.SOURCE,
        ("fl_mom_watersheds.geojson.gz", "fl_mom_alerts.csv.gz"),
        (43_194, 18, 0),
        {"hazard_fl_alerts_mom_runs": 43_194, "hazard_fl_alerts_mom_forecast": 526},
    ),
)


@pytest.mark.parametrize("known", _KNOWN, ids=lambda known: known.source.name)
async def test_a_file_loads_twice(owner: asyncpg.Connection, run: Load, known: Known) -> None:
    if missing := [name for name in known.names if not (FILES / name).is_file()]:
        pytest.skip(f"{FILES / missing[0]} is not there (DAMS_HAZARD_FILES says where)")
    files = [FILES / name for name in known.names]
    first = await run(known.source, *files)
    found = first.findings
    assert (found.read, len(found.repaired), len(found.duplicates), found.rejected) == (*known.noticed, [])
    assert first.counts.inserted == sum(known.tables.values())
    for table, rows in known.tables.items():
        assert tuple(await owner.fetchrow(COUNT.format(table))) == (rows, True)
    second = await run(known.source, *files)
    assert (second.counts.changed, second.counts.unchanged) == (0, sum(known.tables.values()))
