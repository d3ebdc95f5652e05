"""Warnings of the JTWC: their two forms, their feed, and their rows."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import ibtracs, jtwc_warnings
from deploy.loader.sources.jtwc_text import read_warning
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.storms.jtwc_products import SOUTHERN, TCW, feed, web_text

RETRIEVED = datetime(2025, 11, 20, 10, tzinfo=UTC)


def given(folder: Path, text: str, name: str = "wp3125.tcw") -> Document:
    (folder / name).write_text(text)
    return Document(folder / name, name, RETRIEVED)


def test_data_and_text_of_a_warning_are_the_same_advisory(tmp_path: Path) -> None:
    data = read_warning(TCW, given(tmp_path, TCW))
    assert (data.event_id, data.name, data.number, data.season) == ("WP312025", "Koppu", 3, 2025)
    assert data.time == datetime(2025, 11, 20, 9, tzinfo=UTC)
    now = data.analysed
    assert now is not None
    assert (now.time.hour, now.longitude, now.latitude, now.wind_kt, now.gust_kt) == (6, 149.0, 10.5, 70, 85)
    assert (now.pressure_hpa, now.status, now.wind_minutes, now.wind_agency) == (976, "Typhoon", 1, "JTWC")
    assert now.radii == (120, 100, 80, 110, 40, 30, 30, 40, 20, 15, 0, 20)
    assert [(fix.time.day, fix.time.hour, fix.wind_kt, fix.gust_kt) for fix in data.forecast] == [
        (20, 18, 80, 100),
        (21, 6, 90, 110),
        (22, 6, 60, 75),
    ]
    assert [fix.status for fix in data.forecast] == [None, None, "Extratropical"]
    assert [(fix.time.day, fix.wind_kt) for fix in data.past] == [(18, 20), (19, 25), (19, 30), (19, 45)]
    text = read_warning(web_text(), given(tmp_path, web_text(), "wp3125web.txt"))
    assert text == data._replace(past=())


def test_a_season_of_the_south_has_the_year_of_its_end(tmp_path: Path) -> None:
    document = Document(given(tmp_path, SOUTHERN).path, "sh0326.tcw", datetime(2025, 12, 1, 4, tzinfo=UTC))
    advisory = read_warning(SOUTHERN, document)
    assert (advisory.event_id, advisory.season) == ("SH032026", 2026)
    assert advisory.analysed is not None
    assert (advisory.analysed.latitude, advisory.analysed.basin) == (-12.1, "SI")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("T012 112N 1472E 080", "T012 112N 1472E 080KT", "time step is not readable"),
        ("T012 112N", "T012 912N", "is no place"),
        ("T012", "T000", "time steps of"),
        ("1490E 070", "1490E 700", "no wind"),
        ("2025112006 31W", "2999112006 31W", "in the future"),
        ("2025112006 31W", "2025112006 31Z", "no number of a system"),
    ],
)
def test_an_implausible_warning_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = TCW.replace(old, new)
    assert text != TCW
    with pytest.raises(DocumentError, match=said):
        read_warning(text, given(tmp_path, text))


def test_mutated_warnings_are_refused_or_of_the_same_storm(tmp_path: Path) -> None:
    chance = random.Random(44)  # noqa: S311 - no secret
    for text in (TCW, web_text()):
        read = 0
        for _ in range(200):
            lines = text.splitlines()
            place = chance.randrange(len(lines))
            lines[place : place + 1] = chance.choice(([], ["x"], [lines[place][: len(lines[place]) // 2]], ["9" * 40]))
            document = given(tmp_path, "\n".join(lines))
            findings = Findings()
            try:
                rows = [row for batch in jtwc_warnings.SOURCE.read([document], findings) for _, row in batch.rows]
            except DocumentError:
                continue
            assert {row[0] for row in rows} == {"WP312025"}
            read += 1
        assert read > 100, "most lines are not necessary"


async def test_the_feed_leads_to_storms_with_forecasts_and_zones(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    data, text = publisher.publish("/wp3125.tcw", TCW), publisher.publish("/wp3125web.txt", web_text())
    hurricane = publisher.publish("/ep1725.tcw", TCW.replace("31W", "17E").replace("1490E", "1290W"))
    test = f"{publisher.base}/wp8025.tcw"
    address = publisher.publish("/jtwc.rss", feed(text, data, hurricane, test))
    outcome = await run(jtwc_warnings.SOURCE, address)
    assert [each.path for each in publisher.asked] == ["/jtwc.rss", "/wp3125.tcw", "/ep1725.tcw"]
    assert [each.record for each in outcome.findings.left_out] == [hurricane]
    assert outcome.findings.rejected == []
    event = await owner.fetchrow("SELECT * FROM hazard.hazard_ts_events")
    assert (event["event_id"], event["name"], event["basin"], event["category"]) == ("WP312025", "Koppu", "WP", "C1")
    assert (event["max_wind_kt"], event["wind_minutes"], event["source"]) == (70, 1, "JTWC")
    nodes = await owner.fetch("SELECT kind, count(*), max(wind_kt) FROM hazard.hazard_ts_nodes GROUP BY 1 ORDER BY 1")
    assert [tuple(row) for row in nodes] == [("analysed", 5, 70), ("forecast", 3, 90)]
    zones = await owner.fetch("SELECT wind_speed_kt FROM hazard.hazard_ts_buffers WHERE kind = 'forecast' ORDER BY 1")
    assert [row[0] for row in zones] == [34, 50, 64]
    assert (await run(jtwc_warnings.SOURCE, address)).counts.changed == 0

    # the next warning continues the track; without past positions of its own, those of the warnings stay
    later = TCW.replace("2025112006", "2025112012").replace("PGTW 200900", "PGTW 201500").replace("  003  ", "  004  ")
    publisher.publish("/wp3125.tcw", later.partition("AMP")[0] + "AMP\n//\nNNNN\n")
    await run(jtwc_warnings.SOURCE, address)
    times = await owner.fetch(
        "SELECT valid_time, ne34_nm FROM hazard.hazard_ts_nodes WHERE kind = 'analysed' ORDER BY 1"
    )
    assert [(row["valid_time"].hour, row["ne34_nm"]) for row in times] == [(6, 120), (12, 120)]
    assert await owner.fetchval("SELECT count(DISTINCT advisory) FROM hazard.hazard_ts_advisory_tracks") == 2

    # the feed no longer lists the storm
    publisher.publish("/jtwc.rss", feed())
    await run(jtwc_warnings.SOURCE, address)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast'") == 0
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_ts_events") == 1


async def test_a_final_warning_has_no_forecast_and_the_best_track_replaces_it(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    final = TCW.replace("NEXT WARNINGS", "THIS IS THE FINAL WARNING\nON THIS SYSTEM BY THE JOINT TYPHOON WRNCEN. NO")
    (tmp_path / "wp3125.tcw").write_text(final)
    await run(jtwc_warnings.SOURCE, tmp_path / "wp3125.tcw")
    forecasts = "SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'forecast'"
    assert await owner.fetchval(forecasts) == 0
    header = (
        "SID,SEASON,BASIN,NAME,ISO_TIME,LAT,LON,WMO_WIND,WMO_PRES,TRACK_TYPE,USA_ATCF_ID,USA_STATUS,USA_WIND,USA_PRES"
    )
    rows = "".join(
        f"2025300N10150,2025,WP,KOPPU,2025-11-{day} 06:00:00,10.5,{lon}, , ,main,WP312025,TY,{wind},980\n"
        for day, lon, wind in ((20, 149, 75), (21, 146, 85), (22, 140, 50))
    )
    (tmp_path / "ibtracs.csv").write_text(f"{header}\n{rows}")
    await run(ibtracs.SOURCE, tmp_path / "ibtracs.csv")
    events = await owner.fetch("SELECT event_id, max_wind_kt, source FROM hazard.hazard_ts_events")
    assert [tuple(row) for row in events] == [("WP312025", 85, "IBTrACS, wind of JTWC")]


@pytest.mark.parametrize("content", ["<html>403</html>", "<rss></rss>", feed()[:-20], "x"])
async def test_another_document_than_the_feed_changes_nothing(run: Load, publisher: Publisher, content: str) -> None:
    with pytest.raises(DocumentError):
        await run(jtwc_warnings.SOURCE, publisher.publish("/jtwc.rss", content))


async def test_a_product_that_is_missing_is_reported(run: Load, publisher: Publisher) -> None:
    address = publisher.publish(
        "/jtwc.rss", feed(publisher.publish("/wp3125.tcw", TCW), f"{publisher.base}/io0125.tcw")
    )
    outcome = await run(replace(jtwc_warnings.SOURCE, addresses=lambda _since: [address]))
    assert [each.record for each in outcome.findings.rejected] == [f"{publisher.base}/io0125.tcw"]
    assert outcome.counts.inserted > 0
