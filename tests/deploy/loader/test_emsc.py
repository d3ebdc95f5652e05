"""Earthquakes of the EMSC beside those of the USGS: no earthquake is valid twice. Values are simulated."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest

from deploy.loader.source import DocumentError
from deploy.loader.sources import emsc_earthquakes, usgs_geojson
from tests.deploy.loader.conftest import Load, Publisher
from tests.deploy.loader.earthquake_feed import FEBRUARY_2018, feature, feed

SOURCE = emsc_earthquakes.SOURCE
HUALIEN = datetime(2018, 2, 1, 0, 8, 20, tzinfo=UTC)
"""The time of the USGS's event."""


def quake(number: int = 1, seconds: float = 4, **changed: Any) -> dict[str, Any]:
    """An event of the EMSC, by default the USGS's as the EMSC locates it."""
    unid = f"20180201_{number:07}"
    properties = {
        "source_id": "642000", "source_catalog": "EMSC-RTS", "lastupdate": "2018-02-01T02:00:00.546951Z",
        "time": (HUALIEN + timedelta(seconds=seconds)).isoformat(), "flynn_region": "TAIWAN REGION", "lat": 24.3,
        "lon": 121.9, "depth": 10.0, "evtype": "ke", "auth": "EMSC", "mag": 6.3, "magtype": "mw", "unid": unid,
    } | changed  # fmt: skip
    point = {"type": "Point", "coordinates": [properties["lon"], properties["lat"], -10.0]}
    return {"type": "Feature", "geometry": point, "id": unid, "properties": properties}


def collection(*features: Any) -> dict[str, Any]:
    return {"type": "FeatureCollection", "metadata": {"count": len(features)}, "features": list(features)}


async def valid(owner: asyncpg.Connection) -> list[str]:
    found = await owner.fetch("SELECT event_id FROM hazard.hazard_eq_events WHERE withdrawn IS NULL ORDER BY 1")
    return [row["event_id"] for row in found]


async def test_an_event_becomes_a_row(owner: asyncpg.Connection, run: Load, publisher: Publisher) -> None:
    outcome = await run(SOURCE, publisher.publish("/emsc", collection(quake(), quake(2, 900, evtype="kh", mag=None))))
    assert (outcome.counts.inserted, outcome.findings.rejected) == (2, [])
    row = await owner.fetchrow("SELECT * FROM hazard.hazard_eq_events WHERE event_id = 'EMSC-20180201_0000001'")
    assert (row["title"], row["magnitude"], row["magnitude_type"], row["depth"]) == (
        "M 6.3 - Taiwan Region",
        6.3,
        "mw",
        10,
    )
    assert (row["source"], row["network"], row["event_type"]) == ("EMSC", "EMSC", "earthquake")
    assert row["nearest_place"] is not None
    kinds = await owner.fetch("SELECT event_type FROM hazard.hazard_eq_events WHERE magnitude IS NULL")
    assert [each[0] for each in kinds] == ["chemical explosion"]
    assert (await run(SOURCE, publisher.publish("/emsc", collection(quake())))).counts.changed == 0


@pytest.mark.parametrize("first", ["usgs", "emsc"])
async def test_the_usgs_wins_in_whatever_order(
    owner: asyncpg.Connection, run: Load, publisher: Publisher, first: str
) -> None:
    usgs = publisher.publish("/usgs", feed(feature()))
    emsc = publisher.publish("/emsc", collection(quake(), quake(2, 900), quake(3, 4, lat=30.0)))
    loads = [(usgs_geojson.SOURCE, usgs), (SOURCE, emsc)]
    for source, address in loads if first == "usgs" else reversed(loads):
        await run(source, address)
    others = ["EMSC-20180201_0000002", "EMSC-20180201_0000003"]
    assert await valid(owner) == [*others, "us2000cs46"]
    assert await owner.fetchval("SELECT dams.event_of_alias('EMSC-20180201_0000001')") == "us2000cs46"
    for source, address in loads:
        assert (await run(source, address)).counts.changed == 0
    # a later revision of the EMSC changes nothing about it
    revised = quake(lastupdate="2018-02-03T00:00:00Z", mag=6.9)
    await run(SOURCE, publisher.publish("/emsc", collection(revised)))
    assert await valid(owner) == [*others, "us2000cs46"]


async def test_two_aftershocks_are_each_one_earthquake(
    owner: asyncpg.Connection, run: Load, publisher: Publisher
) -> None:
    later = FEBRUARY_2018 + 512_000
    usgs = publisher.publish("/usgs", feed(feature(), feature("us1", time=later, ids=",us1,")))
    await run(usgs_geojson.SOURCE, usgs)
    await run(SOURCE, publisher.publish("/emsc", collection(quake(1, 1), quake(2, 11), quake(3, 14))))
    assert await valid(owner) == ["EMSC-20180201_0000003", "us1", "us2000cs46"]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"lat": 91}, "lat"),
        ({"time": "soon"}, "time"),
        ({"lastupdate": "2999-01-01T00:00:00Z"}, "future"),
        ({"mag": 99}, "mag"),
    ],
)
async def test_an_implausible_event_is_rejected(
    run: Load, publisher: Publisher, changed: dict[str, Any], said: str
) -> None:
    outcome = await run(SOURCE, publisher.publish("/emsc", collection(quake(), quake(2, 900, **changed))))
    assert [said in each.reason for each in outcome.findings.rejected] == [True]
    assert outcome.counts.inserted == 1


async def test_another_document_is_refused(run: Load, publisher: Publisher) -> None:
    with pytest.raises(DocumentError, match="no list of features"):
        await run(SOURCE, publisher.publish("/emsc", {"metadata": {}}))
