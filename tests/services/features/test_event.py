"""All that collections have of an event, and links between features that lead to something."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.features.resources import STORE
from tests.services.in_process import Client, Services, services

_TABLES = """
CREATE EXTENSION IF NOT EXISTS postgis;
CREATE SCHEMA own;
CREATE TABLE own.flood_events (id integer PRIMARY KEY, event_id text, title text, began timestamptz, url text,
                               source text, geom geometry(Polygon, 4326));
CREATE TABLE own.flood_alerts (id integer PRIMARY KEY, event_id text, issued timestamptz, geom geometry(Point, 4326));
CREATE TABLE own.flood_gauges (id integer PRIMARY KEY, event_id integer, geom geometry(Point, 4326));
CREATE TABLE own.flood_areas (id integer PRIMARY KEY, event_id text, geom geometry(Polygon, 4326));
CREATE VIEW own.flood_seen AS SELECT event_id FROM own.flood_events WHERE id = 2;
CREATE TABLE own.flood_posts (id integer PRIMARY KEY, event_id integer);
CREATE TABLE own.rain (id integer PRIMARY KEY);
INSERT INTO own.flood_events VALUES
    (1, 'F/1', 'River <i>out</i>', '2020-05-01T00:00:00Z', 'https://example.org/a', 'simulated',
     'SRID=4326;POLYGON((0 0, 2 0, 2 3, 0 0))'),
    (2, 'F2', 'Other', '2020-05-01T00:00:00Z', NULL, NULL, 'SRID=4326;POLYGON((0 0, 2 0, 2 2, 0 0))'),
    (3, 'F3', 'Begins', '2020-06-01T00:00:00Z', 'https://example.org/first', 'simulated', NULL),
    (4, 'F3', 'Ends', '2020-06-02T00:00:00Z', 'https://example.org/last', 'simulated', NULL);
INSERT INTO own.flood_alerts SELECT n, 'F/1', '2020-05-01T00:00:00Z'::timestamptz + n * interval '1 day',
    ST_SetSRID(ST_MakePoint(n, 1), 4326) FROM generate_series(1, 6) AS n;
INSERT INTO own.flood_alerts SELECT 10 + n, 'F4', '2020-05-01T00:00:00Z' FROM generate_series(1, 1001) AS n;
INSERT INTO own.flood_gauges VALUES (1, 7, 'SRID=4326;POINT(9 9)'), (2, 8, NULL);
INSERT INTO own.flood_posts VALUES (1, 8), (2, NULL);
INSERT INTO own.flood_areas SELECT n, CASE WHEN n > 6 THEN 'É-1_.' ELSE 'F5' END,
    ST_SetSRID(ST_MakePolygon(ST_MakeLine(ARRAY[ST_MakePoint(n, 0), ST_MakePoint(n + 0.5, 0), ST_MakePoint(n, 1),
    ST_MakePoint(n, 0)])), 4326) FROM generate_series(1, 13) AS n;
