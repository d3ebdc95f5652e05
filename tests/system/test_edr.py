"""Data queries through the gateway: the examples of the page, beside a measurement of every feature."""

from __future__ import annotations

import csv
import shlex
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import shapely
from aiohttp import ClientSession
from pyproj import Geod
from yarl import URL

from tests.architecture.documents import page
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

ADDRESS = "http://127.0.0.1:8080/api"
GEOD = Geod(ellps="WGS84")


def examples() -> dict[str, str]:
    """Return the addresses of the page's examples by their query."""
    found = {}
    for token in page("docs/edr.md").tokens:
        if token.type == "fence":
            words = shlex.split(token.content)
            address, parameters = (
                words[2],
                [words[n + 1] for n, word in enumerate(words) if word.startswith("-") and n > 1],
            )
            query = urlencode(dict(text.split("=", 1) for text in parameters))
            name = address.rpartition("/")[2]
            found[f"{name} of an instance" if name in found else name] = f"{address.removeprefix(ADDRESS)}?{query}"
    return found


EXAMPLES = examples()


async def get(stack: RunningStack, path: str) -> tuple[Any, str]:
    async with ClientSession() as session, session.get(f"{stack.base_url}{path}") as response:
        text = await response.text()
        assert response.status == 200, text
        return (await response.json(content_type=None) if "json" in response.content_type else None), text


async def everything(stack: RunningStack, collection: str, **parameters: str) -> list[Any]:
    query = urlencode({"limit": "10000", **parameters})
    document, _ = await get(stack, f"/collections/{collection}/items?{query}")
    assert document["numberMatched"] == len(document["features"])
    return list(document["features"])


def test_each_query_has_an_example() -> None:
    names = ["radius", "position", "area", "corridor"]
    assert [name for name in EXAMPLES if "/instances" not in EXAMPLES[name]] == names
    assert len(EXAMPLES) == len(names) + 3


async def test_radius_is_that_of_a_measurement(stack: RunningStack) -> None:
    document, _ = await get(stack, EXAMPLES["radius"])
    near = set()
    for feature in await everything(stack, "hazard.hazard_eq_events", datetime="2018-02-01/2018-02-02"):
        _, _, metres = GEOD.inv(-116.5, 33.5, *feature["geometry"]["coordinates"][:2])
        if metres <= 100_000:
            near.add(feature["id"])
    assert len(near) > 10
    assert {feature["id"] for feature in document["features"]} == near
    assert set(document["features"][0]["properties"]) == {"magnitude", "place", "event_date"}


async def test_position_has_the_zones_around_it(stack: RunningStack) -> None:
    document, _ = await get(stack, EXAMPLES["position"])
    point = shapely.Point(-61.8, 17.6)
    zones = await everything(stack, "hazard.hazard_ts_buffers", datetime="2017-09-01/2017-09-30")
    wanted = {zone["id"] for zone in zones if shapely.intersects(shapely.geometry.shape(zone["geometry"]), point)}
    assert wanted
    assert {feature["id"] for feature in document["features"]} == wanted


async def test_area_has_both_sides_of_the_antimeridian(stack: RunningStack) -> None:
    _, text = await get(stack, EXAMPLES["area"])
    rows = list(csv.DictReader(text.splitlines()))
    longitudes = [float(shapely.get_x(shapely.from_wkt(row["geometry"]))) for row in rows]
    assert len([x for x in longitudes if 170 <= x <= 180]) > 10
    assert len([x for x in longitudes if -180 <= x <= -170]) > 10
    assert all(abs(x) >= 170 for x in longitudes)


async def test_corridor_is_that_of_a_measurement(stack: RunningStack) -> None:
    document, _ = await get(stack, EXAMPLES["corridor"])
    (wkt,) = parse_qs(urlsplit(EXAMPLES["corridor"]).query)["coords"]
    line = shapely.get_coordinates(shapely.segmentize(shapely.from_wkt(wkt), 0.002))
    near = set()
    for feature in await everything(stack, "hazard.hazard_eq_events", filter="magnitude >= 2"):
        x, y = feature["geometry"]["coordinates"][:2]
        _, _, metres = GEOD.inv([x] * len(line), [y] * len(line), line[:, 0], line[:, 1])
        if min(metres) <= 20 * 1852:
            near.add(feature["id"])
    assert len(near) > 5
    assert {feature["id"] for feature in document["features"]} == near


