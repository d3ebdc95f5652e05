"""Units and facilities come from the tables that the collections file names, and faults of these are reported."""

from __future__ import annotations

from typing import Any

import asyncpg
import orjson
import pytest

from deploy.impact.computing import compute, due
from deploy.impact.configured import load_configured
from deploy.impact.settings import read_config
from libs.catalogue.exposure import ExposureConfig, Facilities, Units
from libs.web.settings import SettingsError
from tests.deploy.impact.conftest import AddPlaces, AddZone, Computed

_SAID = {
    "title": "Made up",
    "source": "tests",
    "licence": "CC0",
    "licence_url": "https://example.org/cc0",
    "vintage": "2024",
}
_SQUARE = "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))"


@pytest.fixture
async def tables(database: asyncpg.Connection) -> None:
    """Hospitals in Web Mercator, and districts with names that need quotes."""
    await database.execute(
        "CREATE SCHEMA ours;"
        'CREATE TABLE ours."Health" (no integer, label text, "Level" text, shape geometry(Point, 3857));'
        "INSERT INTO ours.\"Health\" SELECT n, 'Hospital ' || n, 'regional', "
        "ST_Transform(ST_SetSRID(ST_MakePoint(n, 1), 4326), 3857) FROM generate_series(1, 3) n;"
        "INSERT INTO ours.\"Health\" VALUES (4, 'Without a place', NULL, NULL);"
        "CREATE TABLE ours.districts (iso text, land text, district text, area geography(Polygon, 4326));"
        "INSERT INTO ours.districts VALUES ('XX', 'Xland', 'East', ST_MakeEnvelope(1, 0, 5, 5, 4326)::geography),"
        "('XX', 'Xland', 'West', ST_MakeEnvelope(-5, 0, 1, 5, 4326)::geography);"
        "INSERT INTO exposure.unit VALUES "
        "(1, 'XX', 'Xland', NULL, ST_Multi(ST_MakeEnvelope(-5, 0, 5, 5, 4326))),"
        "(2, 'XX', 'Xland', 'Packaged', ST_Multi(ST_MakeEnvelope(-5, 0, 5, 5, 4326)))"
    )


def hospitals(**changed: Any) -> Facilities:
    given = {"table": "ours.Health", "kind": "hospital", "class": "Level", "code": "no", "name": "label"}
    return Facilities.model_validate(_SAID | given | changed)


def districts(**changed: Any) -> Units:
    given = {"table": "ours.districts", "country_code": "iso", "country": "land", "province": "district"}
    return Units.model_validate(_SAID | given | changed)


