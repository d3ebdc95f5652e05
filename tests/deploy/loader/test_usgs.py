"""Earthquakes of the USGS: revisions, withdrawals, and events that are not earthquakes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from deploy.loader.source import DocumentError
from deploy.loader.sources import usgs_csv, usgs_geojson
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import FEBRUARY_2018, feature, feed

SOURCE = usgs_geojson.SOURCE
DATELINE = {"coordinates": [-184.5, 10.0, 33], "types": ",origin,", "alert": None}

# two events of the catalogue, public domain
CATALOGUE = (Path(__file__).parent / "usgs_2013.csv").read_text()


async def version(owner: asyncpg.Connection) -> str:
    found = await owner.fetchval(
        "SELECT version || '.' || token FROM dams.data_versions() WHERE relation = 'hazard.hazard_eq_events'::regclass"
    )
    return str(found)


async def events(owner: asyncpg.Connection) -> dict[str, asyncpg.Record]:
    rows = await owner.fetch("SELECT *, ST_X(geom) AS longitude, ST_Y(geom) AS latitude FROM hazard.hazard_eq_events")
    return {row["event_id"]: row for row in rows}


async def test_an_event_becomes_a_row(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    address = publisher.publish("/all_day.geojson", feed(feature(), feature("us1", **DATELINE)))
    outcome = await run(SOURCE, address)
    rows = await events(owner)
    taiwan, dateline = rows["us2000cs46"], rows["us1"]
    assert (outcome.counts.inserted, outcome.findings.issued) == (2, datetime(2018, 2, 1, 1, tzinfo=UTC))
    assert (taiwan["magnitude"], taiwan["magnitude_type"], taiwan["depth"], taiwan["source"]) == (
        6.4,
        "mww",
        17,
        "USGS",
    )
    assert taiwan["event_date"] == datetime(2018, 2, 1, 0, 8, 20, tzinfo=UTC)
    assert (taiwan["alert_level"], taiwan["tsunami"], taiwan["felt"]) == ("Orange", True, 313)
    assert taiwan["shakemap_url"] == taiwan["population_impact_url"] == taiwan["detail_url"]
    assert taiwan["ground_failure_url"] == taiwan["detail_url"]
    assert dateline["ground_failure_url"] is None
    assert (dateline["shakemap_url"], dateline["alert_level"]) == (None, None)
    assert (dateline["longitude"], dateline["latitude"]) == (175.5, 10.0)
    assert taiwan["nearest_place"] == "Hualien City"
    assert taiwan["nearest_place_km"] < 60
    assert (dateline["country"], dateline["province"]) == (None, None), "at sea"


async def test_the_same_again_changes_nothing(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    address = publisher.publish("/feed", feed(feature(), feature("us1")))
    await run(SOURCE, address)
    before = await version(owner)
    outcome = await run(SOURCE, address)
    assert (outcome.counts.unchanged, outcome.counts.changed) == (2, 0)
    assert await version(owner) == before


async def test_a_revision_keeps_the_id_and_an_older_one_changes_nothing(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    first = publisher.publish("/1", feed(feature()))
    second = publisher.publish("/2", feed(feature(mag=6.3, updated=FEBRUARY_2018 + 1_000_000)))
    await run(SOURCE, first)
    before = (await events(owner))["us2000cs46"]
    assert (await run(SOURCE, second)).counts.updated == 1
    after = (await events(owner))["us2000cs46"]
    assert (after["id"], after["magnitude"]) == (before["id"], 6.3)
    known = await version(owner)
    assert (await run(SOURCE, first)).counts.older == 1
    assert (await events(owner))["us2000cs46"]["magnitude"] == 6.3
    assert await version(owner) == known


async def test_what_its_source_deletes_is_withdrawn_until_it_is_revised(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    """The source deletes an event by its status, by sending it without a place, or under the name of a network that is
    no longer preferred.
    """
    names = ("us1", "us2", "ak3", "us9")
    stands = feed(*[feature(name) for name in names])
    deleted = {"status": "deleted", "updated": FEBRUARY_2018 + 1_000_000}
    goes = feed(
        feature("us1", **deleted),
        feature("us2", **deleted, geometry=None),
        feature("us3", ids=",us3,ak3,"),
    )
    await run(SOURCE, publisher.publish("/stands", stands))
    outcome = await run(SOURCE, publisher.publish("/goes", goes))
    counts = outcome.counts
    assert (counts.updated, counts.withdrawn, counts.inserted, counts.renamed) == (2, 1, 0, 1)
    rows = await events(owner)
    assert {name for name, row in rows.items() if row["withdrawn"] is None} == {"us3", "us9"}
    assert (rows["us1"]["status"], rows["us1"]["withdrawn"]) == ("deleted", datetime(2018, 2, 1, 0, 16, 40, tzinfo=UTC))
    # an older feed does not bring it back, a newer one does
    await run(SOURCE, publisher.publish("/stands", stands))
    assert (await events(owner))["us2"]["withdrawn"] is not None
    again = feed(*[feature(name, updated=FEBRUARY_2018 + 2_000_000) for name in names[:2]])
    await run(SOURCE, publisher.publish("/again", again))
    rows = await events(owner)
    assert [rows[name]["withdrawn"] for name in names[:2]] == [None, None]


async def test_a_record_that_is_no_event_is_told_of_and_the_others_load(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    tomorrow = int((datetime.now(UTC) + timedelta(days=2)).timestamp() * 1000)
    wrong = [
        feature("us1", updated="soon"),
        feature("us2", coordinates=[10, 95, 3]),
        feature("us3", updated=tomorrow),
        feature("us4", geometry=None),
        {"type": "Feature"},
        17,
        feature("us5", time=10**18),
    ]
    outcome = await run(SOURCE, publisher.publish("/feed", feed(feature(), *wrong)))
    assert (outcome.findings.read, outcome.counts.inserted) == (8, 1)
    assert [each.record for each in outcome.findings.rejected][:4] == ["us1", "us2", "us3", "us4"]
    reasons = [each.reason for each in outcome.findings.rejected]
    for part, why in zip(
        ("properties.updated", "no place", "in the future", "no place or time"), reasons, strict=False
    ):
        assert part in why
    assert list(await events(owner)) == ["us2000cs46"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<!DOCTYPE html><html><head><title>Down for maintenance</title></head></html>", "Down for maintenance"),
        ('{"type": "FeatureCollection", "features": [{"type":', "not whole"),
        ({"type": "FeatureCollection", "events": []}, "no list of features"),
        (feed({"id": "us1", "geometry": None, "properties": {"magnitude": 3}}), "none of 1 records"),
    ],
    ids=["a page", "broken off", "other names", "other records"],
)
async def test_what_is_no_feed_changes_nothing(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, content: object, said: str
) -> None:
    await run(SOURCE, publisher.publish("/feed", feed(feature())))
    before = await version(owner)
    with pytest.raises(DocumentError, match=said):
        await run(SOURCE, publisher.publish("/feed", content))
    assert await version(owner) == before
    assert said in await owner.fetchval("SELECT message FROM dams.load_source WHERE source = $1", SOURCE.name)


async def test_all_pages_of_the_event_service_are_read(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    pages = {1: feed(feature("us1"), feature("us2")), 3: feed(feature("us3"), feature("us4")), 5: feed()}
    for offset, page in pages.items():
        publisher.publish(f"/query?format=geojson&limit=2&offset={offset}", page)
    await run(SOURCE, f"{publisher.base}/query?format=geojson&limit=2&offset=1")
    assert sorted(await events(owner)) == ["us1", "us2", "us3", "us4"]
    [asked] = usgs_geojson.addresses(datetime(2018, 2, 1, tzinfo=UTC))
    assert "starttime=2018-02-01T00%3A00%3A00" in asked
    assert "includedeleted=true" in asked


async def test_a_catalogue_keeps_what_only_feeds_say(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    await run(SOURCE, publisher.publish("/feed", feed(feature("usp000jxpn"))))
    outcome = await run(usgs_csv.SOURCE, publisher.publish("/query.csv", CATALOGUE))
    assert (outcome.counts.inserted, outcome.counts.older) == (1, 1)
    kuril = (await events(owner))["usp000jxpv"]
    assert (kuril["title"], kuril["magnitude_type"], kuril["longitude"]) == ("M 5.1 - Kuril Islands", "mwb", 151.062)
    newer = CATALOGUE.replace("2014-11-07", "2024-11-07")
    assert (await run(usgs_csv.SOURCE, publisher.publish("/query.csv", newer))).counts.updated == 1
    chile = (await events(owner))["usp000jxpn"]
    assert (chile["magnitude"], chile["felt"], chile["source"]) == (5.1, 313, "USGS")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CATALOGUE.replace("updated,", "revised,"), "no column updated"),
        (CATALOGUE[:-60], "breaks off"),
        ("<html><title>Busy</title>", "Busy"),
    ],
)
async def test_a_catalogue_that_is_another_is_refused(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, content: str, said: str
) -> None:
    with pytest.raises(DocumentError, match=said):
        await run(usgs_csv.SOURCE, publisher.publish("/query.csv", content))
    assert await events(owner) == {}
