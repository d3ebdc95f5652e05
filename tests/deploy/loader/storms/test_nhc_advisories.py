"""Advisories of the NHC as text and as tables, and what becomes of them in the tables of the database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import hurdat2, nhc_advisories
from deploy.loader.sources.nhc_text import read_text
from deploy.loader.storms.advisories import (
    Advisory,
    advisory_nodes,
    advisory_tracks,
    advisory_zones,
    forecast_nodes,
    forecast_zones,
)
from tests.deploy.loader.conftest import Load
from tests.deploy.loader.storms.test_best_tracks import HURDAT2

IRMA = """
000
WTNT21 KNHC 060854
TCMAT1

HURRICANE IRMA FORECAST/ADVISORY NUMBER  29
NWS NATIONAL HURRICANE CENTER MIAMI FL       AL112017
0900 UTC WED SEP 06 2017

HURRICANE CENTER LOCATED NEAR 18.1N  63.3W AT 06/0900Z
POSITION ACCURATE WITHIN  10 NM

PRESENT MOVEMENT TOWARD THE WEST-NORTHWEST OR 285 DEGREES AT  14 KT

ESTIMATED MINIMUM CENTRAL PRESSURE  914 MB
EYE DIAMETER  25 NM
MAX SUSTAINED WINDS 160 KT WITH GUSTS TO 195 KT.
64 KT....... 45NE  30SE  25SW  45NW.
50 KT....... 80NE  60SE  45SW  80NW.
34 KT.......160NE 120SE  80SW 140NW.
12 FT SEAS..360NE 180SE 150SW 240NW.
WINDS AND SEAS VARY GREATLY IN EACH QUADRANT.  RADII IN NAUTICAL
MILES ARE THE LARGEST RADII EXPECTED ANYWHERE IN THAT QUADRANT.

REPEAT...CENTER LOCATED NEAR 18.1N  63.3W AT 06/0900Z
AT 06/0600Z CENTER WAS LOCATED NEAR 17.9N  62.6W

FORECAST VALID 06/1800Z 18.7N  65.2W
MAX WIND 160 KT...GUSTS 195 KT.
64 KT... 45NE  35SE  30SW  45NW.
50 KT... 80NE  60SE  50SW  80NW.
34 KT...160NE 120SE  80SW 140NW.

EXTENDED OUTLOOK. NOTE...ERRORS FOR TRACK HAVE AVERAGED NEAR 175 NM
ON DAY 4 AND 225 NM ON DAY 5...AND FOR INTENSITY NEAR 15 KT EACH DAY

OUTLOOK VALID 10/0600Z 24.3N  80.0W
MAX WIND 130 KT...GUSTS 160 KT.

OUTLOOK VALID 11/0600Z 27.4N  80.9W...POST-TROP/EXTRATROP
MAX WIND 105 KT...GUSTS 130 KT.

FORECAST VALID 12/0600Z...DISSIPATED

REQUEST FOR 3 HOURLY SHIP REPORTS WITHIN 300 MILES OF 18.1N  63.3W

NEXT ADVISORY AT 06/1500Z

