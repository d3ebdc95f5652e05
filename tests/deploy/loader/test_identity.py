"""One event, whichever source reports it, and under whichever number."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg

from deploy.loader.sources import (
    gdacs_cyclones,
    gdacs_earthquakes,
    gdacs_floods,
    hurdat2,
    ibtracs,
    nhc_advisories,
    usgs_geojson,
)
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import FEBRUARY_2018, feature, feed
from tests.deploy.loader.flood_documents import collection, gdacs
from tests.deploy.loader.storms.test_gdacs_cyclones import storm_features
from tests.deploy.loader.storms.test_nhc_advisories import IRMA

KOPPU = """\
SID,SEASON,BASIN,NAME,ISO_TIME,LAT,LON,WMO_WIND,WMO_PRES,TRACK_TYPE,USA_ATCF_ID,USA_STATUS,USA_WIND,USA_PRES
2026300N10150,2026,WP,{name},2026-11-20 00:00:00,10.0,150.0, , ,PROVISIONAL,{number},TD,25,1004
2026300N10150,2026,WP,{name},2026-11-20 06:00:00,10.5,149.0, , ,PROVISIONAL,{number},TS,35,1000
"""


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text)
    return folder / name


async def ids(owner: asyncpg.Connection, table: str) -> dict[str, int]:
    rows = await owner.fetch(f"SELECT event_id, min(id) AS id FROM hazard.{table} GROUP BY 1")  # noqa: S608 - constants
    return {row["event_id"]: row["id"] for row in rows}


async def event_of(owner: asyncpg.Connection, alias: str) -> object:
    return await owner.fetchval("SELECT dams.event_of_alias($1)", alias)


async def test_a_storm_that_gets_a_number_stays_one_storm(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    before = written(tmp_path, "before.csv", KOPPU.format(name="UNNAMED", number=""))
    after = written(tmp_path, "after.csv", KOPPU.format(name="KOPPU", number="WP312026"))
    await run(ibtracs.SOURCE, before)
    first = {table: await ids(owner, table) for table in ("hazard_ts_events", "hazard_ts_nodes", "hazard_ts_tracks")}
    counts = (await run(ibtracs.SOURCE, after)).counts
    assert counts.renamed == 4
    for table, known in first.items():
        assert await ids(owner, table) == {"WP312026": known["2026300N10150"]}, "rows and their addresses stay"
    assert await event_of(owner, "2026300N10150") == "WP312026"
    # an older file does not bring the other one back, nor parts of it that the newer one does not have
    lines = KOPPU.format(name="UNNAMED", number="").splitlines()
    radii = ("USA_R34_NE,USA_R34_SE,USA_R34_SW,USA_R34_NW", "30,30,30,30", "40,40,40,40")
    older = "".join(f"{line},{more}\n" for line, more in zip(lines, radii, strict=True))
    assert (await run(ibtracs.SOURCE, written(tmp_path, "older.csv", older))).counts.inserted == 0
    assert list(await ids(owner, "hazard_ts_events")) == ["WP312026"]


async def test_listeners_learn_which_rows_a_merge_changed_and_deleted(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    await run(ibtracs.SOURCE, written(tmp_path, "before.csv", KOPPU.format(name="UNNAMED", number="")))
    event = await owner.fetchval("SELECT id FROM hazard.hazard_ts_events")
    nodes = [row["id"] for row in await owner.fetch("SELECT id FROM hazard.hazard_ts_nodes ORDER BY valid_time")]
    # the new event has its first node already
    await owner.execute("CREATE TEMPORARY TABLE other AS SELECT * FROM hazard.hazard_ts_nodes WHERE id = $1", nodes[0])
    await owner.execute("UPDATE other SET id = 1000000, event_id = 'WP312026'")
    await owner.execute("INSERT INTO hazard.hazard_ts_nodes OVERRIDING SYSTEM VALUE SELECT * FROM other")
    since = await owner.fetchval("SELECT pg_current_snapshot()::text")
    after = written(tmp_path, "after.csv", KOPPU.format(name="UNNAMED", number="WP312026"))
    counts = (await run(ibtracs.SOURCE, after)).counts
    assert counts.renamed == 4
    rows = await owner.fetch(
        "SELECT relation::regclass::text AS name, item, action FROM dams.changed_items($1::text::pg_snapshot)", since
    )
    changed = {(row["name"], row["item"], row["action"]) for row in rows}
    assert ("hazard.hazard_ts_nodes", str(nodes[0]), "delete") in changed
    assert ("hazard.hazard_ts_nodes", str(nodes[0]), "update") not in changed
    assert {
        ("hazard.hazard_ts_nodes", str(nodes[1]), "update"),
        ("hazard.hazard_ts_events", str(event), "update"),
    } <= changed


async def test_numbers_of_networks_lead_to_one_earthquake(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    names = ",ak1x,us1x,"
    first = publisher.publish("/a", feed(feature("ak1x", ids=names, updated=FEBRUARY_2018 + 1000)))
    second = publisher.publish("/b", feed(feature("us1x", ids=names, updated=FEBRUARY_2018 + 2000)))
    third = publisher.publish("/c", feed(feature("ak1x", ids=names, updated=FEBRUARY_2018 + 3000)))
    await run(usgs_geojson.SOURCE, first)
    known = (await ids(owner, "hazard_eq_events"))["ak1x"]
    for address in (second, first, second):
        await run(usgs_geojson.SOURCE, address)
        assert await ids(owner, "hazard_eq_events") == {"us1x": known}
        assert await event_of(owner, "ak1x") == "us1x"
    # the other network is preferred again
    await run(usgs_geojson.SOURCE, third)
    assert await ids(owner, "hazard_eq_events") == {"ak1x": known}
    assert (await event_of(owner, "us1x"), await event_of(owner, "ak1x")) == ("ak1x", None)


async def test_of_two_rows_of_one_earthquake_one_is_withdrawn(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    await run(usgs_geojson.SOURCE, publisher.publish("/a", feed(feature("ak1x"), feature("us1x"))))
    merged = feature("us1x", ids=",ak1x,us1x,", updated=FEBRUARY_2018 + 1_000_000)
    await run(usgs_geojson.SOURCE, publisher.publish("/b", feed(merged)))
    standing = await owner.fetch("SELECT event_id FROM hazard.hazard_eq_events WHERE withdrawn IS NULL")
    assert [row["event_id"] for row in standing] == ["us1x"]


def gdacs_irma(folder: Path, **properties: Any) -> Path:
    """Irma as GDACS reports it (simulated)."""
    said = {"eventname": "IRMA-17", "fromdate": "06 Sep 2017 00:00:00", "todate": "06 Sep 2017 12:00:00"} | properties
    features = storm_features(longitude=-63.0, latitude=18.0, eventid=1000402, **said)
    for each in features:
        label = each["properties"].get("polygonlabel", "")
        each["properties"]["polygonlabel"] = label.replace("31/12", "06/09").replace("01/01", "07/09")
    return written(folder, "gdacs.json", json.dumps({"type": "FeatureCollection", "features": features}))


async def test_gdacs_adds_only_storms_that_no_other_source_has(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    advisory, report = written(tmp_path, "tcm.txt", IRMA), gdacs_irma(tmp_path)
    await run(gdacs_cyclones.SOURCE, report)
    first = await ids(owner, "hazard_ts_events")
    assert list(first) == ["TC1000402"]
    await run(nhc_advisories.SOURCE, advisory)
    assert await ids(owner, "hazard_ts_events") == {"AL112017": first["TC1000402"]}
    assert await event_of(owner, "TC1000402") == "AL112017"
    winds = "SELECT max_wind_kt, source FROM hazard.hazard_ts_events"
    told = tuple(await owner.fetchrow(winds))
    # a later report of GDACS changes nothing
    assert (await run(gdacs_cyclones.SOURCE, report)).counts.inserted == 0
    assert tuple(await owner.fetchrow(winds)) == told == (160, "NHC")
    sources = await owner.fetch("SELECT DISTINCT source FROM hazard.hazard_ts_nodes WHERE kind = 'analysed'")
    assert [row["source"] for row in sources] == ["NHC"]
    # another storm of the same name, in another year, is another storm
    other = written(tmp_path, "other.json", report.read_text().replace("2017", "2023").replace("1000402", "1000999"))
    await run(gdacs_cyclones.SOURCE, other)
    assert set(await ids(owner, "hazard_ts_events")) == {"AL112017", "TC1000999"}


async def test_a_report_of_gdacs_after_the_centre_is_the_same_storm(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    await run(nhc_advisories.SOURCE, written(tmp_path, "tcm.txt", IRMA))
    await run(gdacs_cyclones.SOURCE, gdacs_irma(tmp_path))
    assert list(await ids(owner, "hazard_ts_events")) == ["AL112017"]
    assert await event_of(owner, "TC1000402") == "AL112017"


async def test_a_storm_has_the_countries_and_the_glide_number_of_gdacs(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    countries = [{"iso2": "AG", "iso3": "ATG", "countryname": "Antigua and Barbuda"}, {"iso3": "BRB"}, {"iso3": ""}]
    said = {"glide": "TC-2017-000125-ATG", "affectedcountries": countries}
    identifiers = "SELECT event_id, glide_number, country_codes FROM hazard.hazard_ts_events"
    # of a storm that no other source has, and then of the same storm of the centre
    await run(gdacs_cyclones.SOURCE, gdacs_irma(tmp_path, **said))
    assert tuple(await owner.fetchrow(identifiers)) == ("TC1000402", "TC-2017-000125-ATG", "ATG, BRB")
    await run(nhc_advisories.SOURCE, written(tmp_path, "tcm.txt", IRMA))
    await run(gdacs_cyclones.SOURCE, gdacs_irma(tmp_path, **said | {"affectedcountries": [], "iso3": "CUB"}))
    assert tuple(await owner.fetchrow(identifiers)) == ("AL112017", "TC-2017-000125-ATG", "CUB")
    assert await event_of(owner, "TC-2017-000125-ATG") == "AL112017"
    assert await event_of(owner, "TC1000402") == "AL112017"
    # the centre's next advisory knows neither, and keeps them
    await run(
        nhc_advisories.SOURCE,
        written(tmp_path, "next.txt", IRMA.replace("MAX SUSTAINED WINDS 160", "MAX SUSTAINED WINDS 155")),
    )
    assert tuple(await owner.fetchrow(identifiers)) == ("AL112017", "TC-2017-000125-ATG", "CUB")


async def test_an_earthquake_of_the_usgs_in_gdacs_is_that_of_the_usgs(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    report = collection(*gdacs("EQ", 8, 1, sourceid="us2000cs46"))
    path = written(tmp_path, "gdacs.json", json.dumps(report))
    await run(gdacs_earthquakes.SOURCE, path)
    assert list(await ids(owner, "hazard_eq_events")) == ["GDACS-EQ8"]
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(feature())))
    await run(gdacs_earthquakes.SOURCE, path)
    standing = await owner.fetch("SELECT event_id FROM hazard.hazard_eq_events WHERE withdrawn IS NULL")
    assert [row["event_id"] for row in standing] == ["us2000cs46"]
    assert await event_of(owner, "GDACS-EQ8") == "us2000cs46"


async def test_a_report_without_a_magnitude_keeps_the_known_one(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    for episode, severity in ((1, "6.1"), (2, None)):
        report = collection(*gdacs("EQ", 8, episode, severity=severity))
        await run(gdacs_earthquakes.SOURCE, written(tmp_path, "gdacs.json", json.dumps(report)))
    found = await owner.fetchrow("SELECT magnitude, episode_id FROM hazard.hazard_eq_events")
    assert tuple(found) == (6.1, 2)


async def test_a_glide_number_leads_to_the_flood(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    report = collection(*gdacs("FL", 7, 1, glide="FL-2026-000123-EXA"))
    await run(gdacs_floods.SOURCE, written(tmp_path, "gdacs.json", json.dumps(report)))
    assert await event_of(owner, "FL-2026-000123-EXA") == "GDACS-FL7"


def potential(hour: str, number: int, heading: str) -> str:
    text = IRMA.replace("HURRICANE IRMA FORECAST/ADVISORY NUMBER  29", f"{heading} FORECAST/ADVISORY NUMBER {number:3}")
    return text.replace("0900 UTC WED SEP 06", f"{hour}00 UTC WED SEP 06").replace("06/0900Z", f"06/{hour}00Z")


async def test_a_potential_cyclone_is_a_disturbance_until_it_is_a_storm(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    async def families() -> Iterator[tuple[str, set[str]]]:
        return {
            table: {row["kind"] for row in await owner.fetch(f"SELECT kind FROM hazard.{table}")}  # noqa: S608
            for table in ("hazard_ts_nodes", "hazard_ts_disturbance_nodes")
        }.items().__iter__()

    text = potential("09", 1, "POTENTIAL TROPICAL CYCLONE ELEVEN")
    await run(nhc_advisories.SOURCE, written(tmp_path, "1.txt", text))
    assert dict(await families()) == {
        "hazard_ts_nodes": set(),
        "hazard_ts_disturbance_nodes": {"analysed", "forecast"},
    }
    assert await ids(owner, "hazard_ts_events") == {}
    assert list(await ids(owner, "hazard_ts_disturbance_events")) == ["AL112017"]
    await run(nhc_advisories.SOURCE, written(tmp_path, "2.txt", potential("15", 2, "TROPICAL STORM IRMA")))
    assert dict(await families()) == {
        "hazard_ts_nodes": {"analysed", "forecast"},
        "hazard_ts_disturbance_nodes": {"analysed"},
    }
    life = "SELECT count(*) FROM hazard.hazard_ts_nodes WHERE kind = 'analysed'"
    assert await owner.fetchval(life) == 2, "the life of the storm includes its first stage"


async def test_an_invest_is_a_disturbance(owner: asyncpg.Connection, run: Load, tmp_path: Path) -> None:
    track = """\
