"""Disturbances: systems under investigation, areas of outlooks, and the storms that develop. All data are simulated."""

from __future__ import annotations

import random
import shutil
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import numpy as np
import pyogrio
import pytest
import shapely

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import atcf_decks, jtwc_warnings, nhc_advisories, nhc_outlooks
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.storms.jtwc_products import TCW, feed
from tests.deploy.loader.storms.test_nhc_advisories import IRMA

NOW = datetime.now(UTC)
ALERT = """WTPN21 PGTW 190330
MSGID/GENADMIN/JOINT TYPHOON WRNCEN PEARL HARBOR HI//
SUBJ/TROPICAL CYCLONE FORMATION ALERT (INVEST 92W)//
RMKS/
1. FORMATION OF A SIGNIFICANT TROPICAL CYCLONE IS POSSIBLE WITHIN
120 NM EITHER SIDE OF A LINE FROM 9.8N 151.5E TO 11.0N 147.0E
WITHIN THE NEXT 12 TO 24 HOURS. AVAILABLE DATA DOES NOT JUSTIFY
ISSUANCE OF NUMBERED TROPICAL CYCLONE WARNINGS AT THIS TIME.
WINDS IN THE AREA ARE ESTIMATED TO BE 20 TO 25 KNOTS. METSAT
IMAGERY AT 190000Z INDICATES THAT A CIRCULATION CENTER IS LOCATED
NEAR 9.9N 151.4E. THE SYSTEM IS MOVING WESTWARD AT 10 KNOTS.
2. REMARKS: THE AREA OF CONVECTION (INVEST 92W) PREVIOUSLY LOCATED
NEAR 9.0N 153.0E IS NOW LOCATED NEAR 9.9N 151.4E. MINIMUM SEA LEVEL
PRESSURE IS ESTIMATED TO BE NEAR 1004 MB. THE POTENTIAL FOR THE
DEVELOPMENT OF A SIGNIFICANT TROPICAL CYCLONE WITHIN THE NEXT 24 HOURS
IS HIGH.
3. THIS ALERT WILL BE REISSUED, UPGRADED TO WARNING OR CANCELLED BY
200330Z.//
NNNN
"""
OUTLOOK = """ABPW10 PGTW 180600
MSGID/GENADMIN/JOINT TYPHOON WRNCEN PEARL HARBOR HI//
SUBJ/SIGNIFICANT TROPICAL WEATHER ADVISORY FOR THE WESTERN AND SOUTH
PACIFIC OCEANS/180600Z-190600ZNOV2026//
RMKS/
1. WESTERN NORTH PACIFIC AREA (180 TO MALAY PENINSULA):
   A. TROPICAL CYCLONE SUMMARY: NONE.
   B. TROPICAL DISTURBANCE SUMMARY:
      (1) THE AREA OF CONVECTION (INVEST 92W) PREVIOUSLY LOCATED NEAR
8.5N 154.0E IS NOW LOCATED NEAR 9.0N 153.0E, APPROXIMATELY 200 NM
NORTHEAST OF CHUUK. MAXIMUM SUSTAINED SURFACE WINDS ARE ESTIMATED AT 15
TO 20 KNOTS. MINIMUM SEA LEVEL PRESSURE IS ESTIMATED TO BE NEAR 1006 MB.
THE POTENTIAL FOR THE DEVELOPMENT OF A SIGNIFICANT TROPICAL CYCLONE
WITHIN THE NEXT 24 HOURS IS UPGRADED TO MEDIUM.
      (2) THE AREA OF CONVECTION (INVEST 93W) PREVIOUSLY LOCATED NEAR
22.5N 140.9E IS NOW THE SUBJECT OF A TROPICAL CYCLONE WARNING.
      (3) NO OTHER SUSPECT AREAS.
   C. SUBTROPICAL SYSTEM SUMMARY: NONE.
2. SOUTH PACIFIC AREA (WEST COAST OF SOUTH AMERICA TO 135 EAST):
   A. TROPICAL CYCLONE SUMMARY: NONE.
   B. TROPICAL DISTURBANCE SUMMARY:
      (1) AN AREA OF CONVECTION (INVEST 94P) HAS PERSISTED NEAR
12.0S 170.0E. THE POTENTIAL FOR THE DEVELOPMENT OF A SIGNIFICANT
TROPICAL CYCLONE WITHIN THE NEXT 24 HOURS IS LOW.
   C. SUBTROPICAL SYSTEM SUMMARY: NONE.//
NNNN
"""
# the positions of an invest, and of a tropical storm with radii, in the Atlantic before Irma's advisory 29
DECK = """\
AL, 91, 2017090506,   , BEST,   0, 165N,  560W,  25, 1008, DB,   0,    ,    0,    0,    0,    0, 1012,  150,  60,   0,   0,   L,   0,    ,   0,   0,     INVEST, S,
AL, 91, 2017090600,   , BEST,   0, 178N,  622W,  30, 1006, LO,  34, NEQ,   30,    0,    0,   30, 1012,  150,  60,   0,   0,   L,   0,    ,   0,   0,     INVEST, S,
"""  # noqa: E501


