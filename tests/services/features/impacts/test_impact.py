"""People and facilities in the zones of an event, as JSON, CSV and page."""

from __future__ import annotations

import csv
import re
from typing import Any

import asyncpg
import pytest
from jsonschema import Draft202012Validator

from tests.conftest import MakeDatabase
from tests.services.in_process import Answer, Client, services


async def _plain(owner: asyncpg.Connection) -> None:
    await owner.execute(
        "CREATE SCHEMA hazard;"
        "CREATE TABLE hazard.floods (id integer PRIMARY KEY, event_id text, geom geometry(Point, 4326));"
        "INSERT INTO hazard.floods VALUES (1, 'F1', 'SRID=4326;POINT(0 0)')"
    )


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
        "Yland (lower bound: places of 500 people and more, data of 2026)"
    )
    assert [(each["source"], each["vintage"], each["quality"]) for each in document["exposure"]] == [
        ("GeoNames", "2026", "lower bound")
    ]
    assert document["method"]["uncertainty"]


async def test_steps_and_changes_of_advisories_are_listed(features: Client) -> None:
    first, between, second = (await features.json("/events/WP%2F1/impact"))["advisories"]
    # a position between two advisories
    assert (between["advisory"], between["zones"], len(between["steps"])) == (None, [], 1)
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


@pytest.mark.parametrize("product", ["impact", "facilities"])
async def test_documents_of_an_earlier_release_are_pending(product: str, features: Client) -> None:
    document = await features.json(f"/events/WP5/{product}")
    assert (document["status"], document["zones"]) == ("pending", [])
    event = await features.get("/events/WP5", {"f": "html"})
    assert "EVAN" in event.body.decode().upper()


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
    # it is unknown
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


async def test_csv_of_facilities_names_the_source_of_each_kind(features: Client) -> None:
    [_, airport] = _rows(await features.get("/events/WP%2F1/facilities", {"f": "csv"}))
    [_, port] = _rows(await features.get("/events/WP2/facilities", {"f": "csv"}))
    assert [(each["kind"], each["source"], each["vintage"]) for each in (airport, port)] == [
        ("airport", "Made", "2026"),
        ("port", "Made too", "2022"),
    ]


async def test_pages_escape_what_the_data_say(features: Client) -> None:
    impact = (await features.get("/events/WP%2F1/impact", {"f": "html"})).body.decode()
    assert "1,235,167 people in 2 places" in impact
    assert "Largest places: Big (1,234,567), Small (600)" in impact
    assert "&lt;i&gt;Third&lt;/i&gt; (500)" in impact
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
    products = [f"events/WP%2F1/{product}" for product in ("impact", "facilities", "intensity.tif")]
    assert related == [f"{features.base}/{path}" for path in ("stac/collections/dams-events/items/WP%2F1", *products)]
    event = (await features.get("/events/WP%2F1", {"f": "html"})).body.decode()
    assert event.index("Category 3 typhoon Anna: 1.2 million people") < event.index("Data for this event")
    assert f'href="{features.base}/events/WP%2F1/facilities?f=html"' in event
    french = (await features.get("/events/WP%2F1/impact", {"f": "html", "lang": "fr"})).body.decode()
    assert "Typhon Anna de catégorie 3" in french


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
            await running.start(name, {"DAMS_DATABASE_URL": url})
        document = await running["features"].json("/events/F1/impact")
        assert (document["status"], document["reason"]) == ("pending", "This database has no tables of impacts.")
        assert (await running["features"].get("/events/F1", {"f": "html"})).status == 200
