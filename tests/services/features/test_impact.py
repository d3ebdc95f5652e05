"""People and facilities in the zones of an event, as JSON, CSV and page."""

from __future__ import annotations

import csv
import re
from collections.abc import AsyncIterator
from typing import Any
from xml.etree import ElementTree as ET

import asyncpg
import pytest
from jsonschema import Draft202012Validator

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.in_process import Answer, Client, Services, services

_ROWS = """
INSERT INTO exposure.dataset VALUES
    ('places', 'Places', 'People', 'lower bound', 'GeoNames', 'CC BY 4.0', 'https://example.org/by', '2026', 3, 'a'),
    ('airports', 'Airports', 'Airports', 'incomplete list', 'Made', 'MIT', 'https://example.org/mit', '2026', 1, 'a');
INSERT INTO exposure.place VALUES
    (1, 'Big', 'XX', 'Xland', 'North', 1234567, 'SRID=4326;POINT(1 1)'),
    (2, 'Small', 'YY', 'Yland', NULL, 600, 'SRID=4326;POINT(1.5 1)'),
    (3, '<i>Third</i>', 'XX', 'Xland', 'South', 500, 'SRID=4326;POINT(3 3)');
INSERT INTO exposure.facility VALUES
    (1, 'airport', 'IATA code', 'XAAA', 'Big <b>Airport</b>', 'XX', 'Xland', 'North', 'SRID=4326;POINT(1 1)');
INSERT INTO exposure.unit VALUES
    (1, 'XX', 'Xland', NULL, 'SRID=4326;MULTIPOLYGON(((0 0, 1 0, 1 2, 0 2, 0 0)))'),
    (2, 'XX', 'Xland', 'North', 'SRID=4326;MULTIPOLYGON(((0 1, 1 1, 1 2, 0 2, 0 1)))'),
    (3, 'ZZ', 'Zland', NULL, 'SRID=4326;MULTIPOLYGON(((1.5 1.5, 3 1.5, 3 3, 1.5 3, 1.5 1.5)))');
INSERT INTO hazard.hazard_ts_events (event_id, name, category, basin, start_date, source, geom) VALUES
    ('WP/1', 'ANNA', 'C3', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(1 1)'),
    ('WP2', 'BOB', 'C1', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(50 1)'),
    ('WP3', 'CLEO', 'TS', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(60 1)'),
    ('WP4', 'DORA', 'TS', 'WP', '2020-01-01', 'tests', 'SRID=4326;POINT(60 1)');
INSERT INTO hazard.hazard_ts_buffers (event_id, wind_speed_kt, start_date, end_date, kind, source, geom)
SELECT event, wind, '2020-01-01', '2020-01-02', 'analysed', 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, east, north, 4326))
FROM (VALUES ('WP/1', 64, 0, 2, 2), ('WP/1', 34, 0, 4, 4), ('WP2', 64, 50, 52, 2)) z (event, wind, west, east, north);
INSERT INTO hazard.hazard_ts_advisory_buffers
    (event_id, advisory, advisory_time, kind, scope, wind_speed_kt, start_date, end_date, source, geom)
SELECT 'WP/1', advisory, at::timestamptz, kind, scope, wind, time::timestamptz, time::timestamptz, 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, east, north, 4326))
FROM (VALUES
    (1, '2020-01-01', 'forecast', 'whole', 34, '2020-01-01', 0.0, 4.0, 4.0),
    (2, '2020-01-01 06:00', 'forecast', 'whole', 34, '2020-01-01 06:00', 0.0, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'whole', 64, '2020-01-01 06:00', 9.0, 9.5, 2.0),
    (2, '2020-01-01 06:00', 'analysed', 'step', 34, '2020-01-01 06:00', 0.0, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'step', 34, '2020-01-01 18:00', 1.4, 2.0, 2.0),
    (2, '2020-01-01 06:00', 'forecast', 'step', 64, '2020-01-01 18:00', 9.0, 9.5, 2.0)
) z (advisory, at, kind, scope, wind, time, west, east, north);
INSERT INTO hazard.hazard_fl_alerts (event_id, url, title, alert_level, issued, expires, source, geom)
SELECT event, 'https://example.org/' || event, 'Flood alert ' || event, 'Orange', '2020-01-01', '2020-01-02', 'tests',
    ST_Multi(ST_MakeEnvelope(west, 0, west + 2, 2, 4326)) FROM (VALUES ('FL1', 0), ('FL2', 0)) a (event, west);
INSERT INTO hazard.hazard_eq_events (event_id, magnitude, depth, event_date, population_impact_url, geom)
VALUES ('Q1', 3, 10, '2020-01-01', 'https://example.org/its-own', 'SRID=4326;POINT(1 1)');
INSERT INTO dams.event_alias (alias, event_id) VALUES ('OLD', 'WP/1');
"""


