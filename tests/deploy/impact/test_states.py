"""What is computed when, and how documents tell what is unknown from what is zero."""

from __future__ import annotations

import asyncio
from uuid import uuid4

import asyncpg
import pytest

from deploy.database.apply import ensure_loader
from deploy.impact.computing import due, forget
from deploy.impact.exposure import Files
from deploy.impact.watching import update, watch
from deploy.loader.places.packaged import SourceMissingError
from tests.deploy.impact.conftest import AddPlaces, AddZone, Computed
from tests.eventually import eventually

_SQUARE = "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))"
_AT_SEA = "POLYGON((50 0, 52 0, 52 2, 50 2, 50 0))"


async def test_zone_without_places_has_zero_people(
    add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places([(1.0, 1.0, 700)])
    await add_zone("A", _AT_SEA)
    found = await computed("A")
    assert found["has_zones"]
    assert [zone["people"] for zone in found["impact"]["zones"]] == [0]
    assert found["headline"]["people"] == 0


async def test_event_without_zones_has_no_figure(add_places: AddPlaces, add_zone: AddZone, computed: Computed) -> None:
    await add_places([(1.0, 1.0, 700)])
    await add_zone("A", None)
    found = await computed("A")
    assert (found["has_zones"], found["headline"], found["impact"]["zones"]) == (False, None, [])
    assert found["impact"]["missing"] == ["No collection has zones of this event."]


async def test_without_exposure_data_there_is_no_figure(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute("DELETE FROM exposure.dataset")
    await add_zone("A", _SQUARE)
    found = await computed("A")
    assert (found["has_zones"], found["headline"], found["impact"]["zones"]) == (False, None, [])
    assert found["impact"]["missing"] == ["No exposure data are loaded."]


async def test_small_and_deep_earthquakes_say_why_nothing_is_estimated(
    database: asyncpg.Connection, computed: Computed
) -> None:
    for event, magnitude, depth in (("small", 4.9, 10.0), ("deep", 6.0, 191.0), ("unknown", None, 10.0)):
        await database.execute(
            "INSERT INTO hazard.hazard_eq_events (event_id, magnitude, depth, event_date, source, geom) "
            "VALUES ($1, $2, $3, '2020-01-01', 'tests', 'SRID=4326;POINT(0 0)')",
            event,
            magnitude,
            depth,
        )
    reasons = {event: (await computed(event))["impact"]["missing"] for event in ("small", "deep", "unknown")}
    assert reasons == {
        "small": ["The intensity equation is for magnitudes 5.0 to 7.9."],
        "deep": ["The intensity equation is for earthquakes of the crust, down to 40 km."],
        "unknown": ["The magnitude or the depth of the earthquake is unknown."],
    }


async def test_headline_is_of_the_strongest_zone_with_people(
    add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places([(1.0, 1.0, 700), (3.0, 1.0, 300)])
    await add_zone("A", _AT_SEA, wind=64)
    await add_zone("A", "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))", wind=50)
    await add_zone("A", "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))", wind=34)
    await add_zone("A", "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))", wind=64, kind="forecast")
    head = (await computed("A"))["headline"]
    assert (head["zone"], head["kind"], head["people"], head["areas"]) == ("50 kt", "analysed", 700, ["North", "Xland"])


async def test_headline_without_people_is_of_the_widest_zone(add_zone: AddZone, computed: Computed) -> None:
    await add_zone("A", _AT_SEA, wind=64)
    await add_zone("A", _AT_SEA, wind=34)
    head = (await computed("A"))["headline"]
    assert (head["zone"], head["people"]) == ("34 kt", 0)


async def test_storm_without_zones_has_those_of_a_model(
    database: asyncpg.Connection, add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places([(0.1, 15.1, 700), (30.0, 15.0, 900)])
    await add_zone("A", None)
    await database.execute(
        "INSERT INTO hazard.hazard_ts_nodes (event_id, valid_time, kind, wind_kt, geom) "
        "SELECT 'A', '2020-01-01'::timestamptz + n * interval '6 hours', 'analysed', 60, "
        "ST_SetSRID(ST_MakePoint(n, 15), 4326) FROM generate_series(-2, 2) AS n"
    )
    zones = (await computed("A"))["impact"]["zones"]
    # never 64 kt, and the wider the weaker
    assert [(zone["zone"], zone["kind"], zone["people"]) for zone in zones] == [
        ("50 kt", "estimated", 700),
        ("34 kt", "estimated", 700),
    ]
    assert zones[0]["sources"] == ["derived from nodes"]
    assert 0 < zones[0]["areaKm2"] < zones[1]["areaKm2"]
    await database.execute("UPDATE hazard.hazard_ts_nodes SET wind_kt = 70")
    assert [event["event_id"] for event in await due(database)] == ["A"]
    # the storm's own zones replace them
    await add_zone("A", _AT_SEA)
    assert [zone["kind"] for zone in (await computed("A"))["impact"]["zones"]] == ["analysed"]


async def test_products_of_the_usgs_lead_to_their_pages(database: asyncpg.Connection, computed: Computed) -> None:
    detail = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/detail/us1.geojson"
    page = "https://earthquake.usgs.gov/earthquakes/eventpage/us1"
    for event, url in (("Q1", page), ("Q2", None)):
        await database.execute(
            "INSERT INTO hazard.hazard_eq_events (event_id, magnitude, depth, event_date, source, geom, url, "
            "detail_url, shakemap_url, population_impact_url, ground_failure_url) "
            "VALUES ($1, 6, 10, '2020-01-01', 'USGS', 'SRID=4326;POINT(0 0)', $2, $3, $3, $3, $3)",
            event,
            url,
            detail,
        )
    listed = [
        {each["title"]: each["url"] for each in (await computed(event))["impact"]["published"]}
        for event in ("Q1", "Q2")
    ]
    assert listed == [
        {
            "ShakeMap": f"{page}/shakemap/intensity",
            "PAGER": f"{page}/pager",
            "Ground failure": f"{page}/ground-failure/summary",
            "All products": detail,
            "Event page": page,
        },
        {"ShakeMap": detail, "Population impact": detail, "Ground failure": detail, "All products": detail},
    ]


async def test_facility_is_listed_once_with_its_strongest_zone(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute(
        "INSERT INTO exposure.facility VALUES "
        "(1, 'airport', 'IATA code', 'AAAA', 'Inner', 'XX', 'Xland', NULL, 'SRID=4326;POINT(1 1)'), "
        "(2, 'airport', 'IATA code', 'BBBB', 'Outer', 'XX', 'Xland', NULL, 'SRID=4326;POINT(3 3)')"
    )
    await add_zone("A", _SQUARE, wind=64)
    await add_zone("A", "POLYGON((0 0, 4 0, 4 4, 0 4, 0 0))", wind=34)
    found = (await computed("A"))["facilities"]
    assert [(each["code"], each["zone"]) for each in found["facilities"]] == [("AAAA", "64 kt"), ("BBBB", "34 kt")]
    assert [(zone["zone"], zone["facilities"]) for zone in found["zones"]] == [("64 kt", 1), ("34 kt", 2)]


async def test_only_changed_events_are_due(database: asyncpg.Connection, add_zone: AddZone, computed: Computed) -> None:
    await add_zone("A", _SQUARE)
    await add_zone("B", _SQUARE)
    await computed("A")
    assert await due(database) == []
    await database.execute("UPDATE hazard.hazard_ts_buffers SET geom = ST_Translate(geom, 1, 0) WHERE event_id = 'B'")
    assert [event["event_id"] for event in await due(database)] == ["B"]
    await computed("B")
    await database.execute("UPDATE exposure.dataset SET fingerprint = 'b'")
    assert {event["event_id"] for event in await due(database)} == {"A", "B"}


async def test_event_that_is_gone_is_forgotten(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await add_zone("A", _SQUARE)
    await add_zone("B", _SQUARE)
    await computed("A")
    for table in ("hazard_ts_events", "hazard_ts_buffers"):
        await database.execute(f"DELETE FROM hazard.{table} WHERE event_id = 'A'")  # noqa: S608 - constant
    assert await forget(database) == 1
    assert [row["event_id"] for row in await database.fetch("SELECT event_id FROM impact.event")] == ["B"]


async def test_people_of_each_advisory_are_counted(
    database: asyncpg.Connection, add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places([(1.0, 1.0, 700)])
    await add_zone("A", None)
    for number, wkt in ((1, _AT_SEA), (2, _SQUARE)):
        await database.execute(
            "INSERT INTO hazard.hazard_ts_advisory_buffers (event_id, wind_speed_kt, start_date, end_date, kind, "
            "scope, advisory, advisory_time, geom) "
            "VALUES ('A', 64, '2020-01-01', '2020-01-02', 'forecast', 'whole', $1::integer, "
            "'2020-01-01'::timestamptz + $1::integer * interval '6 hours', ST_Multi(ST_GeomFromText($2, 4326)))",
            number,
            wkt,
        )
    advisories = (await computed("A"))["impact"]["advisories"]
    assert [(each["advisory"], each["zones"][0]["people"]) for each in advisories] == [(1, 0), (2, 700)]
    assert advisories[0]["issued"] == "2020-01-01T06:00:00Z"


async def test_loader_role_computes_after_each_change(
    url: str,
    database: asyncpg.Connection,
    add_places: AddPlaces,
    add_zone: AddZone,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def find() -> Files:
        raise SourceMissingError("not installed")

    # the packaged data would take the place of those of this test
    monkeypatch.setattr(Files, "find", find)
    role = f"test_impact_{uuid4().hex[:12]}"
    await ensure_loader(database, role, "secret")
    await add_places([(1.0, 1.0, 700)])
    server = url.partition("@")[2]
    said: list[str] = []
    loader = await asyncpg.connect(f"postgresql://{role}:secret@{server}")
    assert await update(loader, said.append) == 0
    await loader.close()
    watching = asyncio.create_task(watch(f"postgresql://{role}:secret@{server}", said.append))
    try:
        await add_zone("A", _SQUARE)

        async def is_computed() -> bool:
            return bool(
                await database.fetchval(
                    "SELECT (headline ->> 'people')::int = 700 FROM impact.event WHERE event_id = 'A' AND has_zones"
                )
            )

        await eventually(is_computed, seconds=60)
    finally:
        watching.cancel()
    assert not [line for line in said if line.startswith("error")]


async def test_an_area_in_which_a_storm_may_form_has_no_impact(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await add_zone("AL912020-0101", None)
    await database.execute(
        "INSERT INTO hazard.hazard_ts_disturbance_buffers (event_id, start_date, end_date, kind, formation_area, geom) "
        "VALUES ('AL912020-0101', '2020-01-01', '2020-01-08', 'formation', 'AL-1', "
        "ST_Multi(ST_MakeEnvelope(0, 0, 5, 5, 4326)))"
    )
    await add_zone("AL912020-0101", "POLYGON((0 0, 1 0, 1 1, 0 0))")
    zones = (await computed("AL912020-0101"))["impact"]["zones"]
    assert [zone["zone"] for zone in zones] == ["64 kt"]


async def test_flooded_area_comes_before_the_area_of_the_alert(
    database: asyncpg.Connection, add_places: AddPlaces, computed: Computed
) -> None:
    await add_places([(1.0, 1.0, 700), (3.0, 3.0, 50)])
    await database.execute(
        "INSERT INTO hazard.hazard_fl_alerts (alert_id, event_id, title, alert_level, issued, geom) "
        "VALUES ('a', 'F', 'Flood', 'Red', '2020-01-01', ST_Multi(ST_MakeEnvelope(0, 0, 4, 4, 4326)))"
    )
    await database.execute(
        "INSERT INTO hazard.hazard_fl_events (event_id, title, began, geom) "
        "VALUES ('F', 'Flood', '2020-01-01', ST_Multi(ST_MakeEnvelope(0, 0, 2, 2, 4326)))"
    )
    found = await computed("F")
    assert [(zone["zone"], zone["people"]) for zone in found["impact"]["zones"]] == [
        ("flooded area", 700),
        ("alert area", 750),
    ]
    assert found["headline"]["zone"] == "flooded area"