async def test_each_collection_lists_queries_that_respond(stack: RunningStack) -> None:
    document, _ = await get(stack, "/collections")
    asked = {
        "position": "coords=POINT(0+0)",
        "radius": "coords=POINT(0+0)&within=1&within-units=km",
        "area": "coords=POLYGON((0+0,1+0,1+1,0+0))",
        "corridor": "coords=LINESTRING(0+0,1+1)&corridor-width=1&width-units=m",
        "items": "limit=1",
    }
    for collection in document["collections"]:
        (name,) = list(collection["parameter_names"])[:1]
        for query, parameters in asked.items():
            link = collection["data_queries"][query]["link"]
            names = "" if query == "items" else f"&parameter-name={name}&limit=1"
            path = f"{link['href'].removeprefix(stack.base_url)}?{parameters}{names}"
            found, _ = await get(stack, f"{path}&f={link['variables']['default_output_format']}")
            assert found["type"] == "FeatureCollection", path


ADVISORIES = "hazard.hazard_ts_advisory_tracks"


async def test_instances_are_the_advisories_of_a_storm(stack: RunningStack) -> None:
    document, _ = await get(stack, EXAMPLES["instances"])
    features = await everything(stack, ADVISORIES, event_id="AL112017")
    times = sorted({feature["properties"]["advisory_time"] for feature in features}, reverse=True)
    listed = document["instances"]
    while following := next((link["href"] for link in document["links"] if link["rel"] == "next"), None):
        document, _ = await get(stack, following.removeprefix(stack.base_url))
        listed += document["instances"]
    assert [instance["id"] for instance in listed] == [
        f"AL112017~{time.replace('-', '').replace(':', '')}" for time in times
    ]
    assert document["numberMatched"] == len(times) > 40
    assert sum(instance["itemCount"] for instance in listed) == len(features)


async def test_an_instance_has_the_extent_of_its_features(stack: RunningStack) -> None:
    (example,) = (path for path in EXAMPLES.values() if path.partition("?")[0].endswith("20170905T150000Z"))
    instance, _ = await get(stack, example)
    features = await everything(stack, ADVISORIES, event_id="AL112017", advisory_time="2017-09-05T15:00:00Z")
    lines = shapely.geometrycollections([shapely.geometry.shape(feature["geometry"]) for feature in features])
    assert instance["extent"]["spatial"]["bbox"][0] == pytest.approx(shapely.bounds(lines), abs=1e-6)
    assert instance["itemCount"] == len(features) > 0
    assert list(instance["data_queries"]) == ["position", "radius", "area", "corridor"]


async def test_an_advisory_has_data_queries_of_its_features(stack: RunningStack) -> None:
    document, _ = await get(stack, EXAMPLES["radius of an instance"])
    near = set()
    wanted = {"event_id": "AL112017", "advisory_time": "2017-09-05T15:00:00Z"}
    for feature in await everything(stack, "hazard.hazard_ts_advisory_nodes", **wanted):
        _, _, metres = GEOD.inv(-66.1, 18.4, *feature["geometry"]["coordinates"][:2])
        if metres <= 300_000:
            near.add(feature["id"])
    assert near
    assert {feature["id"] for feature in document["features"]} == near
    assert all("/instances/AL112017~20170905T150000Z/radius" in link["href"] for link in document["links"][:1])


@pytest.mark.parametrize("name", ["AL112017", "AL112017~20170905T150001Z", "x~y", "%C3~20170905T150000Z"])
async def test_what_is_no_advisory_is_not_found(stack: RunningStack, name: str) -> None:
    address = URL(f"{stack.base_url}/collections/{ADVISORIES}/instances/{name}", encoded=True)
    async with ClientSession() as session, session.get(address) as response:
        assert response.status in (404, 422)


async def test_instances_are_those_of_a_past_time(stack: RunningStack) -> None:
    collection = "/collections/hazard.hazard_ts_advisory_tracks"
    document, _ = await get(stack, collection)
    past = {"asOf": f"{datetime.now(UTC):%FT%TZ}"}
    listed = EXAMPLES["instances"]
    present, _ = await get(stack, listed)
    then, _ = await get(stack, f"{listed}&{urlencode(past)}")
    assert [entry["id"] for entry in then["instances"]] == [entry["id"] for entry in present["instances"]]
    links = {link["rel"]: link["href"] for link in then["instances"][0]["links"]}
    assert dict(URL(links["self"]).query) == past
    items, _ = await get(stack, links["items"].removeprefix(stack.base_url))
    assert len(items["features"]) == then["instances"][0]["itemCount"]
    before, _ = await get(stack, f"{listed}&{urlencode({'asOf': document['history']['since']})}")
    assert before["instances"] == []
