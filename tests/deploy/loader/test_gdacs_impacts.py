"""Deaths and displaced people of floods, and GLIDE numbers, from the API of GDACS. Values are simulated."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from shapely.geometry import MultiPolygon, box

from deploy.loader.records.floods import FloodImpact
from deploy.loader.source import DocumentError, Findings
from deploy.loader.sources import gdacs_floods, gdacs_impacts, usgs_geojson
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import feature, feed
from tests.deploy.loader.flood_documents import RETRIEVED, collection, document, gdacs
from tests.deploy.loader.test_mutations import MUTATIONS, SEED, mutated_json


def report(name: str, value: str, region: str, until: str) -> dict[str, Any]:
    return {
        "latest": True, "sendaitype": "A", "sendainame": name, "sendaivalue": value, "country": "Exampleland",
        "region": region, "dateinsert": "2026-06-01T15:57:04", "expires_date": until, "description": "people",
    }  # fmt: skip


REPORTS = [
    report("death", "12", "North", "2026-05-27T02:00:00"),
    report("death", "1,039", "North", "2026-05-31T02:00:00"),
    report("death", "16", "South", "2026-05-27T02:00:00"),
    report("displaced", "3458", "North", "2026-05-31T02:00:00"),
    report("transport damaged", "77", "North", "2026-05-31T02:00:00"),
]


def listed(kind: str, number: int, **changed: Any) -> dict[str, Any]:
    usual = {"eventtype": kind, "eventid": number, "episodeid": 1, "glide": "", "datemodified": "2026-06-01T00:00:00"}
    point = {"type": "Point", "coordinates": [10.5, 10.5]}
    return {"type": "Feature", "geometry": point, "properties": usual | changed}


async def test_impacts_and_glide_numbers_are_added(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    await run(gdacs_floods.SOURCE, publisher.publish("/feed", collection(*gdacs("FL", 7, 1))))
    await run(usgs_geojson.SOURCE, publisher.publish("/usgs", feed(feature())))
    flood = listed("FL", 7, glide="FL-2026-000167-EXA")
    quake = listed("EQ", 8, glide="EQ-2018-000012-TWN", sourceid="us2000cs46")
    address = publisher.publish("/list", collection(flood, quake, listed("FL", 9)))
    data = flood["properties"] | {"sendai": REPORTS}
    path = "/gdacsapi/api/events/geteventdata?eventtype=FL&eventid="
    publisher.publish(f"{path}7", {"type": "Feature", "properties": data})
    publisher.publish(f"{path}9", {"type": "Feature", "properties": listed("FL", 9)["properties"]})
    source = replace(gdacs_impacts.SOURCE, addresses=lambda _since: [address])
    assert (await run(source)).rejected == []
    row = await owner.fetchrow("SELECT dead, displaced, glide_number, hazard_code FROM hazard.hazard_fl_events")
    assert tuple(row) == (1055, 3458, "FL-2026-000167-EXA", "MH0600")
    row = await owner.fetchrow("SELECT glide_number, hazard_code FROM hazard.hazard_eq_events")
    assert tuple(row) == ("EQ-2018-000012-TWN", "GH0101")
    for alias, event_id in (("FL-2026-000167-EXA", "GDACS-FL7"), ("EQ-2018-000012-TWN", "us2000cs46")):
        assert await owner.fetchval("SELECT dams.event_of_alias($1)", alias) == event_id
    # the feed, which has no impacts, leaves them
    await run(gdacs_floods.SOURCE, publisher.publish("/feed", collection(*gdacs("FL", 7, 2))))
    assert await owner.fetchval("SELECT dead FROM hazard.hazard_fl_events") == 1055
    before = len(publisher.asked)
    await run(source)
    assert len(publisher.asked) == before + 1, "the data are unchanged"


def rows_of(found: Any, folder: Path) -> tuple[list[Any], Findings]:
    findings = Findings()
    area = MultiPolygon([box(0, 0, 1, 1)])
    stored = [FloodImpact(f"GDACS-FL{number}", RETRIEVED, None, None, None, area) for number in (7, 8)]
    batches = gdacs_impacts.read([document(folder, "list.json", found)], findings)
    recalls = [recall for batch in batches for recall in batch.recalls if "source" not in recall.where]
    rows = [
        row
        for recall in recalls
        for _, row in recall.make([each for each in stored if each.event_id in recall.where["event_id"]]).rows
    ]
    return rows, findings


def test_an_implausible_count_is_rejected(tmp_path: Path) -> None:
    many = [report("death", "-4", "North", "2026-05-27T02:00:00")]
    found = collection(listed("FL", 7, sendai=many), listed("FL", 8, sendai=REPORTS))
    rows, findings = rows_of(found, tmp_path)
    assert [(row.event_id, row.dead) for row in rows] == [("GDACS-FL8", 1055)]
    assert [each.record for each in findings.rejected] == ["FL7"]


def test_a_mutated_event_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(MUTATIONS):
        changed = mutated_json(listed("FL", 7, sendai=REPORTS), chance)
        rows, _ = rows_of(collection(changed, listed("FL", 8, sendai=REPORTS)), tmp_path)
        assert "GDACS-FL8" in {row.event_id for row in rows}


def test_another_document_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="neither a list"):
        rows_of({"error": "x"}, tmp_path)