def given(folder: Path, text: str, retrieved: datetime = NOW) -> Document:
    (folder / "given").write_text(text)
    return Document(folder / "given", "given", retrieved)


def outlook(
    folder: Path, issued: datetime, *areas: tuple[str, str, str, shapely.Polygon], column: str = "PROB7DAY"
) -> Path:
    """The archive of an outlook with these areas: ocean, chance in two days, in seven days, area."""
    made = folder / "layers"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    (made / f"gtwo_points_{issued:%Y%m%d%H%M}.prj").write_text("x")
    if areas:
        pyogrio.raw.write(
            made / f"gtwo_areas_{issued:%Y%m%d%H%M}.shp",
            shapely.to_wkb(np.array([area[3] for area in areas], dtype=object)),
            [np.array([area[place] for area in areas], dtype=object) for place in range(3)],
            ["BASIN", "PROB2DAY", column],
            crs="EPSG:4326",
            geometry_type="Polygon",
        )
    path = folder / "gtwo_shapefiles.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for part in sorted(made.iterdir()):
            archive.write(part, part.name)
    return path


async def rows(owner: asyncpg.Connection, asked: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await owner.fetch(asked)]


EVENTS = "SELECT event_id, probability_2_days, probability_7_days FROM hazard.hazard_ts_disturbance_events ORDER BY 1"
NODES = "SELECT event_id, wind_kt, status FROM hazard.hazard_ts_disturbance_nodes ORDER BY event_id, valid_time"


