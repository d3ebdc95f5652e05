"""Real data on storms: every record is accounted for, and nothing changes when they are loaded again.

A selection of advisories is in the repository; the whole files are not, and what needs them is skipped without them.
"""

from __future__ import annotations

import gzip
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import numpy as np
import orjson
import pytest
import shapely
from shapely.geometry import shape

from deploy.database.demo.storms import TABLES
from deploy.loader.source import Document, Findings, Source
from deploy.loader.sources import gdacs_cyclones, hurdat2, nhc_advisories
from deploy.loader.sources.nhc_tables import read_tables
from deploy.loader.storms.advisories import active_advisories, advisory_zones
from tests.deploy.loader.conftest import Load
from tests.deploy.loader.test_hazard_files import FILES

DEMO = Path(__file__).parents[4] / "deploy" / "database" / "demo" / "advisories"
NHC = tuple(f"ts_nhc_{table}.csv.gz" for table in ("storms", "fstadv", "fcst", "fcst_wr", "wr"))
DERIVED = "ts_nhc_buffers_derived_2017_2019.geojson.gz"


def chosen(folder: Path, *storms: str, without: str = "\0") -> list[Path]:
    """The tables of the demo data with these storms alone, and without the rows that hold a text."""
    made = [folder / f"{table}.csv" for table in TABLES]
    for path in made:
        with gzip.open(DEMO / f"{path.name}.gz", "rt", encoding="utf-8") as file:
            lines = file.readlines()
        kept = [line for line in lines[1:] if any(storm in line for storm in storms) and without not in line]
        path.write_text("".join([lines[0], *kept]), encoding="utf-8")
    return made


def records(paths: list[Path]) -> dict[str, int]:
    """How many each of the tables holds."""
    return {path.stem: len(path.read_text(encoding="utf-8").splitlines()) - 1 for path in paths}


def given(*names: str) -> list[Path]:
    for name in names:
        if not (FILES / name).is_file():
            pytest.skip(f"{FILES / name} is not there (DAMS_HAZARD_FILES says where)")
    return [FILES / name for name in names]


@pytest.mark.parametrize(
    ("source", "names", "counts"),
    [
        (gdacs_cyclones.SOURCE, ("gdacs_cyclone_202605.geojson.gz",), (70, 0, 0)),
        pytest.param(
            hurdat2.SOURCE, ("ts_hurdat2_al_ep_1851_2019.csv.gz",), (80_888, 0, 14 + 65), marks=pytest.mark.slow
        ),
    ],
    ids=lambda value: value.name if isinstance(value, Source) else None,
)
async def test_files_load_twice(
    owner: asyncpg.Connection, run: Load, source: Source, names: tuple[str, ...], counts: tuple[int, int, int]
) -> None:
    """`counts` are records, those that came twice, and those that are rejected: of HURDAT2 14 without a number, 65
    without a longitude.
    """
    first = await run(source, *given(*names))
    found = first.findings
    assert (found.read, len(found.duplicates), len(found.rejected)) == counts
    assert first.counts.inserted
    second = await run(source, *given(*names))
    assert (second.counts.changed, second.findings.read) == (0, counts[0])
    if source is hurdat2.SOURCE:
        assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes") == 80_888 - 14 - 65


async def counted(owner: asyncpg.Connection, table: str, column: str) -> dict[str, int]:
    """Return the number of rows of a table of schema hazard, by the values of a column."""
    return dict(await owner.fetch(f"SELECT {column}, count(*) FROM hazard.{table} GROUP BY 1"))  # noqa: S608 - constants