$$
FORECASTER BLAKE
"""


def text_of(folder: Path, text: str = IRMA, name: str = "tcm.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_text_has_position_radii_and_what_is_expected() -> None:
    advisory = read_text(IRMA, "tcm.txt")
    assert (advisory.event_id, advisory.name, advisory.number, advisory.final) == ("AL112017", "Irma", 29, False)
    assert advisory.time == datetime(2017, 9, 6, 9, tzinfo=UTC)
    now = advisory.analysed
    assert now is not None
    assert (now.longitude, now.latitude, now.wind_kt, now.gust_kt, now.pressure_hpa) == (-63.3, 18.1, 160, 195, 914)
    assert now.radii == (160, 120, 80, 140, 80, 60, 45, 80, 45, 30, 25, 45)
    assert [(fix.time.day, fix.time.hour, fix.longitude, fix.wind_kt) for fix in advisory.forecast] == [
        (6, 18, -65.2, 160),
        (10, 6, -80.0, 130),
        (11, 6, -80.9, 105),
    ]
    assert advisory.forecast[0].radii[:4] == (160, 120, 80, 140)
    assert advisory.forecast[1].radii == (None,) * 12
    assert advisory.forecast[2].status == "Extratropical"


def test_the_forecast_of_a_storm_is_what_lies_ahead_of_its_advisory() -> None:
    advisory = read_text(IRMA, "tcm.txt")
    assert {(zone.kind, zone.wind_speed_kt) for zone in forecast_zones([advisory])} == {
        ("forecast", wind) for wind in (34, 50, 64)
    }
    assert [node.valid_time.day for node in forecast_nodes([advisory])] == [6, 10, 11]


@pytest.mark.parametrize("rows", [advisory_nodes, advisory_tracks, advisory_zones])
def test_advisory_without_position_has_no_rows(
    rows: Callable[[list[Advisory]], Iterator[object]],
) -> None:
    told = read_text(IRMA, "tcm.txt")
    silent = told._replace(event_id="AL122017", analysed=None, forecast=[])
    found = list(rows([told]))
    assert found
    assert list(rows([silent, told])) == list(rows([told, silent])) == found


def test_pages_months_ends_and_eastern_longitudes_are_understood() -> None:
    page = f"<html><pre>{IRMA}</pre></html>".replace("0900 UTC WED SEP 06 2017", "2100 UTC SUN DEC 31 2017")
    page = page.replace("06/0900Z", "31/2100Z").replace("06/1800Z", "01/0600Z").replace("65.2W", "179.5E")
    page += "THIS IS THE LAST FORECAST/ADVISORY ISSUED BY THE NATIONAL HURRICANE CENTER"
    advisory = read_text(page, "page")
    assert advisory.forecast[0].time == datetime(2018, 1, 1, 6, tzinfo=UTC)
    assert (advisory.forecast[0].longitude, advisory.forecast[0].basin) == (179.5, "NA")
    assert advisory.final


@pytest.mark.parametrize("gone", ["HURRICANE IRMA", "AL112017", "0900 UTC", "HURRICANE CENTER LOCATED"])
def test_what_lacks_something_is_no_advisory(gone: str, tmp_path: Path) -> None:
    document = Document(text_of(tmp_path, IRMA.replace(gone, "?")), "here", datetime.now(UTC))
    with pytest.raises(DocumentError, match="here"):
        list(nhc_advisories.read([document], Findings()))


async def test_an_advisory_is_kept_and_the_newest_is_the_forecast(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    first = text_of(tmp_path)
    later = IRMA.replace("NUMBER  29", "NUMBER  30").replace("0900 UTC WED", "1500 UTC WED").replace("65.2W", "66.0W")
    second = text_of(tmp_path, later.replace("06/0900Z", "06/1500Z"), "later.txt")
    for given in (second, first):
        # the older one is loaded last: the latest advisory stays
        await run(nhc_advisories.SOURCE, given)
    kept = await owner.fetch(
        "SELECT advisory, advisory_time, previous_advisory_time AS before, next_advisory_time AS after "
        "FROM hazard.hazard_ts_advisory_tracks ORDER BY advisory"
    )
    assert [(row["advisory"], row["before"], row["after"]) for row in kept] == [
        (29, None, kept[1]["advisory_time"]),
        (30, kept[0]["advisory_time"], None),
    ]
    latest = "SELECT advisory, count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast' GROUP BY 1"
    assert [tuple(row) for row in await owner.fetch(latest)] == [(30, 3)]
    scopes = "SELECT scope, kind, count(*) FROM hazard.hazard_ts_advisory_buffers GROUP BY 1, 2 ORDER BY 1, 2"
    assert [tuple(row) for row in await owner.fetch(scopes)] == [
        ("step", "analysed", 6),
        ("step", "forecast", 6),
        ("whole", "forecast", 6),
    ]
    struck = await owner.fetchrow(
        "SELECT population_in_places, largest_places FROM hazard.hazard_ts_advisory_buffers "
        "WHERE scope = 'step' AND kind = 'analysed' AND wind_speed_kt = 34 AND advisory = 29"
    )
    assert 100_000 < struck["population_in_places"] < 1_000_000
    assert struck["largest_places"] == "Fajardo, Saint John’s, Charlotte Amalie"
    # each of them alone is the event, too, and together they are its life
    found = await owner.fetchrow(
        "SELECT event_id, name, max_wind_kt, start_date, end_date FROM hazard.hazard_ts_events"
    )
    assert tuple(found) == ("AL112017", "Irma", 160, kept[0]["advisory_time"], kept[1]["advisory_time"])
    again = await run(nhc_advisories.SOURCE, second)
    assert (again.counts.changed, again.findings.rejected) == (0, [])
    # a provisional best track keeps the forecasts after its end; one that is days behind changes nothing
    await run(hurdat2.SOURCE, text_of(tmp_path, HURDAT2, "hurdat2.txt"))
    assert [tuple(row) for row in await owner.fetch(latest)] == [(30, 3)]
    assert await owner.fetchval("SELECT source FROM hazard.hazard_ts_events WHERE name = 'Irma'") == "HURDAT2"
    behind = HURDAT2.replace("IRMA,      3", "IRMA,      2").replace("20170906, 0545", "#")
    behind = "\n".join(line for line in behind.split("\n") if not line.startswith("#"))
    days_behind = (await run(hurdat2.SOURCE, text_of(tmp_path, behind, "behind.txt"))).counts
    assert (days_behind.changed, days_behind.older) == (0, 6), "an event, a track, two zones and two positions of Irma"
    last = text_of(tmp_path, f"{later}\nTHIS IS THE LAST FORECAST/ADVISORY ISSUED", "last.txt")
    await run(nhc_advisories.SOURCE, last)
    assert await owner.fetch(latest) == [], "nobody expects anything of a storm that has ended"
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_advisory_tracks") == 2

    # a best track knows more of a storm than an old advisory of it, which is kept for itself
    await owner.execute("UPDATE hazard.hazard_ts_events SET end_date = end_date + interval '1 day', source = 'HURDAT2'")
    await run(nhc_advisories.SOURCE, text_of(tmp_path, later.replace("160 KT", "165 KT"), "old.txt"))
    assert await owner.fetch(latest) == []
    assert await owner.fetchval("SELECT source FROM hazard.hazard_ts_events") == "HURDAT2"
    winds = "SELECT max(wind_kt) FROM hazard.{}"
    assert await owner.fetchval(winds.format("hazard_ts_nodes")) == 160
    assert await owner.fetchval(winds.format("hazard_ts_advisory_nodes")) == 165
