"""Shake maps, exposed people, ground failure and tsunami bulletins become facts and links of their earthquake."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import orjson
import pytest
import shapely
from shapely.geometry import Point

from deploy.loader.records.earthquake_products import CONTOURS, EarthquakeProducts
from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import emsc_earthquakes, tsunami_bulletins, usgs_geojson, usgs_products
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import FEBRUARY_2018, feature, feed
from tests.deploy.loader.earthquake_products import SHOCK, bulletin, centre, contours, detail, exposures
from tests.deploy.loader.test_emsc import collection, quake
from tests.deploy.loader.test_mutations import MUTATIONS, SEED, mutated_json

PRODUCTS = (
    "SELECT max_intensity, people_strong_shaking, landslide_alert, liquefaction_alert, contours_url "
    "FROM hazard.hazard_eq_events"
)
TSUNAMI = (
    "SELECT event_id, tsunami_status, tsunami_url, tsunami_issued FROM hazard.hazard_eq_events "
    "WHERE tsunami_url IS NOT NULL"
)


def publish_event(publisher: Publisher, updated: int = FEBRUARY_2018 + 900_000) -> str:
    """Publish an event with its details and their files; return the address of the feed."""
    address = publisher.publish("/detail", detail(base=publisher.base))
    publisher.publish("/us2000cs46/cont_mmi.json", contours(5.0, 6.5))
    publisher.publish("/us2000cs46/exposures.json", exposures(0, 0, 100, 5000, 800, 300, 40, 2))
    kinds = ",shakemap,losspager,ground-failure,"
    return publisher.publish("/feed", feed(feature(detail=address, types=kinds, updated=updated)))


def watched(address: str) -> Any:
    return replace(usgs_products.SOURCE, addresses=lambda _since: [address])


async def test_products_become_columns_and_contours(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    address = publish_event(publisher)
    await run(usgs_geojson.SOURCE, address)
    outcome = await run(watched(address))
    assert (outcome.findings.read, outcome.rejected) == (1, [])
    (row,) = await owner.fetch(PRODUCTS)
    assert tuple(row) == (7.9, 342, "Yellow", "Green", f"{publisher.base}/us2000cs46/cont_mmi.json")
    lines = await owner.fetch("SELECT event_id, intensity, version FROM hazard.hazard_eq_contours ORDER BY 2")
    assert [tuple(line) for line in lines] == [("us2000cs46", 5.0, 4), ("us2000cs46", 6.5, 4)]
    # the summary of the event, which has no products, leaves them
    await run(usgs_geojson.SOURCE, address)
    assert await owner.fetchval("SELECT max_intensity FROM hazard.hazard_eq_events") == 7.9


async def test_a_revision_is_fetched_once(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    address = publish_event(publisher)
    await run(usgs_geojson.SOURCE, address)
    for _ in range(3):
        await run(watched(address))
    paths = [request.path for request in publisher.asked]
    assert (paths.count("/detail"), paths.count("/us2000cs46/cont_mmi.json")) == (1, 1)
    publish_event(publisher, FEBRUARY_2018 + 950_000)
    publisher.publish("/detail", detail(base=publisher.base, shakemap={"maxmmi": "8.1", "version": "5"}))
    await run(watched(address))
    assert [request.path for request in publisher.asked].count("/detail") == 2
    assert await owner.fetchval("SELECT max_intensity FROM hazard.hazard_eq_events") == 8.1
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_contours") == 2, "their file is the same"


async def test_products_wait_for_their_earthquake(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    """Both sources start together, and the products may be the first."""
    publisher.publish("/us2000cs46/cont_mmi.json", contours(6.0))
    publisher.publish("/us2000cs46/exposures.json", exposures(0, 0, 0, 0, 9, 3, 4))
    details = publisher.publish("/detail", detail("us2000cs46", base=publisher.base))
    event = feature(detail=details, types=",shakemap,losspager,")
    address = publisher.publish("/strong", feed(event), headers={"ETag": '"1"'})
    source = replace(usgs_products.SOURCE, addresses=lambda _since: [address])
    await run(source)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_contours") == 0
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(event)))
    await run(source)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_contours") == 1
    # and then not again
    await run(source)
    asked = [request.path for request in publisher.asked]
    assert (asked.count("/detail"), asked.count("/us2000cs46/cont_mmi.json")) == (2, 2)


async def test_a_missing_file_is_requested_again(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    address = publish_event(publisher)
    await run(usgs_geojson.SOURCE, address)
    lines = publisher.answers.pop("/us2000cs46/cont_mmi.json")
    outcome = await run(watched(address))
    assert [each.record for each in outcome.rejected] == [f"{publisher.base}/us2000cs46/cont_mmi.json"]
    assert await owner.fetchval("SELECT people_strong_shaking FROM hazard.hazard_eq_events") == 342
    publisher.answers["/us2000cs46/cont_mmi.json"] = lines
    await run(watched(address))
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_contours") == 2


def documents(folder: Path, *contents: Any) -> list[Document]:
    """Return documents at the addresses that `detail` names."""
    found = []
    for place, (address, content) in enumerate(contents):
        (folder / str(place)).write_bytes(orjson.dumps(content) if not isinstance(content, str) else content.encode())
        found.append(Document(folder / str(place), address, datetime.now(UTC)))
    return found


def rows_for(*events: str, found: list[Document], findings: Findings) -> list[Any]:
    """Return the rows that the reader makes if these events are stored."""
    rows: list[Any] = []
    for batch in usgs_products.read(found, findings):
        for recall in batch.recalls:
            stored = [
                EarthquakeProducts(each, "USGS", "M 6.4", SHOCK, None, None, None, None, None, None, Point(121, 24))
                for each in events
                if each in recall.where["event_id"]
            ]
            rows += recall.make(stored).rows
    return rows


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"shakemap": {"maxmmi": "99"}}, "no intensity"),
        ({"ground_failure": {"landslide-alert": "purple"}}, "no level"),
    ],
)
def test_an_implausible_product_is_rejected(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    findings = Findings()
    found = documents(tmp_path, ("https://a/1", detail("us1", **changed)), ("https://a/2", detail("us2")))
    rows = rows_for("us1", "us2", found=found, findings=findings)
    assert [row.event_id for _, row in rows] == ["us2"]
    assert [each.record for each in findings.rejected] == ["us1"]
    assert said in findings.rejected[0].reason


def test_lines_at_the_antimeridian_are_split(tmp_path: Path) -> None:
    given = [("https://a/1", detail("us1")), ("https://example.org/us1/cont_mmi.json", contours(6.0, longitude=179.95))]
    rows = rows_for("us1", found=documents(tmp_path, *given), findings=Findings())
    (line,) = (row.geom for target, row in rows if target is CONTOURS)
    assert len(line.geoms) > 1
    assert shapely.get_coordinates(line)[:, 0].max() <= 180


def test_mutated_details_hide_no_other_event(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        given = [
            ("https://a/1", detail("us1")),
            ("https://example.org/us1/cont_mmi.json", contours(6.0)),
            ("https://example.org/us1/exposures.json", exposures(1, 2, 3)),
        ]
        place = chance.randrange(3)
        mutated = mutated_json(given[place][1], chance)
        given[place] = (given[place][0], mutated if isinstance(mutated, dict) else {})
        given += [("https://a/2", detail("us2"))]
        try:
            found = documents(tmp_path, *given)
        except TypeError:
            continue  # a number that JSON of this library cannot write
        rows = rows_for("us1", "us2", found=found, findings=Findings())
        assert "us2" in {row.event_id for _, row in rows}


async def test_a_bulletin_becomes_a_link_of_its_earthquake(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    aftershock = feature("us1", time=FEBRUARY_2018 + 800_000, mag=5.1, ids=",us1,")
    far = feature("us2", time=FEBRUARY_2018 + 600_000, mag=8.0, ids=",us2,", coordinates=[-70, -30, 10])
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(feature(), aftershock, far)))
    outcome = await run(tsunami_bulletins.SOURCE, publisher.publish("/atom", centre(bulletin("Warning"))))
    assert outcome.findings.rejected == []
    rows = await owner.fetch(TSUNAMI)
    assert [tuple(row) for row in rows] == [
        (
            "us2000cs46",
            "Warning",
            "https://www.tsunami.gov/events/PHEB/2018/02/01/18032000/1/WEPA40/WEPA40.txt",
            datetime(2018, 2, 1, 0, 16, tzinfo=UTC),
        )
    ]
    # a later bulletin replaces it, an earlier one does not
    later = bulletin("Cancellation", 2, updated="2018-02-01T02:00:00Z")
    await run(tsunami_bulletins.SOURCE, publisher.publish("/atom", centre(later)))
    await run(tsunami_bulletins.SOURCE, publisher.publish("/atom", centre(bulletin("Watch"))))
    said = await owner.fetchval("SELECT tsunami_status FROM hazard.hazard_eq_events WHERE event_id = 'us2000cs46'")
    assert said == "Cancellation"


async def test_a_bulletin_before_its_earthquake_is_read_again(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    now = datetime.now(UTC)
    entry = bulletin("Threat", updated=now.isoformat())
    address = publisher.publish("/atom", centre(entry), headers={"ETag": '"1"'})
    source = replace(tsunami_bulletins.SOURCE, addresses=lambda _since: [address])
    assert len((await run(source)).findings.left_out) == 1
    milliseconds = int(now.timestamp() * 1000) - 600_000
    event = feature(time=milliseconds, updated=milliseconds)
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(event)))
    await run(source)
    assert await owner.fetchval("SELECT tsunami_status FROM hazard.hazard_eq_events") == "Threat"
    await run(source)
    asked = [request for request in publisher.asked if request.path == "/atom"]
    assert [request.headers.get("If-None-Match") for request in asked] == [None, None, '"1"']


async def test_the_event_that_replaces_another_gets_the_bulletin(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    own = quake(time=now.isoformat(), lastupdate=now.isoformat(), lat=24.2, lon=121.6)
    await run(emsc_earthquakes.SOURCE, publisher.publish("/emsc", collection(own)))
    address = publisher.publish("/atom", centre(bulletin(updated=now.isoformat())), headers={"ETag": '"1"'})
    source = replace(tsunami_bulletins.SOURCE, addresses=lambda _since: [address])
    await run(source)
    assert await owner.fetchval("SELECT tsunami_status FROM hazard.hazard_eq_events") == "Information"
    milliseconds = int(now.timestamp() * 1000)
    event = feature(time=milliseconds, updated=milliseconds)
    await run(usgs_geojson.SOURCE, publisher.publish("/feed", feed(event)))
    await run(source)
    valid = "SELECT source, tsunami_status FROM hazard.hazard_eq_events WHERE withdrawn IS NULL"
    assert [tuple(row) for row in await owner.fetch(valid)] == [("USGS", "Information")]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (bulletin("Holiday"), "no category"),
        (bulletin(updated="soon"), "soon"),
        (bulletin(updated="2999-01-01T00:00:00Z"), "future"),
        (bulletin(place=(121, 95)), "no place"),
    ],
)
def test_an_implausible_bulletin_is_rejected(tmp_path: Path, entry: str, said: str) -> None:
    findings = Findings()
    found = documents(tmp_path, ("https://a/atom", centre(entry, bulletin())))
    assert len(list(tsunami_bulletins.read(found, findings))) == 1
    assert [said in each.reason for each in findings.rejected] == [True]


def test_a_page_is_no_feed_of_bulletins(tmp_path: Path) -> None:
    for text in ("<html><body>403</body></html>", "Access denied", centre()[:80]):
        with pytest.raises(DocumentError):
            list(tsunami_bulletins.read(documents(tmp_path, ("https://a/atom", text)), Findings()))
