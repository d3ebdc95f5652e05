"""A tile for people: as JSON and as a page, where `f` says so, and nowhere else."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit

import pytest

from libs.geo.zooms import IDS
from tests.eventually import eventually
from tests.services.in_process import Answer, Client
from tests.services.tiles.conftest import Placed
from tests.services.tiles.places import ANCHORS, decoded, grids

EVENTS = "/collections/hostile.events/tiles/WebMercatorQuad"
MVT = "application/vnd.mapbox-vector-tile"


class Links(HTMLParser):
    """Addresses and texts of a page's links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._href: str | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href = dict(attrs).get("href")

    def handle_data(self, data: str) -> None:
        if self._href is not None:
            self.found.append((self._href, data))
            self._href = None


def _relative(href: str, tiles: Client) -> str:
    parts = urlsplit(href)
    return parts.path + (f"?{parts.query}" if parts.query else "")


async def test_without_f_the_answer_is_the_tile_whatever_accept_says(tiles: Client) -> None:
    async def of_a_known_version() -> Answer:
        answer = await tiles.get(f"{EVENTS}/0/0/0")
        assert "ETag" in answer.headers
        return answer

    plain = await eventually(of_a_known_version)
    browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
    vain = ("text/html", "application/json")
    for accept in (None, "*/*", browser, MVT, "application/x-protobuf", "application/json, */*;q=0.1", *vain):
        answer = await tiles.get(f"{EVENTS}/0/0/0", headers={"Accept": accept} if accept else {})
        assert answer.headers["Content-Type"] == MVT, accept
        assert answer.body == plain.body
        assert answer.headers["ETag"] == plain.headers["ETag"]
        assert answer.headers["Vary"] == "Accept-Encoding"


async def test_f_mvt_is_the_same_tile(tiles: Client) -> None:
    plain, named = await tiles.get(f"{EVENTS}/0/0/0"), await tiles.get(f"{EVENTS}/0/0/0?f=mvt")
    assert named.body == plain.body
    assert named.headers["Content-Type"] == MVT


async def test_json_tells_what_is_in_the_tile(tiles: Client) -> None:
    tile = await tiles.get(f"{EVENTS}/0/0/0", headers={"Accept-Encoding": "identity"})
    document = await tiles.json(f"{EVENTS}/0/0/0", f="json")
    drawn = decoded(tile.body, "hostile.events")
    (layer,) = document["layers"]
    assert (layer["name"], layer["version"], layer["extent"]) == ("hostile.events", 2, 4096)
    assert layer["featureCount"] == len(layer["features"]) == len(drawn)
    assert layer["geometryTypes"] == {"Point": len(drawn)}
    assert [feature["properties"] for feature in layer["features"]] == [feature.properties for feature in drawn]
    # units of the tile, y downwards
    assert [feature["geometry"]["coordinates"] for feature in layer["features"]] == [[f.x, f.y] for f in drawn]
    assert [feature.get("id") for feature in layer["features"]] == [feature.id or None for feature in drawn]
    assert document["bytes"]["encoded"] == len(tile.body)
    assert 0 < document["bytes"]["gzip"] < len(tile.body)
    assert document["featuresOmitted"] == {"number": 0, "estimate": False}
    assert document["tier"] in {"redis", "postgis"}
    names = {each["name"]: each for each in layer["properties"]}
    for name, about in names.items():
        values = [feature.properties[name] for feature in drawn if name in feature.properties]
        assert about["features"] == len(values)
        assert about["samples"] == list(dict.fromkeys(values))[:5]
        kinds = {"boolean": bool, "integer": int, "number": float, "string": str}
        assert {type(value) for value in values} == {kinds[word] for word in about["types"]}
    assert document["boundingBox"]["lowerLeft"] == pytest.approx([-20037508.34, -20037508.34])


async def test_what_is_left_out(tiles: Client) -> None:
    document = await tiles.json(f"{EVENTS}/0/0/0", f="json", limit="2")
    assert document["layers"][0]["featureCount"] == 2
    assert document["featuresOmitted"]["number"] > 0
    page = await tiles.get(f"{EVENTS}/0/0/0", {"f": "html", "limit": "2"})
    assert re.search(r"<dt>Left out</dt><dd>[1-9]", page.body.decode())


async def test_an_empty_tile(tiles: Client) -> None:
    document = await tiles.json(f"{EVENTS}/0/0/0", f="json", ids="987654321")
    assert document["layers"] == []
    assert document["bytes"] == {"encoded": 0, "gzip": 0}
    page = await tiles.get(f"{EVENTS}/0/0/0", {"f": "html", "ids": "987654321"})
    assert page.status == 200
    assert "the tile is empty" in page.body.decode()