async def test_a_disturbance_of_the_jtwc_becomes_a_storm(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    # texts have no month: they are of the last two days
    earlier, later = NOW - timedelta(days=2), NOW - timedelta(days=1)
    alert = ALERT.replace("190330\n", f"{later:%d}0330\n").replace("190000Z", f"{later:%d}0000Z")
    publisher.publish("/wp9225web.txt", alert)
    publisher.publish("/abpwweb.txt", OUTLOOK.replace("PGTW 18", f"PGTW {earlier:%d}"))
    south = later.year + (earlier.month >= 7)
    address = publisher.publish("/jtwc.rss", feed(f"{publisher.base}/wp9225web.txt", f"{publisher.base}/abpwweb.txt"))
    outcome = await run(jtwc_warnings.SOURCE, address)
    assert outcome.findings.rejected == []
    assert outcome.findings.read == 3
    found = await rows(owner, NODES)
    assert [(event_id[:8], wind, status) for event_id, wind, status in found] == [
        (f"SH94{south}", None, "Disturbance, low potential within 24 hours"),
        (f"WP92{earlier:%Y}", 20, "Disturbance, medium potential within 24 hours"),
        (f"WP92{later:%Y}", 25, "Disturbance, high potential within 24 hours"),
    ]
    assert found[1][0] == found[2][0], "both texts are about one system"
    assert await rows(owner, "SELECT event_id FROM hazard.hazard_ts_events") == []
    assert (await run(jtwc_warnings.SOURCE, address)).counts.changed == 0


async def test_a_disturbance_keeps_its_place_in_the_life_of_its_storm(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    deck, irma = tmp_path / "bal912017.dat", tmp_path / "tcm.txt"
    deck.write_text(DECK)
    await run(atcf_decks.SOURCE, deck)
    assert await rows(owner, EVENTS) == [("AL912017-0905", None, None)]
    disturbance = await owner.fetchval("SELECT id FROM hazard.hazard_ts_disturbance_events")
    irma.write_text(IRMA)
    for _ in range(2):
        await run(nhc_advisories.SOURCE, irma)
        assert await rows(owner, EVENTS) == [("AL112017", None, None)]
        assert await owner.fetchval("SELECT id FROM hazard.hazard_ts_disturbance_events") == disturbance
        assert await rows(owner, NODES) == [("AL112017", 25, "Disturbance (DB)"), ("AL112017", 30, "Disturbance (LO)")]
        life = await rows(
            owner, "SELECT wind_kt FROM hazard.hazard_ts_nodes WHERE kind = 'analysed' ORDER BY valid_time"
        )
        assert life == [(25,), (30,), (160,)], "the life of the storm begins with its disturbance"
    assert await owner.fetchval("SELECT dams.event_of_alias('AL912017-0905')") == "AL112017"
    # its file stays in the folder until the number is used again
    await run(atcf_decks.SOURCE, deck)
    assert await rows(owner, EVENTS) == [("AL112017", None, None)]
    deck.write_text(DECK.replace("201709", "201710"))
    await run(atcf_decks.SOURCE, deck)
    assert [row[0] for row in await rows(owner, EVENTS)] == ["AL112017", "AL912017-1005"]


async def test_a_far_storm_is_not_that_of_a_disturbance(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    deck, irma = tmp_path / "bal912017.dat", tmp_path / "tcm.txt"
    deck.write_text(DECK.replace("178N", "078N"))
    irma.write_text(IRMA)
    await run(atcf_decks.SOURCE, deck)
    await run(nhc_advisories.SOURCE, irma)
    assert await rows(owner, EVENTS) == [("AL912017-0905", None, None)]


async def test_the_folder_of_decks_leads_to_systems_under_investigation(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    year = f"{NOW:%Y}"
    deck = DECK.replace("20170905", f"{year}0101").replace("20170906", f"{year}0102")
    publisher.publish(f"/btk/bal91{year}.dat", deck)
    names = (f"bal91{year}.dat", f"bal01{year}.dat", "bal912010.dat", f"bep90{year}.dat")
    listing = "".join(f'<a href="{name}">{name}</a>' for name in names)
    outcome = await run(atcf_decks.SOURCE, publisher.publish("/btk/", f"<html>{listing}</html>"))
    assert [each.path for each in publisher.asked] == ["/btk/", f"/btk/bal91{year}.dat", f"/btk/bep90{year}.dat"]
    assert [each.record for each in outcome.findings.rejected] == [f"{publisher.base}/btk/bep90{year}.dat"]
    assert await rows(owner, EVENTS) == [(f"AL91{year}-0101", None, None)]


async def test_a_deck_of_a_storm_is_a_best_track(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    deck = tmp_path / "bsh052026.dat"
    deck.write_text(
        "SH, 05, 2025120100,   , BEST,   0, 121S, 0850E,  65,  980, TY,  34, NEQ,   60,   70,   70,   60,\n"
        "SH, 05, 2025120100,   , BEST,   0, 121S, 0850E,  65,  980, TY,  50, AAA,   20,    0,    0,    0,\n"
        "SH, 05, 2025120106,   , BEST,   0, 125S, 0840E,  60,  984, TS,  34, NEQ,   60,   70,   70,   60,\n"
    )
    await run(atcf_decks.SOURCE, deck)
    event = await rows(owner, "SELECT event_id, season, basin, category, wind_agency FROM hazard.hazard_ts_events")
    assert event == [("SH052026", 2026, "SI", "C1", "JTWC")]
    radii = await rows(owner, "SELECT ne34_nm, ne50_nm, sw50_nm FROM hazard.hazard_ts_nodes ORDER BY valid_time")
    assert radii == [(60, 20, 20), (60, None, None)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x\n", "none of its 1 lines"),
        ("<html><a href='x'>", "page for people"),
        (DECK.replace("BEST", "OFCL"), "none of"),
    ],
)
async def test_another_document_than_a_deck_is_refused(run: Load, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "deck").write_text(text)
    with pytest.raises(DocumentError, match=said):
        await run(atcf_decks.SOURCE, tmp_path / "deck")


async def test_areas_of_an_outlook_belong_to_disturbances(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    deck = tmp_path / "bal912017.dat"
    deck.write_text(DECK)
    await run(atcf_decks.SOURCE, deck)
    first, second, third = (datetime(2017, 9, 6, hour, tzinfo=UTC) for hour in (6, 12, 18))
    west, east = shapely.box(-70, 15, -63, 20), shapely.box(-40, 8, -30, 14)
    pacific = shapely.box(-130, 10, -120, 15)
    areas = (
        ("Atlantic", "60%", "80%", west),
        ("Atlantic", "Near 0%", "30%", east),
        ("East Pacific", "20%", "20%", pacific),
    )
    outcome = await run(nhc_outlooks.SOURCE, outlook(tmp_path, first, *areas))
    assert outcome.findings.rejected == []
    new = "NHC-AL-2-201709060600"
    assert await rows(owner, EVENTS) == [
        ("AL912017-0905", 60, 80), (new, 0, 30), ("NHC-EP-1-201709060600", 20, 20),
    ]  # fmt: skip
    zones = (
        "SELECT event_id, formation_area, wind_speed_kt, probability_7_days FROM hazard.hazard_ts_disturbance_buffers "
    )
    assert await rows(owner, f"{zones} WHERE kind = 'formation' ORDER BY formation_area") == [
        ("AL912017-0905", "AL-1", None, 80), (new, "AL-2", None, 30), ("NHC-EP-1-201709060600", "EP-1", None, 20),
    ]  # fmt: skip
    # the next outlook has one area less, and numbers the others again
    await run(nhc_outlooks.SOURCE, outlook(tmp_path, second, ("Atlantic", "40%", "70%", east)))
    assert await rows(owner, EVENTS) == [
        ("AL912017-0905", None, None), (new, 40, 70), ("NHC-EP-1-201709060600", None, None),
    ]  # fmt: skip
    assert await rows(owner, f"{zones} WHERE kind = 'formation'") == [(new, "AL-1", None, 70)]
    start = await owner.fetchval("SELECT start_date FROM hazard.hazard_ts_disturbance_events WHERE event_id = $1", new)
    assert start == first
    # an older outlook changes nothing, and positions do not remove areas
    assert (await run(nhc_outlooks.SOURCE, outlook(tmp_path, first, *areas))).counts.changed == 0
    await run(atcf_decks.SOURCE, deck)
    assert len(await rows(owner, f"{zones} WHERE kind = 'formation'")) == 1
    # the area gets a system under investigation
    (tmp_path / "bal922017.dat").write_text(
        DECK.replace("91, 20170906", "92, 20170906").replace("178N,  622W", "120N,  360W")
    )
    await run(atcf_decks.SOURCE, tmp_path / "bal922017.dat")
    await run(nhc_outlooks.SOURCE, outlook(tmp_path, third, ("Atlantic", "50%", "70%", east)))
    assert ("AL922017-0906", 50, 70) in await rows(owner, EVENTS)
    assert await owner.fetchval("SELECT dams.event_of_alias($1)", new) == "AL922017-0906"
    await run(nhc_outlooks.SOURCE, outlook(tmp_path, third.replace(hour=23)))
    assert await rows(owner, f"{zones} WHERE kind = 'formation'") == []


async def test_an_outlook_before_its_system_is_read_again(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    area = ("Atlantic", "60%", "80%", shapely.box(-66, 14, -55, 20))
    content = outlook(tmp_path, datetime(2017, 9, 6, 6, tzinfo=UTC), area).read_bytes()
    address = publisher.publish("/gtwo.zip", content, headers={"ETag": '"1"'})
    source = replace(nhc_outlooks.SOURCE, addresses=lambda _since: [address])
    await run(source)
    (tmp_path / "bal912017.dat").write_text(DECK)
    await run(atcf_decks.SOURCE, tmp_path / "bal912017.dat")
    await run(source)
    assert await rows(owner, EVENTS) == [("AL912017-0905", 60, 80)]
    # it has its system, and the document is not requested again without its version
    await run(source)
    assert [request.headers.get("If-None-Match") for request in publisher.asked] == [None, None, '"1"']


def test_invalid_outlooks_are_refused(tmp_path: Path) -> None:
    issued, area = datetime(2017, 9, 6, 6, tzinfo=UTC), shapely.box(-70, 15, -63, 20)
    for path, said in (
        (outlook(tmp_path / "a", issued, ("Atlantic", "1%", "2%", area), column="PROB9DAY"), "no column"),
        (outlook(tmp_path / "b", datetime(2999, 1, 1, tzinfo=UTC)), "in the future"),
        (given(tmp_path, "<html>").path, "no archive"),
    ):
        with pytest.raises(DocumentError, match=said):
            list(nhc_outlooks.SOURCE.read([Document(path, "given", NOW)], Findings()))


async def test_invalid_areas_are_rejected(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    issued, area = datetime(2017, 9, 6, 6, tzinfo=UTC), shapely.box(-70, 15, -63, 20)
    areas = [("Atlantic", "1%", "2%", area), ("Mars", "1%", "2%", area), ("Atlantic", "101%", "2%", area)]
    outcome = await run(nhc_outlooks.SOURCE, outlook(tmp_path, issued, *areas))
    assert [each.reason for each in outcome.findings.rejected] == [
        "'Mars' is no ocean of the outlook", "'101%' is no percentage",
    ]  # fmt: skip
    assert len(await rows(owner, EVENTS)) == 1


def test_mutated_texts_and_decks_are_read_or_refused(tmp_path: Path) -> None:
    chance = random.Random(44)  # noqa: S311 - no secret
    for source, text in ((jtwc_warnings.SOURCE, ALERT), (jtwc_warnings.SOURCE, OUTLOOK), (atcf_decks.SOURCE, DECK)):
        read = 0
        for _ in range(200):
            lines = text.splitlines()
            place = chance.randrange(len(lines))
            lines[place : place + 1] = chance.choice(([], ["x"], [lines[place][: len(lines[place]) // 2]], ["9" * 40]))
            findings = Findings()
            try:
                read += bool(list(source.read([given(tmp_path, "\n".join(lines))], findings)))
            except DocumentError:
                continue
        assert read > 100


async def test_a_warned_storm_takes_over_its_alert(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    """The alert and the warnings overlap in time and place."""
    deck = "".join(
        f"WP, 92, 202511{hour},   , BEST,   0, {lat}N, {lon}E,  20, 1006, DB,\n"
        for hour, lat, lon in (("1800", "92", "1530"), ("1818", "95", "1520"))
    )
    (tmp_path / "bwp922025.dat").write_text(deck)
    (tmp_path / "wp3125.tcw").write_text(TCW)
    await run(atcf_decks.SOURCE, tmp_path / "bwp922025.dat")
    await run(jtwc_warnings.SOURCE, tmp_path / "wp3125.tcw")
    assert await rows(owner, EVENTS) == [("WP312025", None, None)]
    times = await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'analysed'")
    assert times == 6
