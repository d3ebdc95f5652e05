"""Position, radius, area and corridor: pages of the features that `coords` chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from pyproj import Geod

from tests.services.in_process import Client

EVENTS = "/collections/hostile.events"
GEOD = Geod(ellps="WGS84")
MANY = {"limit": "10000"}


async def features_of(features: Client, path: str, parameters: Mapping[str, str]) -> list[Any]:
    answer = await features.get(path, parameters)
    assert answer.status == 200, answer.body
    document = answer.json()
    assert document["numberReturned"] == len(document["features"])
    return list(document["features"])


async def test_radius_has_the_features_within_the_distance(features: Client) -> None:
    everything = await features_of(features, f"{EVENTS}/items", MANY)
    for centre, unit, metres in (((179.5, 10), "km", 1000), ((-30, 80), "nmi", 1852), ((190, 10), "mi", 1609.344)):
        wanted = set()
        for feature in everything:
            _, _, apart = GEOD.inv(*centre, *feature["geometry"]["coordinates"])
            if apart <= 2000 * metres:
                wanted.add(feature["id"])
        coords = {"coords": f"POINT({centre[0]} {centre[1]})", "within": "2000", "within-units": unit}
        assert {feature["id"] for feature in await features_of(features, f"{EVENTS}/radius", coords)} == wanted
        assert 0 < len(wanted) < len(everything)


async def test_area_and_corridor_cross_the_antimeridian(features: Client) -> None:
    area = {"coords": "POLYGON((170 -30, 200 -30, 200 30, 170 30, 170 -30))"}
    line = {"coords": "LINESTRING(170 0, 200 0)", "corridor-width": "2000", "width-units": "km"}
    for path, parameters in ((f"{EVENTS}/area", area), (f"{EVENTS}/corridor", line)):
        found = await features_of(features, path, parameters)
        sides = {feature["geometry"]["coordinates"][0] > 0 for feature in found}
        assert sides == {True, False}, path
        assert all(abs(feature["geometry"]["coordinates"][0]) >= 150 for feature in found)


async def test_position_has_the_features_that_meet_the_point(features: Client) -> None:
    first = (await features_of(features, f"{EVENTS}/items", {"limit": "1"}))[0]
    x, y = first["geometry"]["coordinates"]
    found = await features_of(features, f"{EVENTS}/position", {"coords": f"POINT({x} {y})"})
    assert [feature["id"] for feature in found] == [first["id"]]


async def test_the_other_parameters_are_those_of_items(features: Client) -> None:
    coords = {"coords": "POINT(0 0)", "within": "9000", "within-units": "km"}
    chosen = {"filter": "magnitude > 4", "datetime": "2020-02-01/null", "sortby": "-id", "parameter-name": "magnitude"}
    found = await features_of(features, f"{EVENTS}/radius", coords | chosen)
    text = "S_DWITHIN(geom, POINT(0 0), 9000, 'km') AND magnitude > 4"
    asked = {"filter": text, "datetime": "2020-02-01/..", "sortby": "-id", "properties": "magnitude", **MANY}
    assert found == await features_of(features, f"{EVENTS}/items", asked)
    assert list(found[0]["properties"]) == ["magnitude"]


async def test_pages_follow_links_of_the_same_query(features: Client) -> None:
    coords = {"coords": "POINT(0 0)", "within": "9000", "within-units": "km", "limit": "7"}
    answer = await features.get(f"{EVENTS}/radius", coords)
    seen = []
    while True:
        document = answer.json()
        seen += [feature["id"] for feature in document["features"]]
        following = answer.link("next")
        if following is None:
            break
        assert "/radius?" in following
        answer = await features.get(following)
    assert len(seen) == len(set(seen)) == document["numberMatched"] > 7
    rels = {link["rel"] for link in document["links"]}
    # exports, facets and feeds do not know these parameters
    assert rels == {"self", "alternate", "related", "collection", "prev"}
    assert not any(link.get("type") == "text/html" for link in document["links"])


async def test_coords_are_in_the_requested_crs(features: Client) -> None:
    degrees = {"coords": "POINT(10 20)", "within": "3000", "within-units": "km"}
    metres = degrees | {"coords": "POINT(1113194.9 2273030.9)", "crs": "EPSG:3857"}
    northing_first = degrees | {"coords": "POINT(20 10)", "crs": "EPSG:4326"}
    ids = [
        [feature["id"] for feature in await features_of(features, f"{EVENTS}/radius", asked)]
        for asked in (degrees, degrees | {"crs": "CRS84"}, metres, northing_first)
    ]
    assert ids[0]
    assert all(found == ids[0] for found in ids)


async def test_a_query_without_matches_is_an_empty_page(features: Client) -> None:
    coords = {"coords": "POINT(0.5 0.5)", "within": "0", "within-units": "m"}
    assert await features_of(features, f"{EVENTS}/radius", coords) == []
    table = await features.get(f"{EVENTS}/radius", coords | {"f": "csv"})
    assert (table.status, len(table.body.splitlines())) == (200, 1)


@pytest.mark.parametrize(
    ("query", "parameters", "faults"),
    [
        ("radius", {}, {"coords", "within", "within-units"}),
        ("corridor", {}, {"coords", "corridor-width", "width-units"}),
        ("area", {"coords": "POLYGON()"}, {"coords"}),
        ("area", {"coords": "POINT(1 2)"}, {"coords"}),
        ("position", {"coords": ""}, {"coords"}),
        ("position", {"coords": "POINT(1 2"}, {"coords"}),
        ("position", {"coords": "POINT(1 2)", "z": "850"}, {"z"}),
        ("position", {"coords": "POINT(1 2)", "crs": "EPSG:99999"}, {"crs"}),
        ("position", {"coords": "POINT(1 2)", "parameter-name": "no"}, {"parameter-name"}),
        ("position", {"coords": "POINT(1 2)", "f": "html"}, {"f"}),
        ("position", {"coords": "POINT(1 2)", "datetime": "null"}, {"datetime"}),
        ("radius", {"coords": "POINT(1 2)", "within": "-1", "within-units": "km"}, {"within"}),
        ("radius", {"coords": "POINT(1 2)", "within": "NaN", "within-units": "km"}, {"within"}),
        ("radius", {"coords": "POINT(1 2)", "within": "1", "within-units": "furlong"}, {"within-units"}),
        ("corridor", {"coords": "LINESTRINGM(1 2 3, 4 5 6)", "corridor-width": "1", "width-units": "m"}, {"coords"}),
        ("corridor", {"coords": "LINESTRING(1 2)", "corridor-width": "1", "width-units": "m"}, {"coords"}),
        ("area", {"coords": f"POLYGON(({'1 2, ' * 5000}1 2))"}, {"coords"}),
    ],
)
async def test_faults_name_their_parameter(
    features: Client, query: str, parameters: dict[str, str], faults: set[str]
) -> None:
    answer = await features.get(f"{EVENTS}/{query}", parameters)
    assert answer.status == 422, answer.body
    assert {fault["loc"][1] for fault in answer.json()["detail"]} == faults


async def test_an_unknown_collection_is_not_found(features: Client) -> None:
    answer = await features.get("/collections/hostile.none/position", {"coords": "POINT(1 2)"})
    assert answer.status == 404


@pytest.mark.parametrize("path", ["", "/AL112017~20170830T150000Z", "/AL112017~20170830T150000Z/position", "/x"])
async def test_a_collection_without_versions_has_no_instances(features: Client, path: str) -> None:
    parameters = {"coords": "POINT(1 2)"} if path.endswith("position") else {}
    assert (await features.get(f"{EVENTS}/instances{path}", parameters)).status == 404


async def test_a_collection_without_geometry_has_no_data_queries(features: Client) -> None:
    answer = await features.get("/collections/hostile.no_geometry/position", {"coords": "POINT(1 2)"})
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (422, ["query", "coords"])


@pytest.mark.parametrize(
    ("collection", "position"),
    [
        ("geographies", [2]),
        ("mixed_srids", []),
        ("mixed_types", [5, 6, 13, 15]),
        ("dimensions", [4]),
        ("line_zm", []),
        ("planet", [4]),
        ("srid_2193", []),
        ("empty", []),
    ],
)
async def test_geometries_of_any_kind_have_data_queries(features: Client, collection: str, position: list[int]) -> None:
    path = f"/collections/hostile.{collection}"
    for query, parameters in (
        ("radius", {"coords": "POINT(179 -17)", "within": "9000", "within-units": "km"}),
        ("corridor", {"coords": "LINESTRING(170 0, 200 0)", "corridor-width": "9000", "width-units": "km"}),
        ("area", {"coords": "POLYGON((170 -30, 200 -30, 200 30, 170 30, 170 -30))"}),
    ):
        await features_of(features, f"{path}/{query}", parameters)
    found = await features_of(features, f"{path}/position", {"coords": "POINT(1 0.5)"})
    assert [feature["id"] for feature in found] == position