@pytest.mark.parametrize("identifier", IDS)
@pytest.mark.parametrize("table", ["points", "lines", "polygons"])
async def test_every_set_and_kind(placed: Placed, placed_tiles: Client, identifier: str, table: str) -> None:
    for grid in grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[:12:4]:
        column, row = grid.tile_at(*ANCHORS[identifier])
        address = f"/collections/placed.{table}/tiles/{identifier}/{grid.id}/{column}/{row}"
        document = await placed_tiles.json(address, f="json")
        # of columns that make one tile together the first
        assert document["tileCol"] == column - column % grid.group(row)
        (layer,) = document["layers"]
        assert layer["featureCount"] > 0
        page = await placed_tiles.get(address, {"f": "html"})
        assert page.status == 200
        text = page.body.decode()
        kind = {"points": "points", "lines": "line", "polygons": "area"}[table]
        assert f'<path class="{kind}" d="M' in text
        # where the anchor is: on Earth within the boxes that are given
        longitude, latitude = ANCHORS[identifier]
        assert any(
            box["lowerLeft"][0] - 1e-6 <= longitude <= box["upperRight"][0] + 1e-6
            and box["lowerLeft"][1] - 1e-6 <= latitude <= box["upperRight"][1] + 1e-6
            for box in document["geographicBoundingBoxes"]
        ), (grid.id, document["geographicBoundingBoxes"])


@pytest.mark.parametrize("identifier", IDS)
async def test_links_lead_up_and_down_and_around_with_the_parameters(placed_tiles: Client, identifier: str) -> None:
    grid = grids(await placed_tiles.json(f"/tileMatrixSets/{identifier}", f="json"))[2]
    column, row = grid.tile_at(*ANCHORS[identifier])
    address = f"/collections/placed.points/tiles/{identifier}/{grid.id}/{column}/{row}"
    query = {"filter": "id > 3 AND name <> 'a&b'", "limit": "9"}
    page = await placed_tiles.get(address, {**query, "f": "html"})
    assert page.status == 200
    links = Links(page.body.decode()).found
    ways = {"above", "below", "north", "east", "south", "west"}
    around = [(href, text) for href, text in links if text.rpartition(", ")[2] in ways]
    assert {text.rpartition(", ")[2] for _, text in around} >= {"above", "below"}
    for href, text in around:
        answer = await placed_tiles.get(_relative(href, placed_tiles))
        assert answer.status == 200, href
        assert answer.headers["Content-Type"].startswith("text/html")
        other = await placed_tiles.json(_relative(href, placed_tiles).replace("f=html", "f=json"))
        assert text.startswith(f"{other['tileMatrix']}/{other['tileCol']}/{other['tileRow']}, ")
        # from the parent a link leads down again, and from a neighbour one leads back
        back = [link["href"] for link in other["links"] if link["rel"] in ("up", "related")]
        first = column - column % grid.group(row)
        assert any(f"/{grid.id}/{first}/{row}?" in link for link in back), (href, back)
        assert all("filter=id%20%3E%203%20AND" in link and "limit=9" in link for link in back)


async def test_parameters_are_in_the_links_to_other_formats_and_to_the_map(tiles: Client) -> None:
    document = await tiles.json(f"{EVENTS}/1/0/0", f="json", filter="id > 1", limit="5")
    links: dict[Any, str] = {(link["rel"], link.get("type")): link["href"] for link in document["links"]}
    assert links["self", "application/json"].endswith("/1/0/0?filter=id%20%3E%201&limit=5&f=json") or links[
        "self", "application/json"
    ].endswith("/1/0/0?limit=5&filter=id%20%3E%201&f=json")
    assert (await tiles.get(_relative(links["alternate", MVT], tiles))).headers["Content-Type"] == MVT
    assert (await tiles.get(_relative(links["alternate", "text/html"], tiles))).status == 200
    assert "/map.html#map=1/" in links["preview", "text/html"]
    assert links["preview", "text/html"].endswith("&f.hostile.events=id%20%3E%201")
    assert (await tiles.json(_relative(links["collection", "application/json"], tiles)))["dataType"] == "vector"


async def test_each_format_has_its_own_tag(tiles: Client) -> None:
    await tiles.get(f"{EVENTS}/0/0/0")
    tags = {}
    for f in ("mvt", "json", "html"):
        address = f"{EVENTS}/0/0/0?f={f}"
        first = await tiles.get(address)
        tags[f] = first.headers["ETag"]
        again = await tiles.get(address, headers={"If-None-Match": first.headers["ETag"]})
        assert (again.status, again.body) == (304, b"")
        assert first.headers["Cache-Control"].startswith("public, max-age=1")
    assert len(set(tags.values())) == 3
    other = await tiles.get(f"{EVENTS}/0/0/0?f=json", headers={"If-None-Match": tags["html"]})
    assert other.status == 200


@pytest.mark.parametrize("f", ["json", "html"])
async def test_faults_are_those_of_the_tile(tiles: Client, f: str) -> None:
    for query, status in (({"filter": "nonsense ="}, 422), ({"limit": "0"}, 422), ({"geom-column": "none"}, 422)):
        assert (await tiles.get(f"{EVENTS}/0/0/0", {**query, "f": f})).status == status
    assert (await tiles.get(f"{EVENTS}/0/7/0", {"f": f})).status == 404
    unknown = await tiles.get(f"{EVENTS}/0/0/0", {"f": "csv"})
    assert (unknown.status, unknown.json()["detail"][0]["loc"]) == (422, ["query", "f"])


async def test_values_are_text_on_the_page(tiles: Client) -> None:
    page = (await tiles.get(f"{EVENTS}/0/0/0", {"f": "html"})).body.decode()
    assert not re.search(r"\s(style|on[a-z]+)=", page)
    assert not re.search(r"<style|<script(?![^>]*src=)", page)
