"""The figure of an event in fields, feeds, alerts, lists and rasters."""

from __future__ import annotations

import csv
import html
import io
import re
import zipfile
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree as ET

import asyncpg
import pyogrio
import pytest

from deploy.database.apply import apply_schema
from deploy.impact.computing import compute, due
from tests.conftest import MakeDatabase
from tests.eventually import eventually
from tests.services.features.impacts.conftest import ROWS, fill
from tests.services.in_process import Client, Services, services

_FIELDS = ("population_impact_url", "facility_exposure_url")


_GATEWAY = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "data.example.org", "X-Forwarded-Prefix": "/api"}
_BASES: list[tuple[dict[str, str], str | None]] = [
    ({}, None),
    ({"Host": "data.example.org"}, "http://data.example.org"),
    (_GATEWAY, "https://data.example.org/api"),
]
"""Headers of a request, and the base address that they say; None: that of the service."""


@pytest.mark.parametrize("f", ["geojson", "geojsonseq", "json", "ndjson", "csv"])
async def test_dynamic_fields_lead_to_products_in_every_format(f: str, features: Client) -> None:
    address = "/collections/hazard.hazard_ts_events/items"
    for headers, said in _BASES:
        base = said or features.base
        found = await features.get(address, {"f": f, "sortby": "event_id", "properties": ",".join(_FIELDS)}, headers)
        text = found.body.decode()
        assert text.count(f"{base}/events/WP%2F1/impact?f=json") == 1
        assert text.count(f"{base}/events/WP%2F1/facilities?f=json") == 1
        # computed, without zones; not computed
        assert "/events/WP3/" not in text
        assert "/events/WP4/" not in text


@pytest.mark.parametrize("f", ["gpkg", "fgb"])
async def test_dynamic_fields_of_files_begin_with_the_base_address(f: str, features: Client, tmp_path: Path) -> None:
    for number, (headers, said) in enumerate(_BASES):
        found = await features.get("/collections/hazard.hazard_ts_events/export", {"f": f}, headers)
        path = tmp_path / f"{number}.{f}"
        path.write_bytes(found.body)
        meta, _, _, columns = pyogrio.raw.read(path, columns=list(_FIELDS), read_geometry=False)
        values = dict(zip(meta["fields"].tolist(), columns, strict=True))
        event = f"{said or features.base}/events/WP%2F1"
        assert f"{event}/impact?f=json" in values["population_impact_url"].tolist()
        assert f"{event}/facilities?f=json" in values["facility_exposure_url"].tolist()


async def test_products_name_their_addresses_by_the_base_address(features: Client, tmp_path: Path) -> None:
    base = "https://data.example.org/api"
    for address in ("/events/WP%2F1", "/events/WP%2F1/impact", "/events/WP%2F1/facilities", "/impacts?events=WP%2F1"):
        found = (await features.get(address, headers=_GATEWAY)).body.decode()
        assert f"{base}/events/WP%2F1" in found
        assert features.base not in found
    bundle = await features.get("/events/WP%2F1/bundle", headers=_GATEWAY)
    with zipfile.ZipFile(io.BytesIO(bundle.body)) as archive:
        archive.extractall(tmp_path)
    path, layer = tmp_path / "WP_1.gpkg", "hazard.hazard_ts_events"
    _, _, _, columns = pyogrio.raw.read(path, layer=layer, columns=[_FIELDS[0]], read_geometry=False)
    assert columns[0].tolist() == [f"{base}/events/WP%2F1/impact?f=json"]


async def test_dynamic_fields_of_an_item_and_an_export(features: Client) -> None:
    item = (await features.json("/collections/hazard.hazard_ts_events/items/1"))["properties"]
    expected = [f"{features.base}/events/WP%2F1/{product}?f=json" for product in ("impact", "facilities")]
    assert [item[name] for name in _FIELDS] == expected
    assert item["rainfall_url"] is None
    without = (await features.json("/collections/hazard.hazard_ts_events/items/3"))["properties"]
    assert [without[name] for name in _FIELDS] == [None, None]
    exported = await features.get("/collections/hazard.hazard_ts_events/export", {"f": "csv"})
    rows = list(csv.DictReader(exported.body.decode().splitlines()))
    assert [row["population_impact_url"] != "" for row in rows] == [True, True, False, False, False]
    quake = (await features.json("/collections/hazard.hazard_eq_events/items/1"))["properties"]
    # features have a bundle whether people can be counted or not; what its source says is not lost
    assert quake["shapefile_url"] == f"{features.base}/events/Q1/bundle"
    assert quake["population_impact_url"] == "https://example.org/its-own"
    assert (await features.get("/events/Q1/bundle")).status == 200


async def test_product_that_appears_changes_the_version(served: Services, make_database: MakeDatabase) -> None:
    async def plain(owner: asyncpg.Connection) -> None:
        await apply_schema(owner)
        await owner.execute(ROWS)

    url = await make_database(plain)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url})
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
    "(lower bound: places of 500 people and more, data of 2026)"
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
    url = await make_database(fill)
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url})
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
    assert re.findall(r'<rect width="([0-9.]*)"', page)[0] == "160.0"
    [address] = re.findall(r'href="([^"]*/map\?[^"]*)"', page)
    assert parse_qs(urlsplit(html.unescape(address)).query) == {"event": ["WP/1,WP2,WP4"]}
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


async def test_bundle_has_the_zones_that_no_collection_has(features: Client, tmp_path: Path) -> None:
    bundle = await features.get("/events/WP5/bundle")
    with zipfile.ZipFile(io.BytesIO(bundle.body)) as archive:
        assert "impact_zones:" not in archive.read("README.txt").decode()
    bundle = await features.get("/events/Q2/bundle")
    with zipfile.ZipFile(io.BytesIO(bundle.body)) as archive:
        archive.extractall(tmp_path)
        assert "impact_zones: 5 features." in archive.read("README.txt").decode()
    info = pyogrio.read_info(tmp_path / "Q2.gpkg", layer="impact_zones")
    assert (info["features"], info["geometry_type"], info["crs"]) == (5, "MultiPolygon", "EPSG:4326")
    _, _, _, columns = pyogrio.raw.read(tmp_path / "Q2.gpkg", layer="impact_zones", read_geometry=False)
    values = dict(zip(info["fields"].tolist(), columns, strict=True))
    document = await features.json("/events/Q2/impact")
    expected = {zone["zone"]: zone["people"] for zone in document["zones"]}
    assert dict(zip(values["zone"].tolist(), values["people"].tolist(), strict=True)) == expected
    assert pyogrio.read_info(tmp_path / "impact_zones.shp")["features"] == 5


async def test_page_of_an_event_has_the_figure_of_the_publisher_beside_ours(features: Client) -> None:
    page = (await features.get("/events/Q2", {"f": "html"})).body.decode()
    assert "168,000 people in intensity VI and above, by PAGER" in page
    assert "no listed place lies in estimated intensity" in page
