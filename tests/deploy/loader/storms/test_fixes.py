"""Fixes of storms: numbers, basins, strengths, and how those of several agencies become one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from deploy.loader.records import storms as tables
from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import ibtracs
from deploy.loader.storms.atcf import basin_of, is_number, season_of
from deploy.loader.storms.best_tracks import BestTrack, Fix, best_tracks, category, twelve


@pytest.mark.parametrize(
    ("number", "longitude", "basin"),
    [
        ("AL112017", -60, "NA"), ("EP012018", -110, "EP"), ("CP012018", -160, "EP"), ("EP012018", 179, "WP"),
        ("EP012018", 0, "WP"), ("WP012018", 130, "WP"), ("WP012018", -179, "EP"), ("IO012018", 70, "NI"),
        ("SH012018", 60, "SI"), ("SH012018", 10, "SI"), ("SH012018", 9, "SP"), ("SH012018", 135, "SP"),
        ("SH012018", -170, "SP"), ("SL012004", -40, "SA"), ("LS012004", -40, "SA"),
    ],
)  # fmt: skip
def test_the_basin_of_a_number_may_depend_on_the_place(number: str, longitude: float, basin: str) -> None:
    assert (basin_of(number, longitude), season_of(number)) == (basin, int(number[-4:]))


@pytest.mark.parametrize(
    ("text", "known"), [("AL112017", True), ("al112017", False), ("XX112017", False), ("AL112017 ", False), ("", False)]
)
def test_what_a_number_is(text: str, known: bool) -> None:
    assert is_number(text) == known


def test_categories_begin_at_their_winds() -> None:
    winds = [None, 0, 33, 34, 63, 64, 82, 83, 95, 96, 112, 113, 136, 137, 185]
    names = [None, "TD", "TD", "TS", "TS", "C1", "C1", "C2", "C2", "C3", "C3", "C4", "C4", "C5", "C5"]
    assert [category(wind) for wind in winds] == names


def _fix(hour: int, wind: int | None = None, pressure: int | None = None, **more: Any) -> Fix:
    time = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    return Fix("A", 2020, "NA", time, -60.0, 15.0, wind, pressure, None, "x", **more)


@pytest.mark.parametrize(
    ("strengths", "peak"),
    [
        ([(10, 1000), (50, 990), (50, 900), (None, 890)], 1),
        ([(None, 1000), (None, 990), (None, 990)], 1),
        ([(None, None), (None, None), (None, None)], 1),
        ([(None, None)], 0),
    ],
)
def test_the_peak_is_the_first_of_the_strongest(strengths: list[tuple[int | None, int | None]], peak: int) -> None:
    track = BestTrack("A", [_fix(hour, *strength) for hour, strength in enumerate(strengths)])
    assert track.peak == track.fixes[peak]


def test_a_track_has_the_last_name_and_goes_on_beyond_the_antimeridian() -> None:
    fixes = [_fix(0, name="One"), _fix(1, name="Two"), _fix(2)]
    track = BestTrack("A", [fix._replace(longitude=x) for fix, x in zip(fixes, (179.0, -179.0, -177.0), strict=True)])
    assert (track.name, track.longitudes.tolist()) == ("Two", [179, 181, 183])
    assert (track.max_wind_kt, track.min_pressure_hpa) == (None, None)
    several = best_tracks([*fixes, fixes[0]._replace(event_id="B")])
    assert [(each.event_id, len(each.fixes)) for each in several] == [("A", 3), ("B", 1)]
    assert twelve(range(12)) == tuple(range(12))
    with pytest.raises(ValueError, match="unpack"):
        twelve(range(11))


WMO = """track_id,season,basin,time,lon,lat,wind,slp
2020A,2020,NA,2020-01-01 00:00:00,300,15,30,1000
2020A,2020,NA,2020-01-01 06:00:00,301,15,,
2020A,2020,NA,2020-01-01 12:00:00,302,15,,
"""
JTWC = """track_id,season,basin,time,lon,lat,wind,slp,status
2020A,2020,NA,2020-01-01 00:00:00,300,15,35,1001,TS
2020A,2020,NA,2020-01-01 06:00:00,301,15,40.4,999,TS
2020A,2020,NA,2020-01-01 18:00:00,303,15,45,998,HU
"""


@dataclass
class Packaged:
    nodes: list[Any]
    findings: Findings


def _packaged(folder: Path, **files: str) -> Packaged:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    documents = [Document(folder / f"{name}.csv", name, datetime.now(UTC)) for name in files]
    findings = Findings()
    batches = list(ibtracs.SOURCE.read(documents, findings))
    return Packaged([row for batch in batches for of, row in batch.rows if of is tables.NODES], findings)


def test_files_of_two_agencies_are_one_track(tmp_path: Path) -> None:
    both = _packaged(tmp_path, wmo=WMO, jtwc=JTWC)
    assert both.findings.read == 3
    assert [(node.wind_kt, node.regional_wind_kt, node.status, node.geom.x) for node in both.nodes] == [
        (35, 30, "TS", -60),
        (40, None, "TS", -59),
        # the regional agency has no wind here, and the wind of another agency does not replace it
        (None, None, None, -58),
    ]
    assert {node.wind_minutes for node in both.nodes} == {1, None}


@pytest.mark.parametrize(("file", "winds"), [("wmo", [30, None, None]), ("jtwc", [35, 40, 45])])
def test_either_file_is_a_track_by_itself(tmp_path: Path, file: str, winds: list[int | None]) -> None:
    alone = _packaged(tmp_path, **{file: {"wmo": WMO, "jtwc": JTWC}[file]})
    assert [node.wind_kt for node in alone.nodes] == winds


def test_other_columns_are_not_ibtracs(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="is not IBTrACS"):
        _packaged(tmp_path, other="a,b\n1,2\n")


def test_three_years_are_asked_for_unless_older_storms_are_wanted() -> None:
    now = datetime.now(UTC)
    asked = [
        list(ibtracs.SOURCE.addresses(since)) for since in (None, now - timedelta(days=90), now - timedelta(days=2000))
    ]
    assert [[name.split(".")[-4] for name in addresses] for addresses in asked] == [
        ["last3years"],
        ["last3years"],
        ["ALL"],
    ]