INSERT INTO own.flood_areas VALUES (14, 'F7', ST_Buffer('SRID=4326;POINT(10 10)'::geometry, 8, 5000));
ANALYZE;
"""


@pytest.fixture(scope="module")
async def served(make_database: object) -> AsyncIterator[Services]:
    """Common and features on the tables."""

    async def tables(owner: asyncpg.Connection) -> None:
        await owner.execute(_TABLES)

    url = await make_database(tables)  # type: ignore[operator]
    async with services() as running:
        for name in ("common", "features"):
            await running.start(name, {"DAMS_DATABASE_URL": url, "DAMS_COLLECTION_SCHEMAS": "own"})
        yield running


@pytest.fixture(scope="module")
def features(served: Services) -> Client:
    """The features service on the tables."""
    return served["features"]


async def test_an_event_is_put_together_from_all_collections_that_have_something(features: Client) -> None:
    event = await features.json("/events/F%2F1")
    assert (event["id"], event["title"]) == ("F/1", "River <i>out</i>")
    found = [(entry["id"], entry["numberMatched"]) for entry in event["collections"]]
    assert found == [("own.flood_events", 1), ("own.flood_alerts", 6)]
    assert event["extent"] == {
        "spatial": {"bbox": [[0, 0, 6, 3]]},
        "temporal": {"interval": [["2020-05-01T00:00:00Z", "2020-05-07T00:00:00Z"]]},
    }
    links = {
        link.get("type"): link["href"] for link in event["collections"][1]["links"] if "f=html" not in link["href"]
    }
    assert (await features.get(links["application/geo+json"])).json()["numberMatched"] == 6
    assert (await features.get(links["text/csv"])).status == 200
    own = {link["rel"]: link["href"] for link in event["links"]}
    assert own["self"] == f"{features.base}/events/F%2F1?f=json"
    assert own["preview"] == f"{features.base}/map?event=F%2F1"
    assert [(link["rel"], link.get("type")) for link in event["collections"][0]["links"]] == [
        ("items", "application/geo+json"),
        ("items", "text/html"),
        # the title of a GeoPackage names it
        ("enclosure", None),
        ("enclosure", "text/csv"),
    ]
    for link in event["collections"][0]["links"]:
        media_type = link.get("type", "application/geopackage+sqlite3")
        answer = await features.get(link["href"], headers={"Accept": media_type})
        assert (answer.status, answer.type.partition(";")[0]) == (200, media_type)
    # other events do not belong to it
    assert links["text/csv"].endswith("/collections/own.flood_alerts/export?event_id=F%2F1&f=csv")
    assert (await features.get("/events/F%2F1", {"limit": "1"})).status == 422
    tag = (await features.get("/events/F%2F1")).headers["ETag"]
    assert (await features.get("/events/F%2F1", headers={"If-None-Match": tag})).status == 304
    # a column of numbers is not asked for a text
    assert [entry["id"] for entry in (await features.json("/events/7"))["collections"]] == ["own.flood_gauges"]
    assert (await features.get("/events/none")).status == 404


async def test_its_features_come_as_one_file(features: Client) -> None:
    answer = await features.get("/events/F%2F1", {"f": "geojson"})
    assert answer.type == "application/geo+json"
    bundle = answer.json()
    assert bundle["numberReturned"] == len(bundle["features"]) == 7
    assert len({feature["id"] for feature in bundle["features"]}) == 7
    assert bundle["features"][-1]["id"] == "own.flood_events/1"
    assert (bundle["type"], bundle["id"], "timeStamp" in bundle) == ("FeatureCollection", "F/1", True)
    assert answer.link("self") == f"{features.base}/events/F%2F1?f=geojson"
    assert {name: answer.headers[name] for name in ("Cache-Control", "Vary", "Content-Disposition")} == {
        "Cache-Control": "no-cache",
        "Vary": "Accept",
        "Content-Disposition": 'inline; filename="F_1.geojson"',
    }
    accepted = await features.get("/events/F%2F1", headers={"Accept": "application/geo+json"})
    assert accepted.json()["features"] == bundle["features"]
    head = await features.get("/events/F%2F1?f=geojson", method="HEAD")
    assert (head.status, head.body, head.type) == (200, b"", "application/geo+json")
    assert (await features.get("/events/none?f=geojson")).status == 404
    assert bundle["features"][-1]["properties"] == {
        "collectionId": "own.flood_events",
        "id": 1,
        "event_id": "F/1",
        "title": "River <i>out</i>",
        "began": "2020-05-01T00:00:00Z",
        "url": "https://example.org/a",
        "source": "simulated",
    }


async def test_what_cannot_be_counted_in_time_is_looked_for(
    served: Services, features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def no_number(_: object) -> None:
        return None

    counted = await features.json("/events/F%2F1")
    monkeypatch.setattr(served.apps["features"][STORE], "count", no_number)
    # what is seen whole is counted so
    assert await features.json("/events/F%2F1") == counted
    page = (await features.get("/events/F%2F1", {"f": "html"})).body.decode()
    assert re.findall(r'<td data-label="Features" class="number">(.*)</td>', page) == ["1", "6"]
    assert (await features.json("/events/F%2F1", f="geojson"))["numberReturned"] == 7
    [part] = (await features.json("/events/F4"))["collections"]
    assert (part["id"], "numberMatched" in part) == ("own.flood_alerts", False)
    page = (await features.get("/events/F4", {"f": "html"})).body.decode()
    assert re.findall(r'<td data-label="(?:Features" class="number|Time)">(.*)</td>', page) == ["", ""]
    for form in ("json", "geojson", "html"):
        assert (await features.get("/events/none", {"f": form})).status == 404


async def test_the_file_has_more_features_of_a_collection_than_the_page_tells_of(features: Client) -> None:
    bundle = await features.json("/events/F4", f="geojson")
    assert bundle["numberReturned"] == len({feature["id"] for feature in bundle["features"]}) == 1001


async def test_its_page_tells_of_all_and_pages_of_features_link_to_what_there_is(features: Client) -> None:
    page = (await features.get("/events/F%2F1", {"f": "html"})).body.decode()
    assert "River &lt;i&gt;out&lt;/i&gt;" in page
    assert "Simulated, not observed." in page
    assert "map?event=F%2F1" in page
    assert '<a href="https://example.org/a" rel="nofollow noopener">url</a>' in page
    assert page.count("<rect x=") >= 7
    assert "flood_alerts/export?event_id=F%2F1&amp;f=gpkg" in page
    one = (await features.get("/collections/own.flood_events/items/1", {"f": "html"})).body.decode()
    assert "/events/F%2F1?f=html" in one
    assert "flood_alerts</a>" not in one
    assert "flood alerts <small>6</small>" in one
    other = (await features.get("/collections/own.flood_events/items/2", {"f": "html"})).body.decode()
    assert "/events/F2?f=html" in other
    assert "flood alerts" not in other
    # where events are numbers, too
    gauge = (await features.get("/collections/own.flood_gauges/items/2", {"f": "html"})).body.decode()
    assert f'href="{features.base}/events/8?f=html"' in gauge
    lone = (await features.get("/collections/own.flood_posts/items/2", {"f": "html"})).body.decode()
    assert ("Related data" in gauge, "Related data" in lone) == (True, False)
    assert "flood posts <small>1</small>" in gauge


async def test_its_document_is_this(features: Client) -> None:
    answer = await features.get("/events/F4")
    address, alerts = f"{features.base}/events/F4", f"{features.base}/collections/own.flood_alerts"
    assert answer.json() == {
        "id": "F4",
        "title": "flood alert, 1 May 2020, 00:00 UTC",
        "links": [
            *(
                {"href": f"{address}?f={name}", "rel": rel, "type": media_type, "title": f"This document as {name}"}
                for name, rel, media_type in (
                    ("json", "self", "application/json"),
                    ("geojson", "alternate", "application/geo+json"),
                    ("html", "alternate", "text/html"),
                )
            ),
            {
                "href": f"{features.base}/map?event=F4",
                "rel": "preview",
                "type": "text/html",
                "title": "The event on the map",
            },
            {
                "href": f"{address}/bundle",
                "rel": "enclosure",
                "title": "Shapefiles and GeoPackage",
            },
        ],
        # the data do not contain it
        "extent": {"temporal": {"interval": [["2020-05-01T00:00:00Z", "2020-05-01T00:00:00Z"]]}},
        "collections": [
            {
                "id": "own.flood_alerts",
                "title": "flood alerts",
                "numberMatched": 1001,
                "links": [
                    {"href": f"{alerts}/{path}", "rel": rel, **media_type, "title": title}
                    for path, rel, media_type, title in (
                        ("items?event_id=F4", "items", {"type": "application/geo+json"}, "Features as GeoJSON"),
                        ("items?event_id=F4&f=html", "items", {"type": "text/html"}, "Features as a page"),
                        (
                            "export?event_id=F4&f=gpkg",
                            "enclosure",
                            {},
                            "GeoPackage",
                        ),
                        ("export?event_id=F4&f=csv", "enclosure", {"type": "text/csv"}, "CSV"),
                    )
                ],
            }
        ],
    }
    assert (await features.json("/events/7"))["extent"] == {"spatial": {"bbox": [[9, 9, 9, 9]]}}
    assert "extent" not in await features.json("/events/8")


async def test_its_file_is_this(features: Client) -> None:
    answer = await features.get("/events/F2", {"f": "geojson"})
    head, _, rest = answer.body.partition(b',"features":[')
    assert list(answer.json()) == ["type", "id", "timeStamp", "links", "features", "numberReturned"]
    assert head.startswith(b'{"type":"FeatureCollection","id":"F2","timeStamp":"20')
    assert rest.endswith(b'],"numberReturned":2}')
    assert [(link["href"].removeprefix(features.base), link["rel"]) for link in answer.json()["links"]] == [
        ("/events/F2?f=geojson", "self"),
        ("/events/F2?f=json", "alternate"),
        ("/events/F2?f=html", "alternate"),
        ("/map?event=F2", "preview"),
    ]
    known = {feature["properties"]["collectionId"]: feature for feature in answer.json()["features"]}
    # a row without an id gets none
    assert known["own.flood_seen"] == {
        "type": "Feature",
        "geometry": None,
        "properties": {"collectionId": "own.flood_seen", "event_id": "F2"},
    }
    assert known["own.flood_events"]["id"] == "own.flood_events/2"
    assert known["own.flood_events"]["geometry"] == {
        "type": "Polygon",
        "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 0]]],
    }
    odd = await features.get("/events/%C3%89-1_.?f=geojson")
    assert odd.headers["Content-Disposition"] == 'inline; filename="1.geojson"'
    asked = await features.get("/events/%C3%89-1_.?f=geojson", method="HEAD")
    varying = {"Date", "X-Request-ID", "Transfer-Encoding", "Content-Length", "Content-Encoding", "Vary"}
    assert {name: text for name, text in asked.headers.items() if name not in varying} == {
        name: text for name, text in odd.headers.items() if name not in varying
    }


async def test_few_areas_are_drawn_in_their_shapes_on_its_page(features: Client) -> None:
    six = await features.get("/events/F5", {"f": "html"})
    assert len(re.findall(r'<path[^>]* d="M', six.body.decode())) == 6, "what the page is about too, once"
    # with as many corners as can be seen
    large = (await features.get("/events/F7", {"f": "html"})).body.decode()
    assert 20 < large.count("L") < 1000
    # with any name
    named = (await features.get("/events/F%2F1", {"f": "html"})).body.decode()
    assert ("F%2F1?f=geojson&#39;" in named, "/F/1" in named) == (True, False)
    seven = (await features.get("/events/%C3%89-1_.", {"f": "html"})).body.decode()
    assert '<path d="M' not in seven
    assert f"{features.base}/events/F5?f=geojson" in six.body.decode()
    assert "curl --fail --output F5.geojson" in six.body.decode()
    again = await features.get(six.url, headers={"If-None-Match": six.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")


async def test_of_several_features_the_first_is_told_of(features: Client) -> None:
    event = await features.json("/events/F3")
    assert (event["title"], event["collections"][0]["numberMatched"]) == ("Begins", 2)
    page = (await features.get("/events/F3", {"f": "html"})).body.decode()
    facts = re.findall(r"<dd[^>]*>(.*?)</dd>|<td[^>]*>(.*?)</td>", page, re.DOTALL)
    assert any("Begins" in said for fact in facts for said in fact)
    assert "Ends" not in page
    # pages of publishers are those of all
    assert all(f"https://example.org/{name}" in page for name in ("first", "last"))
