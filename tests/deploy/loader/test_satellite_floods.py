"""Floods that satellites saw: activations of Copernicus EMS, and rasters of its Global Flood Monitoring."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.loader.source import Document, DocumentError, Findings
from deploy.loader.sources import copernicus_ems, flood_footprints
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.flood_documents import RETRIEVED, document, rows_of
from tests.deploy.loader.satellite_documents import RASTER, activation, footprint, listed, raster, square
from tests.deploy.loader.test_mutations import MUTATIONS, SEED

EMS, GFM = copernicus_ems.SOURCE, flood_footprints.SOURCE
LIST, DETAILS = "/api/public-activations-info/", "/api/public-activations/"


def publish(publisher: Publisher, details: dict[str, object], *others: dict[str, object]) -> str:
    """Publish the list with an activation; return its address."""
    revision = {"lastUpdate": details["lastUpdate"]}
    publisher.publish(f"{DETAILS}?code={details['code']}", {"results": [details]})
    return publisher.publish(LIST, {"count": 1, "results": [listed(838, **revision), *others]})


async def test_a_footprint_replaces_the_areas_to_be_mapped(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    others = [listed(839, category="Wildfire"), listed(7, closed=True, lastUpdate="2020-01-01T00:00:00")]
    address = publish(publisher, activation(838), *others)
    source = replace(EMS, addresses=lambda _since: [address])
    assert (await run(source)).rejected == []
    event = "SELECT event_id, title, country, area_km2 FROM hazard.hazard_fl_events"
    (row,) = await owner.fetch(event)
    assert tuple(row)[:3] == ("EMSR838", "Flood in Pakistan 838 (areas to be mapped)", "Pakistan")
    assert row["area_km2"] > 10_000

    publisher.publish("/layer.json", footprint(square(67.2, 26.2), square(67.5, 26.2)))
    details = activation(838, "/layer.json", base=publisher.base, lastUpdate="2026-05-23T10:00:00")
    publish(publisher, details, *others)
    await run(source)
    (row,) = await owner.fetch(event)
    assert row["title"] == "Flood in Pakistan 838"
    assert row["area_km2"] == pytest.approx(2 * 440, rel=0.05)
    # the same revision is not fetched again
    publish(publisher, details, *others)
    await run(source)
    assert [request.path for request in publisher.asked].count("/layer.json") == 1
    # a new revision has its footprint again
    publish(publisher, {**details, "lastUpdate": "2026-05-24T10:00:00", "closed": True}, *others)
    await run(source)
    row = await owner.fetchrow("SELECT title, ended FROM hazard.hazard_fl_events")
    assert tuple(row) == ("Flood in Pakistan 838", datetime(2026, 5, 24, 10, tzinfo=UTC))


def test_areas_that_are_not_flooded_are_left_out(tmp_path: Path) -> None:
    found = [
        document(
            tmp_path, "details.json", {"results": [activation(838, "/a.json"), activation(839, category="Wildfire")]}
        ),
        document(tmp_path, "a.json", {}),
    ]
    layer = footprint(square(67.2, 26.2))
    layer["features"] += footprint(square(67.7, 26.2), obj_desc="Landslide")["features"]
    found[1] = document(tmp_path, "a.json", layer)
    (row,), findings = rows_of(EMS, *found)
    assert row.geom.bounds[2] == pytest.approx(67.4)
    assert [each.record for each in findings.left_out] == ["EMSR839"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"eventTime": "2030-01-01T00:00:00"}, "future"),
        ({"eventTime": "soon"}, "eventTime"),
        ({"aois": [{"extent": "POLYGON ((0 95, 1 95, 1 96, 0 95))"}]}, "beyond the world"),
        ({"aois": [{"name": "x"}]}, "neither a footprint"),
    ],
)
def test_an_implausible_activation_is_rejected(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    details = {"results": [activation(838, **changed), activation(839)]}
    rows, findings = rows_of(EMS, document(tmp_path, "details.json", details))
    assert [row.event_id for row in rows] == ["EMSR839"]
    assert [said in each.reason for each in findings.rejected] == [True]


def test_a_raster_becomes_an_area(tmp_path: Path) -> None:
    path = raster(tmp_path)
    (row,), findings = rows_of(GFM, Document(path, f"https://data.example/{RASTER}", RETRIEVED))
    assert row.event_id == f"GFM-{RASTER.removesuffix('.tif')}"
    assert row.area_km2 == pytest.approx(2.0, rel=0.02), "without noise and unknown pixels"
    assert row.began == row.ended == findings.issued == datetime(2026, 5, 28, 15, 37, 25, tzinfo=UTC)
    west, south, east, north = row.geom.bounds
    assert (round(west), round(south)) == (67, 26)
    assert (east - west, north - south) == (pytest.approx(0.02, abs=0.002), pytest.approx(0.009, abs=0.001))


def test_a_large_raster_is_read_at_a_lower_resolution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flood_footprints, "_MOST_PIXELS", 50)
    (row,), _ = rows_of(GFM, Document(raster(tmp_path), RASTER, RETRIEVED))
    assert row.area_km2 == pytest.approx(2.0, rel=0.15)


def test_a_raster_across_the_antimeridian_is_split(tmp_path: Path) -> None:
    # zone 1 of UTM begins there
    path = raster(tmp_path, crs="EPSG:32601", west=187_000)
    (row,), _ = rows_of(GFM, Document(path, RASTER, RETRIEVED))
    assert row.area_km2 == pytest.approx(2.0, rel=0.02)
    assert row.geom.bounds[0] == pytest.approx(-180, abs=0.2) or row.geom.bounds[2] == pytest.approx(180, abs=0.2)


async def test_a_missing_footprint_is_requested_with_the_others(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    publisher.publish("/a.json", footprint(square(67.2, 26.2)))
    address = publish(publisher, activation(838, "/a.json", "/b.json", base=publisher.base))
    source = replace(EMS, addresses=lambda _since: [address])
    assert len((await run(source)).rejected) == 1
    publisher.publish("/b.json", footprint(square(67.6, 26.2)))
    assert (await run(source)).rejected == []
    area = await owner.fetchval("SELECT area_km2 FROM hazard.hazard_fl_events")
    assert area == pytest.approx(2 * 440, rel=0.05)


async def test_a_search_leads_to_rasters(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, tmp_path: Path
) -> None:
    address = publisher.publish(f"/GFM/{RASTER}", raster(tmp_path).read_bytes())
    dry = RASTER.replace("153725", "153800")
    publisher.publish(f"/GFM/{dry}", raster(tmp_path, dry, size=15).read_bytes())
    items = [
        {"type": "Feature", "id": each, "assets": {"ensemble_flood_extent": {"href": href}}, "geometry": None}
        for each, href in (("a", address), ("b", f"/GFM/{dry}"))
    ]
    search = publisher.publish("/search", {"type": "FeatureCollection", "features": [*items, {"assets": {}}]})
    source = replace(GFM, addresses=lambda _since: [search])
    outcome = await run(source)
    assert (outcome.counts.inserted, len(outcome.findings.left_out)) == (1, 1)
    await run(source)
    assert sum("/GFM/" in request.path for request in publisher.asked) == 2
    assert await owner.fetchval("SELECT source FROM hazard.hazard_fl_events") == "Copernicus GFM"
    publisher.publish("/search", {"type": "FeatureCollection", "features": []})
    assert (await run(source)).counts.changed == 0


@pytest.mark.parametrize(
    ("name", "crs", "said"),
    [
        ("flood.tif", "EPSG:32642", "no time"),
        (RASTER.replace("2026", "2036"), "EPSG:32642", "future"),
        (RASTER, None, "no coordinate reference system"),
    ],
)
def test_an_implausible_raster_is_rejected(tmp_path: Path, name: str, crs: str | None, said: str) -> None:
    findings = Findings()
    assert list(GFM.read([Document(raster(tmp_path, name, crs=crs), name, RETRIEVED)], findings)) == []
    assert [said in each.reason for each in findings.rejected] == [True]


def test_a_mutated_raster_hides_no_other(tmp_path: Path) -> None:
    chance = random.Random(SEED)  # noqa: S311 - no secret
    whole = raster(tmp_path).read_bytes()
    other = RASTER.replace("153725", "153800")
    second = raster(tmp_path, other)
    for _ in range(MUTATIONS // 4):
        changed = bytearray(whole)
        # the first bytes are what a raster is known by
        for _ in range(chance.randrange(1, 20)):
            changed[chance.randrange(4, len(changed))] = chance.randrange(256)
        (tmp_path / RASTER).write_bytes(
            changed[: chance.randrange(5, len(changed))] if chance.random() < 0.3 else changed
        )
        given = [Document(tmp_path / RASTER, RASTER, RETRIEVED), Document(second, other, RETRIEVED)]
        rows, _ = rows_of(GFM, *given)
        assert f"GFM-{other.removesuffix('.tif')}" in {row.event_id for row in rows}


def test_a_page_is_neither_a_list_nor_a_raster(tmp_path: Path) -> None:
    for source in (EMS, GFM):
        with pytest.raises(DocumentError):
            rows_of(source, document(tmp_path, "page", "<html><title>403</title></html>"))