async def test_tables_of_some_storms_load_twice(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    """Alvin and Barbara were under way when the data end, Joyce was over."""
    storms = ("AL102018", "EP012019", "EP022019")
    paths = chosen(tmp_path, *storms)
    has = records(paths)
    assert len(list(nhc_advisories.read(documents(paths), Findings()))) == 1, "a transaction for each storm takes long"
    first = await run(nhc_advisories.SOURCE, *paths)
    assert (first.findings.read, first.findings.rejected) == (sum(has.values()), [])
    twice = Counter(each.split()[0] for each in first.findings.duplicates)
    assert await counted(owner, "hazard_ts_advisory_nodes", "kind") == {
        "analysed": has["fstadv"] - twice["fstadv"],
        "forecast": has["fcst"] - twice["fcst"],
    }
    steps = "SELECT count(*) FROM hazard.hazard_ts_advisory_buffers WHERE scope = 'step'"
    assert await owner.fetchval(steps) == await owner.fetchval(
        "SELECT sum((greatest(0, ne34_nm, se34_nm, sw34_nm, nw34_nm) > 0)::int "
        "+ (greatest(0, ne50_nm, se50_nm, sw50_nm, nw50_nm) > 0)::int "
        "+ (greatest(0, ne64_nm, se64_nm, sw64_nm, nw64_nm) > 0)::int) FROM hazard.hazard_ts_advisory_nodes"
    )
    assert await counted(owner, "hazard_ts_events", "name") == {"Alvin": 1, "Barbara": 1}
    second = await run(nhc_advisories.SOURCE, *paths)
    assert (second.counts.changed, second.findings.read) == (0, first.findings.read)

    # Alvin's newest advisory is missing: his latest rows stay, while Barbara's are revised, in one transaction
    older = chosen(tmp_path, *storms, without="EP012019,16")
    for path in older:
        table = path.read_text(encoding="utf-8").replace(",-110.4,35,45,1006,", ",-110.4,40,50,1005,")
        path.write_text(
            "\n".join(line for line in table.split("\n") if "Alvin,16," not in line and "2019-06-29 15" not in line),
            encoding="utf-8",
        )
    await run(nhc_advisories.SOURCE, *older)
    expected = "SELECT name, max(wind_kt) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast' GROUP BY 1"
    assert dict(await owner.fetch(expected)) == {"Alvin": 20, "Barbara": 90}
    now = "SELECT wind_kt FROM hazard.hazard_ts_nodes WHERE kind = 'analysed' AND name = 'Barbara'"
    assert await owner.fetchval(now) == 40


@pytest.mark.slow
@pytest.mark.timeout(1200)
async def test_whole_tables_load_twice(owner: asyncpg.Connection, run: Load) -> None:
    paths = given(*NHC)
    first = await run(nhc_advisories.SOURCE, *paths)
    found = first.findings
    assert found.read == 723 + 14_502 + 81_570 + 97_463 + 22_031
    assert Counter((each.record.split()[0], each.reason) for each in found.rejected) == {
        ("fstadv", "no position"): 10,
        ("fcst", "expected for a time that is not within six days after the advisory"): 22,
        ("fcst_wr", "there is no position that the radii are of"): 7,
        ("wr", "there is no position that the radii are of"): 3,
    }
    assert Counter(each.split()[0] for each in found.duplicates) == {
        "fstadv": 32,
        "fcst": 202,
        "fcst_wr": 260,
        "wr": 61,
    }
    # every record is a row, or the radii of a wind in one, or one of the above
    assert await counted(owner, "hazard_ts_advisory_nodes", "kind") == {
        "analysed": 14_502 - 32 - 10,
        "forecast": 81_570 - 202 - 22,
    }
    winds = "num_nonnulls(ne34_nm) + num_nonnulls(ne50_nm) + num_nonnulls(ne64_nm)"
    radii = f"SELECT kind, sum({winds}) FROM hazard.hazard_ts_advisory_nodes GROUP BY 1"  # noqa: S608 - constants
    assert dict(await owner.fetch(radii)) == {"analysed": 22_031 - 61 - 3, "forecast": 97_463 - 260 - 7}
    assert await counted(owner, "hazard_ts_events", "name") == {"Alvin": 1, "Barbara": 1}
    second = await run(nhc_advisories.SOURCE, *paths)
    assert (second.counts.changed, second.findings.read) == (0, found.read)
    assert second.counts.unchanged == first.counts.inserted


def documents(paths: list[Path]) -> list[Document]:
    return [Document(each, each.name, datetime.now(UTC)) for each in paths]


def test_zones_of_advisories_are_those_that_others_derived(tmp_path: Path) -> None:
    """The zones are of forecast positions only, as in the file. Its areas are in the plane, ours geodesic."""
    (path,) = given(DERIVED)
    with gzip.open(path) as file:
        others = {
            (each["properties"]["event_id"], each["properties"]["advisory_time"], each["properties"]["wind_speed_kt"]):
            shape(each["geometry"])
            for each in orjson.loads(file.read())["features"]
        }  # fmt: skip
    advisories = read_tables(documents(chosen(tmp_path, "AL112017", "AL062018", "EP012019", "EP022019")), Findings())
    assert {(each.event_id, each.name) for each in active_advisories(advisories)} == {
        ("EP012019", "Alvin"),
        ("EP022019", "Barbara"),
    }
    large = [each._replace(analysed=None) for each in advisories if each.event_id.startswith("AL")]
    ratios = [
        zone.geom.area
        / shapely.area(others[zone.event_id, f"{zone.advisory_time:%Y-%m-%dT%H:%M:%SZ}", zone.wind_speed_kt])
        for zone in advisory_zones(large)
        if zone.scope == "whole"
    ]
    assert len(ratios) > 150
    assert np.abs(np.array(ratios) - 1).max() < 0.05