AL902024,             INVEST,      1,
20240601, 0000,  , TD, 16.1N,  26.9W,  30, 1008,
"""
    await run(hurdat2.SOURCE, written(tmp_path, "h.txt", track))
    assert await ids(owner, "hazard_ts_events") == {}
    assert list(await ids(owner, "hazard_ts_disturbance_events")) == ["AL902024"]


async def test_best_tracks_have_the_zones_that_they_observed(
    owner: asyncpg.Connection, run: Load, tmp_path: Path
) -> None:
    """At their own hours, beside those of advisories, whose chain they do not interrupt."""
    track = """\
AL112017,               IRMA,      2,
20170906, 1200, L, HU, 18.0N,  63.1W, 155,  914,  140,  110,   80,  130,   80,   60,   50,   80,   45,   30,   25,   45,
20170906, 1800,  , HU, 18.6N,  64.7W, 150,  914,  150,  110,   80,  130,   80,   60,   50,   80,    0,    0,    0,    0,
"""
    await run(nhc_advisories.SOURCE, written(tmp_path, "1.txt", potential("09", 29, "HURRICANE IRMA")))
    await run(hurdat2.SOURCE, written(tmp_path, "h.txt", track))
    await run(nhc_advisories.SOURCE, written(tmp_path, "2.txt", potential("15", 30, "HURRICANE IRMA")))
    found = await owner.fetch(
        "SELECT wind_speed_kt, start_date, population_in_places FROM hazard.hazard_ts_advisory_buffers "
        "WHERE advisory IS NULL ORDER BY start_date, wind_speed_kt"
    )
    assert [(row["start_date"].hour, row["wind_speed_kt"]) for row in found] == [
        (12, 34), (12, 50), (12, 64), (18, 34), (18, 50),
    ]  # fmt: skip
    assert all(row["population_in_places"] is not None for row in found)
    issued = await owner.fetch(
        "SELECT DISTINCT advisory_time, next_advisory_time FROM hazard.hazard_ts_advisory_buffers WHERE advisory = 29"
    )
    assert [row["next_advisory_time"] for row in issued] == [datetime(2017, 9, 6, 15, tzinfo=UTC)]
    landfall: Any = await owner.fetchrow("SELECT landfall_place FROM hazard.hazard_ts_nodes WHERE landfall")
    assert landfall["landfall_place"], "a known landfall has a place, also beside the coasts at 1:50 million"