async def _fill(owner: asyncpg.Connection) -> None:
    await apply_schema(owner)
    await owner.execute(_ROWS)
    await compute(owner, await due(owner))
    await owner.execute("DELETE FROM impact.raster WHERE event_id = 'WP2'")
    # one that the worker has not come to
    await owner.execute("DELETE FROM impact.event WHERE event_id IN ('WP4', 'FL2')")


async def _plain(owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE SCHEMA hazard;"
        "CREATE TABLE hazard.floods (id integer PRIMARY KEY, event_id text, geom geometry(Point, 4326));"
        "INSERT INTO hazard.floods VALUES (1, 'F1', 'SRID=4326;POINT(0 0)')"
    )


@pytest.fixture(scope="module")
async def served(make_database: MakeDatabase) -> AsyncIterator[Services]:
    """Common and features on a database with impacts."""
    url = await make_database(_fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DATABASE_URL": url})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    """The features service."""
    return served["features"]


@pytest.mark.parametrize("product", ["impact", "facilities"])
@pytest.mark.parametrize("event", ["WP%2F1", "WP2", "WP3", "WP4"])
async def test_document_fits_its_published_schema(product: str, event: str, features: Client) -> None:
    document = await features.json(f"/events/{event}/{product}")
    described = next(link["href"] for link in document["links"] if link["rel"] == "describedby")
    answer = await features.get(described)
    assert answer.type == "application/schema+json"
    Draft202012Validator.check_schema(answer.json())
    Draft202012Validator(answer.json()).validate(document)
    assert document["id"] == event.replace("%2F", "/")


_SQUARE_KM2 = pytest.approx(12_300, rel=0.005)
_TWO_SQUARES_KM2 = pytest.approx(24_600, rel=0.005)
"""Squares of one degree at the equator."""


async def test_people_are_summed_by_zone_country_and_province(features: Client) -> None:
    document = await features.json("/events/WP%2F1/impact")
    found = [(zone["zone"], zone["people"], zone["places"]) for zone in document["zones"]]
    assert found == [("64 kt", 1_235_167, 2), ("34 kt", 1_235_667, 3)]
    assert document["zones"][0]["countries"] == [
        {
            "code": "XX",
            "name": "Xland",
            "people": 1_234_567,
            "places": 1,
            "areaKm2": _TWO_SQUARES_KM2,
            "provinces": [{"name": "North", "people": 1_234_567, "places": 1, "areaKm2": _SQUARE_KM2}],
        },
        {
            "code": "YY",
            "name": "Yland",
            "people": 600,
            "places": 1,
            "areaKm2": None,
            "provinces": [{"name": None, "people": 600, "places": 1, "areaKm2": None}],
        },
    ]
    assert document["zones"][0]["land"] == [
        {
            "code": "XX",
            "name": "Xland",
            "areaKm2": _TWO_SQUARES_KM2,
            "provinces": [{"name": "North", "areaKm2": _SQUARE_KM2}],
        },
        {"code": "ZZ", "name": "Zland", "areaKm2": pytest.approx(12_300 / 4, rel=0.005), "provinces": []},
    ]
    assert document["summary"]["text"] == (
        "Category 3 typhoon Anna: 1.2 million people in winds of 64 kt and more, most of them in North (Xland) and "
        "Yland (lower bound: places of 500 people and more)"
    )
    assert [(each["source"], each["vintage"], each["quality"]) for each in document["exposure"]] == [
        ("GeoNames", "2026", "lower bound")
    ]
    assert document["method"]["uncertainty"]


async def test_steps_and_changes_of_advisories_are_listed(features: Client) -> None:
    first, second = (await features.json("/events/WP%2F1/impact"))["advisories"]
    assert (first["issued"], second["advisory"]) == ("2020-01-01T00:00:00Z", 2)
    told = [[(zone["zone"], zone["people"], zone["change"]) for zone in each["zones"]] for each in (first, second)]
    assert told == [[("34 kt", 1_235_667, None)], [("64 kt", 0, None), ("34 kt", 1_235_167, -500)]]
    assert second["steps"] == [
        {"time": "2020-01-01T06:00:00Z", "zones": [{"zone": "34 kt", "kind": "analysed", "people": 1_235_167}]},
        {
            "time": "2020-01-01T18:00:00Z",
            "zones": [
                {"zone": "64 kt", "kind": "forecast", "people": 0},
                {"zone": "34 kt", "kind": "forecast", "people": 600},
            ],
        },
    ]
    page = (await features.get("/events/WP%2F1/impact", {"f": "html"})).body.decode()
    assert "34 kt: 1,235,167 (-500)" in page
    row = page.partition("18:00")[2].partition("</tr>")[0]
    assert re.findall(r'class="number">([^<]*)<', row) == ["0", "600"]
    event = (await features.get("/events/WP%2F1", {"f": "html"})).body.decode()
    assert "34 kt: 1,235,167 (-500)" in event


async def test_unknown_is_never_zero(features: Client) -> None:
    zero, without, pending = [await features.json(f"/events/{event}/impact") for event in ("WP2", "WP3", "WP4")]
    assert (zero["status"], zero["summary"]["people"]) == ("computed", 0)
    assert zero["summary"]["text"].startswith("Category 1 typhoon Bob: no listed place lies in winds of 64 kt and more")
    assert (without["status"], without["summary"], without["zones"]) == ("unavailable", None, [])
    assert without["reason"] == "No collection has zones of this event."
    assert (pending["status"], pending["summary"], pending["zones"]) == ("pending", None, [])
    assert pending["reason"] == "The impact of this event is not computed yet."
    page = (await features.get("/events/WP4/impact", {"f": "html"})).body.decode()
    assert "Not computed yet." in page
    assert "0 people" not in page


def _rows(answer: Answer) -> list[dict[str, Any]]:
    assert answer.type == "text/csv; charset=utf-8"
    return list(csv.DictReader(answer.body.decode().splitlines()))


async def test_csv_has_hxl_tags_in_its_second_line(features: Client) -> None:
    rows = _rows(await features.get("/events/WP%2F1/impact", {"f": "csv"}))
    assert all(re.fullmatch(r"#[a-z]\w*(\+[a-z]\w*)*", tag) for tag in rows[0].values())
    assert rows[0]["people"] == "#affected+lower_bound"
    found = [(row["zone"], row["country"], row["province"], row["people"]) for row in rows[1:]]
    assert found[:3] == [
        ("64 kt", "", "", "1235167"),
        ("64 kt", "Xland", "North", "1234567"),
        ("64 kt", "Yland", "", "600"),
    ]
    areas = {(row["zone"], row["country"], row["province"]): row["area_km2"] for row in rows[1:]}
    assert float(areas["64 kt", "Xland", "North"]) == _SQUARE_KM2
    assert float(areas["64 kt", "Xland", ""]) == _TWO_SQUARES_KM2
    # nothing is known of it
    assert areas["64 kt", "Yland", ""] == ""
    empty = [row for row in rows[1:] if row["country"] == "Zland"]
    assert {row["people"] for row in empty} == {""}
    [tags, airport] = _rows(await features.get("/events/WP%2F1/facilities", {"f": "csv"}))
    assert (tags["latitude"], airport["code"], airport["zone"], airport["latitude"]) == (
        "#geo+lat",
        "XAAA",
        "64 kt",
        "1.0",
    )


async def test_pages_escape_what_the_data_say(features: Client) -> None:
    impact = (await features.get("/events/WP%2F1/impact", {"f": "html"})).body.decode()
    assert "1,235,167 people in 2 places" in impact
    assert "Xland" in impact
    assert '<rect width="160.0"' in impact
    first = impact.partition('<th scope="row">Xland</th>')[2].partition("</tr>")[0]
    assert re.search(r'data-label="Land, km²" class="number">24,\d{3}<', first)
    # land without listed places: the number of people is unknown
    empty = impact.partition('<th scope="row">Zland</th>')[2].partition("</tr>")[0]
    assert re.findall(r'class="number">([^<]*)<', empty)[:2] == ["–", "–"]
    facilities = (await features.get("/events/WP%2F1/facilities", {"f": "html"})).body.decode()
    assert "Big &lt;b&gt;Airport&lt;/b&gt;" in facilities
    related = [link["href"] for link in (await features.json("/events/WP%2F1"))["links"] if link["rel"] == "related"]
    products = ("impact", "facilities", "intensity.tif")
    assert related == [f"{features.base}/events/WP%2F1/{product}" for product in products]
    event = (await features.get("/events/WP%2F1", {"f": "html"})).body.decode()
    assert event.index("Category 3 typhoon Anna: 1.2 million people") < event.index("Data for this event")
    assert f'href="{features.base}/events/WP%2F1/facilities?f=html"' in event
    french = (await features.get("/events/WP%2F1/impact", {"f": "html", "lang": "fr"})).body.decode()
    assert "Typhon Anna de catégorie 3" in french


_FIELDS = ("population_impact_url", "facility_exposure_url")


@pytest.mark.parametrize("f", ["geojson", "geojsonseq", "json", "ndjson", "csv"])
async def test_dynamic_fields_lead_to_products_in_every_format(f: str, features: Client) -> None:
    address = "/collections/hazard.hazard_ts_events/items"
    for host in (None, "data.example.org"):
        base = features.base if host is None else f"http://{host}"
        headers = {} if host is None else {"Host": host}
        found = await features.get(address, {"f": f, "sortby": "event_id", "properties": ",".join(_FIELDS)}, headers)
        text = found.body.decode()
        assert text.count(f"{base}/events/WP%2F1/impact?f=json") == 1
        assert text.count(f"{base}/events/WP%2F1/facilities?f=json") == 1
        # computed, without zones; not computed
        assert "/events/WP3/" not in text
        assert "/events/WP4/" not in text


async def test_dynamic_fields_of_an_item_and_an_export(features: Client) -> None:
    item = (await features.json("/collections/hazard.hazard_ts_events/items/1"))["properties"]
    expected = [f"{features.base}/events/WP%2F1/{product}?f=json" for product in ("impact", "facilities")]
    assert [item[name] for name in _FIELDS] == expected
    assert item["rainfall_url"] is None
    without = (await features.json("/collections/hazard.hazard_ts_events/items/3"))["properties"]
    assert [without[name] for name in _FIELDS] == [None, None]
    rows = _rows(await features.get("/collections/hazard.hazard_ts_events/export", {"f": "csv"}))
    assert [row["population_impact_url"] != "" for row in rows] == [True, True, False, False]
    quake = (await features.json("/collections/hazard.hazard_eq_events/items/1"))["properties"]
    # features have a bundle whether people can be counted or not; what its source says is not lost
    assert quake["shapefile_url"] == f"{features.base}/events/Q1/bundle"
    assert quake["population_impact_url"] == "https://example.org/its-own"
    assert (await features.get("/events/Q1/bundle")).status == 200


async def test_product_that_appears_changes_the_version(served: Services, make_database: MakeDatabase) -> None:
    async def plain(owner: asyncpg.Connection) -> None:
        await apply_schema(owner)
        await owner.execute(_ROWS)

    url = await make_database(plain)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DATABASE_URL": url})
        address = "/collections/hazard.hazard_ts_events/items/1"
        changes = await running["features"].json("/collections/hazard.hazard_ts_events/changes")
        before = await running["features"].get(address)
        assert before.json()["properties"]["population_impact_url"] is None
        owner = await asyncpg.connect(url)
        await compute(owner, await due(owner))
        await owner.close()

        async def has_product() -> None:
            after = await running["features"].get(address, headers={"If-None-Match": before.headers["ETag"]})
            assert after.status == 200
            assert after.json()["properties"]["population_impact_url"].endswith("/events/WP%2F1/impact?f=json")

        await eventually(has_product)
        # the rows are unchanged: listeners get no event, and tiles stay
        assert (await running["features"].json("/collections/hazard.hazard_ts_events/changes"))["changes"] == changes[
            "changes"
        ]


async def test_feed_entries_begin_with_the_people(features: Client) -> None:
    answer = await features.get("/collections/hazard.hazard_ts_events/feed", {"f": "atom"})
    entries = ET.fromstring(answer.body).findall("{*}entry")  # noqa: S314 ours
    first = {entry.findtext("{*}title", ""): entry.findtext("{*}summary", "").splitlines()[0] for entry in entries}
    (anna,) = (line for title, line in first.items() if title.startswith("ANNA"))
    assert "1.2 million people in winds of 64 kt and more" in anna
    # an event that is not computed has no number
    (dora,) = (line for title, line in first.items() if title.startswith("DORA"))
    assert "people" not in dora


_FLOOD = (
    "Flood alert FL1: 1.2 million people in the area of the alert, most of them in North (Xland) and Yland "
    "(lower bound: places of 500 people and more)"
)


async def test_alerts_and_their_feed_have_the_people(features: Client) -> None:
    alerts = "/collections/hazard.hazard_fl_alerts"
    feed = ET.fromstring((await features.get(f"{alerts}/feed", {"f": "atom"})).body)  # noqa: S314 ours
    summaries = [entry.findtext("{*}summary", "") for entry in feed.findall("{*}entry")]
    assert [_FLOOD in summary for summary in summaries].count(True) == 1
    told = {}
    for item in (1, 2):
        info = ET.fromstring((await features.get(f"{alerts}/items/{item}/cap")).body).find("{*}info")  # noqa: S314 ours
        assert info is not None
        parameters = {each.findtext("{*}valueName"): each.findtext("{*}value") for each in info.findall("{*}parameter")}
        told[info.findtext("{*}headline")] = (
            info.findtext("{*}description"),
            parameters.get("impact.people"),
            parameters.get("impact.zone"),
        )
    assert told["Flood alert FL1"] == (f"{_FLOOD}.", "1235167", "Alert area")
    # not computed yet: no number, rather than 0
    assert told["Flood alert FL2"] == (None, None, None)


async def test_alert_follows_the_impact_of_its_event(make_database: MakeDatabase) -> None:
    url = await make_database(_fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DATABASE_URL": url})
        alerts = "/collections/hazard.hazard_fl_alerts"
        item = next(
            each["id"]
            for each in (await running["features"].json(f"{alerts}/items"))["features"]
            if each["properties"]["event_id"] == "FL2"
        )
        addresses = (f"{alerts}/items/{item}/cap", f"{alerts}/feed?f=atom")
        before = [await running["features"].get(address) for address in addresses]
        assert all(b"Flood alert FL2: 1.2 million people" not in answer.body for answer in before)
        owner = await asyncpg.connect(url)
        await compute(owner, await due(owner))
        await owner.close()

        async def has_people() -> None:
            for address, old in zip(addresses, before, strict=True):
                answer = await running["features"].get(address, headers={"If-None-Match": old.headers["ETag"]})
                assert (answer.status, b"Flood alert FL2: 1.2 million people" in answer.body) == (200, True)

        await eventually(has_people)


async def test_figures_of_several_events_are_listed_in_order(features: Client) -> None:
    document = await features.json("/impacts?events=WP4,WP/1,WP3,WP2,none,WP/1")
    found = [(each["id"], each["status"], (each["summary"] or {}).get("people")) for each in document["impacts"]]
    assert found == [
        ("WP4", "pending", None),
        ("WP/1", "computed", 1_235_167),
        ("WP3", "unavailable", None),
        ("WP2", "computed", 0),
        ("none", "pending", None),
    ]
    assert document["impacts"][1]["links"][0]["href"] == f"{features.base}/events/WP%2F1/impact"
    assert document["impacts"][1]["summary"] == (await features.json("/events/WP%2F1/impact"))["summary"]
    assert (await features.get("/impacts", {"events": "\0"})).status in (200, 422)
    for wrong in ({}, {"events": ""}, {"events": ",".join(map(str, range(101)))}):
        assert (await features.get("/impacts", wrong)).status == 422


async def test_page_shows_events_side_by_side(features: Client) -> None:
    page = (await features.get("/impacts", {"events": "WP/1,WP2,WP4", "f": "html"})).body.decode()
    assert page.index("Category 3 typhoon Anna: 1.2 million people") < page.index("Category 1 typhoon Bob: no listed")
    assert "Not computed yet, or no such event." in page
    row = page.partition("Winds of 64 kt and more</th>")[2].partition("</tr>")[0]
    assert re.findall(r"<td data-label=\"[^\"]*People[^>]*>([^<]*)<", row) == ["1,235,167", "0", "–"]
    assert "Xland" in page
    assert "North" in page
    refused = await features.get("/impacts", {"events": "A,B,C,D,E", "f": "html"})
    assert refused.status == 422
    assert b"events must be at most 4 on the page" in refused.body


async def test_raster_is_served_with_ranges_and_tag(features: Client) -> None:
    address = "/events/WP%2F1/intensity.tif"
    whole = await features.get(address)
    assert (whole.status, whole.type.partition(";")[0]) == (200, "image/tiff")
    # a TIFF in the byte order of Intel
    assert whole.body[:4] == b"II*\0"
    again = await features.get(address, headers={"If-None-Match": whole.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    part = await features.get(address, headers={"Range": "bytes=4-11"})
    assert (part.status, part.body) == (206, whole.body[4:12])
    assert part.headers["Content-Range"] == f"bytes 4-11/{len(whole.body)}"
    end = await features.get(address, headers={"Range": "bytes=-5"})
    assert (end.status, end.body) == (206, whole.body[-5:])
    stale = await features.get(address, headers={"Range": "bytes=4-11", "If-Range": '"old"'})
    assert (stale.status, stale.body) == (200, whole.body)
    beyond = await features.get(address, headers={"Range": f"bytes={len(whole.body)}-"})
    assert beyond.status == 416
    page = (await features.get("/events/WP%2F1", {"f": "html"})).body.decode()
    assert f"{features.base}/events/WP%2F1/intensity.tif" in page


async def test_event_without_raster_says_why(features: Client) -> None:
    for event, reason in (
        ("WP3", "Event 'WP3' has no zones of wind or shaking, so there is no raster."),
        ("FL1", "Event 'FL1' has no zones of wind or shaking, so there is no raster."),
        ("WP4", "The raster of event 'WP4' is not computed yet."),
        # its tables are those of an earlier release
        ("WP2", "The raster of event 'WP2' is not computed yet."),
        ("none", "No collection has features of an event 'none'."),
    ):
        missing = await features.get(f"/events/{event}/intensity.tif")
        assert (missing.status, missing.json()["detail"]) == (404, reason)
        assert b"intensity.tif" not in (await features.get(f"/events/{event}", {"f": "html"})).body
    moved = await features.get("/events/OLD/intensity.tif")
    assert (moved.status, moved.headers["Location"]) == (308, f"{features.base}/events/WP%2F1/intensity.tif")


async def test_event_page_without_impact_says_nothing_of_it(features: Client) -> None:
    for event in ("WP3", "WP4"):
        page = (await features.get(f"/events/{event}", {"f": "html"})).body.decode()
        assert "people" not in page.partition("<main")[2].partition("Data for this event")[0]


async def test_products_of_the_publisher_are_listed_with_their_source(features: Client) -> None:
    quake = await features.json("/events/Q1/impact")
    assert quake["published"] == [{"title": "Population impact", "url": "https://example.org/its-own", "source": None}]
    flood = await features.json("/events/FL1/impact")
    assert flood["published"] == [{"title": "Event page", "url": "https://example.org/FL1", "source": "tests"}]
    page = (await features.get("/events/FL1/impact", {"f": "html"})).body.decode()
    assert '<a href="https://example.org/FL1" rel="nofollow noopener">Event page</a> <small>tests</small>' in page


async def test_responses_are_conditional_and_negotiated(features: Client) -> None:
    first = await features.get("/events/WP%2F1/impact")
    again = await features.get("/events/WP%2F1/impact", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert (await features.get("/events/WP%2F1/impact", headers={"Accept": "text/csv"})).type.startswith("text/csv")
    refused = await features.get("/events/WP%2F1/impact", headers={"Accept": "application/pdf"})
    assert refused.status == 406
    assert (await features.get("/events/WP%2F1/impact", {"f": "xml"})).status == 422
    assert (await features.get("/events/WP%2F1/impact", {"limit": "1"})).status == 422


@pytest.mark.parametrize(
    ("product", "query"), [("", "?f=html"), ("/impact", "?f=csv"), ("/facilities", "?f=csv"), ("/bundle", "")]
)
async def test_alias_is_redirected_and_unknown_event_not_found(product: str, query: str, features: Client) -> None:
    moved = await features.get(f"/events/OLD{product}{query}")
    assert (moved.status, moved.headers["Location"]) == (308, f"{features.base}/events/WP%2F1{product}{query}")
    for event in ("none", "%00"):
        missing = await features.get(f"/events/{event}{product}")
        assert missing.status == 404
        assert "No collection has features of an event" in missing.json()["detail"]


async def test_database_without_impacts_says_so(make_database: MakeDatabase) -> None:
    url = await make_database(_plain)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DATABASE_URL": url})
        document = await running["features"].json("/events/F1/impact")
        assert (document["status"], document["reason"]) == ("pending", "This database has no tables of impacts.")
        assert (await running["features"].get("/events/F1", {"f": "html"})).status == 200
