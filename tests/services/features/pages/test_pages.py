"""Pages of features: the form after a mistake, what trackers add, the shape of a feature, links to the map."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import asyncpg
import pytest

from services.features.pages.items_html import readable
from tests.eventually import eventually
from tests.services.features.rows.test_geometry import NOWHERE, ODD
from tests.services.in_process import Client, Services

_PERSON = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
_EVENTS = "/collections/hostile.events/items"


async def _page(client: Client, path: str, status: int = 200, **parameters: Any) -> str:
    answer = await client.get(path, parameters, headers=_PERSON)
    assert (answer.status, answer.type) == (status, "text/html; charset=utf-8"), answer.body[:500]
    return html.unescape(answer.body.decode())


async def test_after_a_mistake_the_form_is_there_as_it_was_filled_in(features: Client) -> None:
    # the form waits but a moment for the values that properties have
    await features.json("/collections/hostile.events/schema")
    page = await _page(features, _EVENTS, 422, f="html", filter="magnitud > 5", limit="7", category="a", bbox="1,2")
    field = re.search(r'<input name="filter"[^>]*>(.*?)</label>', page)
    assert field
    assert 'value="magnitud > 5"' in field.group()
    assert 'aria-invalid="true"' in field.group()
    assert "did you mean" in field.group(1)
    box = re.search(r'<input name="bbox"[^>]*>(.*?)</label>', page)
    assert box
    assert "2 items, minimum is 4" in box.group(1)
    assert 'name="limit" value="7"' in page
    assert '<option value="a" selected>a</option>' in page
    # a valid field shows no fault
    assert 'value="7" inputmode="numeric">' in page
    assert page.count("Remove all filters") == 1


async def test_a_property_of_the_name_of_a_parameter_is_no_field(features: Client) -> None:
    path = "/collections/hostile.a%20b/items"
    for status, parameters in ((200, {"limit": "3"}), (422, {"limit": "3", "bbox": "1,2"})):
        page = await _page(features, path, status, f="html", **parameters)
        assert re.findall(r'<(?:input|select) name="(limit|f)"[^>]*', page) == ["limit"]
        assert re.findall(r'name="(\w+)" value="3"', page) == ["limit"]
    # nor is it one to the map
    assert _state(await _page(features, path, f="html", limit="3"))[1] == {}


async def test_the_form_offers_what_the_properties_hold(features: Client) -> None:
    await features.json("/collections/hostile.events/schema")
    page = await _page(features, _EVENTS, f="html", category="low")
    select = re.search(r'<select name="category">(.*?)</select>', page)
    assert select
    assert re.findall(r'<option value="(\w*)"( selected)?>', select.group(1)) == [
        ("", ""),
        ("high", ""),
        ("low", " selected"),
        ("middle", ""),
    ]
    assert '<input name="magnitude" value="" placeholder="0 to 7.8">' in page
    # names differ from row to row: anything may be typed
    assert '<input name="name" value="">' in page


async def test_the_schema_says_what_is_known_of_ranges_that_have_no_end(
    features: Client, owner: asyncpg.Connection
) -> None:
    await owner.execute(
        "CREATE TABLE hostile.no_ends AS SELECT 1 AS id, n::float8 AS upwards, -n::float8 AS downwards,"
        " 'NaN'::real AS neither, day AS onwards,"
        " CASE WHEN n < 3 THEN '-infinity' ELSE date '2021-02-03' END AS backwards"
        " FROM (VALUES (2.5, date '2020-01-01'), ('Infinity', 'infinity')) rows (n, day);"
        "GRANT SELECT ON hostile.no_ends TO hostile_reader"
    )

    async def knows_ranges() -> bool:
        """The collection is known a moment before its version, which ranges are kept for."""
        answer = await features.get("/collections/hostile.no_ends/schema")
        return answer.status == 200 and "minimum" in answer.json()["properties"]["upwards"]

    try:
        await eventually(knows_ranges)
        page = await _page(features, "/collections/hostile.no_ends/schema", f="html")
    finally:
        await owner.execute("DROP TABLE hostile.no_ends")
    values = dict(re.findall(r"<code>(\w+)</code>.*?<td data-label=\"Values\">(.*?)</td>", page))
    texts = {name: " ".join(re.sub("<.*?>", " ", cell).split()) for name, cell in values.items()}
    assert texts["upwards"] == "2.5 – …"
    assert texts["downwards"] == "… – -2.5"
    assert texts["neither"] == ""
    assert texts["onwards"] == "1 Jan 2020 – …"
    assert texts["backwards"] == "… – 3 Feb 2021"


async def test_the_map_has_no_links_to_features_without_an_id(features: Client) -> None:
    for name, linked in (("no_key", False), ("varchar_key", None), ("parted", True)):
        page = await _page(features, f"/collections/hostile.{name}/items", f="html")
        drawn = re.search(r'<figure class="preview">.*?</svg>', page, re.DOTALL)
        if linked is None:
            assert drawn is None
            continue
        assert drawn
        assert "<circle" in drawn.group()
        assert ("<a " in drawn.group()) is ("</a>" in drawn.group()) is linked
        assert "None" not in drawn.group()


async def test_a_mistake_without_a_field_is_reported_and_not_made_again(features: Client) -> None:
    page = await _page(features, _EVENTS, 422, f="html", categry="a", properties="name")
    assert "'categry' is not a parameter here" in page
    assert 'name="categry"' not in page
    assert '<input type="hidden" name="properties" value="name">' in page


@pytest.mark.parametrize(("accept", "f"), [("*/*", "html"), ("application/json", "html"), ("text/html", "json")])
async def test_a_program_gets_its_faults_as_before(features: Client, accept: str, f: str) -> None:
    answer = await features.get(_EVENTS, {"f": f, "filter": "magnitud > 5"}, headers={"Accept": accept})
    assert (answer.status, answer.type) == (422, "application/json")


_TRACKED = {"utm_source": "x", "utm_campaign": "y", "fbclid": "1", "gclid": "2", "msclkid": "3", "mc_cid": "4"}


async def test_pages_pass_over_what_trackers_add(running: Services) -> None:
    for service, path in (
        ("features", _EVENTS),
        ("features", f"{_EVENTS}/49"),
        ("features", "/collections/hostile.events/queryables"),
        ("common", "/collections"),
        ("common", "/"),
        ("tiles", "/tileMatrixSets"),
    ):
        page = await _page(running[service], path, 200, **_TRACKED)
        # a link that carried it on to JSON would be refused
        assert "utm_" not in page.partition("<main")[2], path
        await _page(running[service], path, 200, f="html", **_TRACKED)


@pytest.mark.parametrize("accept", ["application/json", "*/*", "text/html;q=0.5,application/json"])
async def test_programs_get_an_error_for_every_unknown_parameter(features: Client, accept: str) -> None:
    for parameters in ({"utm_source": "x"}, {"gclid": "x", "f": "json"}):
        answer = await features.get(_EVENTS, parameters, headers={"Accept": accept})
        assert (answer.status, answer.json()["detail"][0]["type"]) == (422, "extra_forbidden")
    assert (await features.get(_EVENTS, {"f": "html", "umt_source": "x"}, headers=_PERSON)).status == 422


def _state(page: str) -> tuple[str, dict[str, str]]:
    (link,) = re.findall(r'href="([^"]*map\.html[^"]*)"[^>]*>Open the map', page)
    address = urlsplit(link)
    parts = dict(part.split("=", 1) for part in address.fragment.split("&")) if address.fragment else {}
    return address.path, {unquote(name): unquote(text) for name, text in parts.items()}


async def test_the_map_shows_what_the_page_shows(features: Client) -> None:
    path, state = _state(
        await _page(
            features,
            _EVENTS,
            filter="magnitude > 1 OR magnitude < 9",
            bbox="170,-10,-170,10",
            datetime="2000-01-01/..",
            name="O'Brien & Sons",
            ids="1,2",
        )
    )
    assert path.endswith("/collections/hostile.events/tiles/WebMercatorQuad/map.html")
    assert state["a"] == "box/170,-10,-170,10"
    assert "map" not in state
    assert state["t"] == "2000-01-01/.."
    text = state["f.hostile.events"]
    assert text == "(magnitude > 1 OR magnitude < 9) AND (id IN (1, 2)) AND (name = 'O''Brien & Sons')"
    # the service takes what it has written
    assert (await features.json(_EVENTS, filter=text))["numberMatched"] == 0
    assert _state(await _page(features, _EVENTS))[1] == {}
    assert _state(await _page(features, f"{_EVENTS}/49"))[1] == {"id": "hostile.events/49"}


async def test_a_box_that_is_no_area_of_the_map_is_its_view(features: Client) -> None:
    state = _state(await _page(features, _EVENTS, bbox="20,10,20,10"))[1]
    assert state == {"map": "14.00/10.0000/20.0000"}
    # of another CRS the map knows nothing
    mercator = "http://www.opengis.net/def/crs/EPSG/0/3857"
    page = await _page(features, _EVENTS, 200, **{"bbox": "0,0,1000,1000", "bbox-crs": mercator})
    assert _state(page)[1] == {}


async def test_the_small_map_is_in_degrees_whatever_crs_was_asked_for(features: Client) -> None:
    def drawn(page: str) -> list[str]:
        return re.findall(r'<svg[^>]*viewBox="[^"]*"', page)

    plain = drawn(await _page(features, _EVENTS, f="html", limit="3"))
    assert plain
    mercator = "http://www.opengis.net/def/crs/EPSG/0/3857"
    assert drawn(await _page(features, _EVENTS, f="html", limit="3", crs=mercator)) == plain
    assert drawn(await _page(features, f"{_EVENTS}/49", crs=mercator)) == drawn(await _page(features, f"{_EVENTS}/49"))


async def test_heads_of_the_table_sort_it_and_say_how_it_is_sorted(features: Client) -> None:
    def heads(page: str) -> dict[str, tuple[str, str]]:
        found = re.findall(r'<th scope="col"[^>]*aria-sort="(\w+)"[^>]*><a href="([^"]*)">([^<]*)</a>', page)
        return {title: (sort, address) for sort, address, title in found}

    first = heads(await _page(features, _EVENTS, f="html", limit="3", category="low"))
    assert {sort for sort, _ in first.values()} <= {"none", "descending"}
    upwards = heads(await _page(features, _EVENTS, 200, **dict(parse_qsl(urlsplit(first["Magnitude"][1]).query))))
    assert upwards["Magnitude"][0] == "ascending"
    assert [sort for sort, _ in upwards.values()].count("none") == len(upwards) - 1
    query = dict(parse_qsl(urlsplit(upwards["Magnitude"][1]).query))
    # the query parameters stay, except the position in the previous order
    assert query == {"f": "html", "limit": "3", "category": "low", "sortby": "-magnitude"}
    page = await _page(features, _EVENTS, 200, **query)
    assert heads(page)["Magnitude"][0] == "descending"
    cells = [float(text) for text in _column(page, "Magnitude") if text]
    assert cells
    assert cells == sorted(cells, reverse=True)


def _column(page: str, title: str) -> list[str]:
    names = re.findall(r"<th scope=\"col\"[^>]*>(?:<a [^>]*>)?([^<]*)", page)
    rows = re.findall(r"<tr[^>]*><th scope=\"row\">(.*?)</tr>", page, re.DOTALL)
    return [re.findall(r"<td[^>]*>(.*?)</td>", row)[names.index(title) - 1] for row in rows]


async def test_the_small_map_shows_all_that_match(features: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    every = (await features.json(_EVENTS, f="geojson", limit="10000"))["features"]
    placed = [each for each in every if each["geometry"]]
    page = await _page(features, _EVENTS, f="html", limit="1")
    titles = re.findall(r'<circle class="spot".*?<title>([\d,]+)</title>', page)
    assert sum(int(title.replace(",", "")) for title in titles) == len(placed) > 1
    assert "Dots: all matches" in page
    # where the page has all of them there is nothing to add
    assert 'class="spot"' not in await _page(features, _EVENTS, f="html", ids="49")
    # nor if counting them takes long
    for most, is_shown in ((237, True), (236, False)):
        monkeypatch.setattr("services.features.items_page.MOST_COUNTED", most)
        assert ('class="spot"' in await _page(features, _EVENTS, f="html", limit="1")) is is_shown


async def test_odd_names_and_types_are_written_as_cql2(features: Client) -> None:
    where = "/collections/hostile.a%20b/items"
    page = await _page(features, where, 200, **{'Quote"d': "x'y", "UPPER": "z"})
    text = _state(page)[1]["f.hostile.a b"]
    assert text == "(\"Quote\"\"d\" = 'x''y') AND (UPPER = 'z')"
    assert (await features.json(where, filter=text))["numberMatched"] == 0
    page = await _page(features, _EVENTS, at="2018-02-01T00:00:00Z", magnitude="5")
    text = _state(page)[1]["f.hostile.events"]
    assert text == "(at = TIMESTAMP('2018-02-01T00:00:00Z')) AND (magnitude = 5)"
    assert (await features.get(_EVENTS, {"filter": text})).status == 200


async def test_a_feature_is_drawn_in_its_shape(features: Client) -> None:
    lines = await _page(features, "/collections/hostile.geographies/items/3")
    # the short way, cut at the antimeridian
    assert '<path class="line" d="M170 -50L180 -50"/>' in lines
    assert '<path class="line" d="M-180 -50L-170 -50"/>' in lines
    box = await _page(features, "/collections/hostile.geographies/items/2")
    assert "<rect" in box
    assert "The box around the feature" in box
    # the page of all draws boxes, and says so
    assert "The boxes around the features" in await _page(features, "/collections/hostile.geographies/items")


_LARGE = {
    # a saw between two circles: nothing of it is hidden by a pixel, so that its box is all that is short enough
    "saw": "SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) FROM (SELECT ST_MakeLine(ST_SetSRID("
    "ST_MakePoint((20 + 20 * (n % 2)) * cos(n * pi() / 2000), (20 + 20 * (n % 2)) * sin(n * pi() / 2000)), 4326)"
    " ORDER BY n) AS line FROM generate_series(1, 4000) AS n) AS made",
    "circle": "SELECT ST_Buffer('SRID=4326;POINT(10 10)'::geometry, 8, 5000)",
    # as many corners as that takes; ST_Buffer of newer versions leaves most out
    "heap": "SELECT ST_MakePolygon(ST_AddPoint(line, ST_StartPoint(line))) FROM (SELECT ST_MakeLine(ST_SetSRID("
    "ST_MakePoint(10 + 8 * cos(n * pi() / 200000), 10 + 8 * sin(n * pi() / 200000)), 4326) ORDER BY n) AS line"
    " FROM generate_series(1, 400000) AS n) AS made",
    "islands": "SELECT ST_Collect(ST_Buffer(ST_SetSRID(ST_MakePoint(n / 100.0, 10), 4326), 0.001))"
    " FROM generate_series(1, 3000) AS n",
}


@pytest.fixture(scope="module")
async def shapes(running: object, hostile: Any) -> AsyncIterator[str]:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.drawn_shapes (name text PRIMARY KEY, geom geometry);"
        "GRANT SELECT ON hostile.drawn_shapes TO hostile_reader"
    )
    selects = {name: f"SELECT {text}::geometry" for name, text in (ODD | NOWHERE).items()} | _LARGE
    for name, select in selects.items():
        await owner.execute(f"INSERT INTO hostile.drawn_shapes VALUES ('{name}', ({select}))")  # noqa: S608
    yield "/collections/hostile.drawn_shapes/items"
    await owner.execute("DROP TABLE hostile.drawn_shapes")
    await owner.close()


async def test_no_shape_spoils_its_page(features: Client, shapes: str) -> None:
    await eventually(lambda: features.json(shapes))
    for name in ODD | NOWHERE:
        page = await _page(features, f"{shapes}/{quote(name)}")
        assert ("<svg" in page) == (name in ODD), name


async def test_large_shapes_are_drawn_with_few_positions(features: Client, shapes: str) -> None:
    await eventually(lambda: features.json(shapes))
    for name in _LARGE:
        page = await _page(features, f"{shapes}/{name}")
        assert len(page) < 40_000, name
        drawn = re.search(r'<path d="([^"]*)"', page)
        assert (drawn is None) == (name != "circle"), name
        assert ("The box around the feature" in page) == (drawn is None), name
        assert drawn is None or 20 < drawn.group(1).count("L") <= 500


async def test_times_are_shown_to_people_without_their_fractions(features: Client) -> None:
    page = await _page(features, "/collections/hostile.long_ago/items/1", f="html")
    assert "2024-05-01 10:30 UTC" in page
    assert "10:30:00.25Z" not in page


def test_an_address_with_credentials_is_text_and_no_link() -> None:
    for address, href in (
        ("https://a.example/b", "https://a.example/b"),
        ("https://me:secret@a.example/b", None),
    ):
        assert readable(address) == {"text": address, "short": address, "href": href}