@pytest.mark.usefixtures("tables")
async def test_facilities_of_a_table_are_listed(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await add_zone("A", _SQUARE)
    before = (await computed("A"))["facilities"]
    config = ExposureConfig(facilities=(hospitals(),))
    assert await load_configured(database, config) == {}
    found = (await computed("A"))["facilities"]
    assert before["facilities"] == []
    assert [(each["kind"], each["class"], each["code"], each["country"]) for each in found["facilities"]] == [
        ("hospital", "regional", "1", "Xland"),
        ("hospital", "regional", "2", "Xland"),
    ]
    assert [each["dataset"] for each in found["exposure"]] == ["airports", "facilities: hospital"]
    # unchanged rows are not loaded again, changed ones are
    assert await load_configured(database, config) == {}
    assert await due(database) == []
    await database.execute('DELETE FROM ours."Health" WHERE no = 1')
    await load_configured(database, config)
    assert [each["code"] for each in (await computed("A"))["facilities"]["facilities"]] == ["2"]
    await load_configured(database, ExposureConfig())
    assert (await computed("A"))["facilities"]["facilities"] == []


@pytest.mark.usefixtures("tables")
async def test_facilities_with_the_same_code_are_all_listed(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute('UPDATE ours."Health" SET no = 7')
    await load_configured(database, ExposureConfig(facilities=(hospitals(),)))
    await add_zone("A", _SQUARE)
    found = (await computed("A"))["facilities"]
    assert (found["zones"][0]["facilities"], len(found["facilities"])) == (2, 2)


@pytest.mark.usefixtures("tables")
async def test_units_of_a_table_replace_the_packaged_ones(
    database: asyncpg.Connection, add_places: AddPlaces, add_zone: AddZone, computed: Computed
) -> None:
    await add_places([(0.5, 1.0, 700), (1.5, 1.0, 600)])
    await add_zone("A", _SQUARE)
    await load_configured(database, ExposureConfig())
    assert [each["name"] for each in (await computed("A"))["impact"]["zones"][0]["land"][0]["provinces"]] == [
        "Packaged"
    ]
    config = ExposureConfig(units=(districts(),))
    assert await load_configured(database, config) == {}
    impact = (await computed("A"))["impact"]
    [zone] = impact["zones"]
    [country] = zone["countries"]
    half = pytest.approx(zone["areaKm2"] / 2, rel=0.001)
    assert [(each["name"], each["people"], each["areaKm2"]) for each in country["provinces"]] == [
        ("West", 700, half),
        ("East", 600, half),
    ]
    assert country["areaKm2"] == pytest.approx(zone["areaKm2"], rel=0.001)
    assert "units: ours.districts" in [each["dataset"] for each in impact["exposure"]]
    # the places were loaded again, or the table is no longer named
    await database.execute("DELETE FROM exposure.place_unit")
    await load_configured(database, config, all_units=True)
    assert await database.fetchval("SELECT count(*) FROM exposure.place_unit") == 2
    await load_configured(database, ExposureConfig())
    [zone] = (await computed("A"))["impact"]["zones"]
    assert [each["name"] for each in zone["countries"][0]["provinces"]] == ["North"]
    assert [each["name"] for each in zone["land"][0]["provinces"]] == ["Packaged"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"table": "ours.none"}, "there is no such table with a geometry"),
        ({"code": "none"}, 'column "none" does not exist'),
        ({"table": "ours.flat"}, "there is no such table with a geometry"),
        ({"table": "ours.unknown"}, "SRID"),
        ({"table": "ours.empty"}, "it has no rows with a geometry"),
    ],
)
@pytest.mark.usefixtures("tables")
async def test_table_that_cannot_be_used_is_named(
    changed: dict[str, str], message: str, database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute(
        'CREATE TABLE ours.flat AS SELECT no, label, "Level" FROM ours."Health";'
        'CREATE TABLE ours.empty AS SELECT * FROM ours."Health" WHERE false;'
        'CREATE TABLE ours.unknown AS SELECT no, label, "Level", ST_SetSRID(shape, 0) AS shape FROM ours."Health"'
    )
    await load_configured(database, ExposureConfig(facilities=(hospitals(),)))
    problems = await load_configured(database, ExposureConfig(facilities=(hospitals(**changed),)))
    assert list(problems) == ["facilities: hospital"]
    assert message in problems["facilities: hospital"]
    await database.executemany("INSERT INTO exposure.problem VALUES ($1, $2)", problems.items())
    await add_zone("A", _SQUARE)
    found = await computed("A")
    # the rows of before are not shown as if they were current
    assert found["facilities"]["facilities"] == []
    assert found["facilities"]["missing"] == list(problems.values())
    assert found["impact"]["missing"] == []


async def test_without_any_facilities_their_number_is_unknown(
    database: asyncpg.Connection, add_zone: AddZone, computed: Computed
) -> None:
    await database.execute("DELETE FROM exposure.dataset WHERE dataset = 'airports'")
    await add_zone("A", _SQUARE)
    found = await computed("A")
    assert (found["has_zones"], found["has_facilities"]) == (True, False)
    assert (found["facilities"]["zones"], found["facilities"]["missing"]) == ([], ["No facilities are loaded."])


async def test_event_that_fails_does_not_stop_the_others(
    database: asyncpg.Connection, add_places: AddPlaces, add_zone: AddZone, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_places([(1.0, 1.0, 700)])
    await add_zone("A", _SQUARE)
    await add_zone("B", _SQUARE)
    await compute(database, await due(database))
    await database.execute("UPDATE hazard.hazard_ts_events SET category = 'C2'")
    monkeypatch.setattr("deploy.impact.computing.intensity_raster", _fail_on("B"))
    said: list[str] = []
    await compute(database, await due(database), said.append)
    rows = {row["event_id"]: row for row in await database.fetch("SELECT * FROM impact.event")}
    assert orjson.loads(rows["A"]["headline"])["people"] == 700
    # its figures of before are those of other data
    assert (rows["B"]["has_zones"], rows["B"]["headline"]) == (False, None)
    assert orjson.loads(rows["B"]["impact"])["missing"] == [
        "The figures could not be computed, because of an error. The worker tries again."
    ]
    assert said == ["error: event B: ValueError: broken"]
    assert [event["event_id"] for event in await due(database)] == ["B"]
    monkeypatch.undo()
    await compute(database, await due(database))
    assert await due(database) == []


def _fail_on(event: str) -> Any:
    def fail(_hazard: str, _shapes: Any, tags: dict[str, str]) -> None:
        if tags["EVENT_ID"] == event:
            raise ValueError("broken")

    return fail


def test_section_is_read_and_faults_are_named(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text(
        "collections: {}\nexposure: {population: {raster: /p.tif, title: P, source: S, licence: L, "
        "licence_url: 'https://example.org', vintage: 2025}}"
    )
    second.write_text("include: ['*']")
    monkeypatch.setenv("DAMS_COLLECTIONS_CONFIG", f"{first},{second}")
    population = read_config().population
    assert population is not None
    assert (population.raster, population.vintage, population.is_remote) == ("/p.tif", "2025", False)
    second.write_text("exposure: {population: {raster: /p.tif, vintage: soon}}")
    with pytest.raises(SettingsError, match=r"b\.yaml: .*exposure\.population\.title.*year of the data"):
        read_config()
