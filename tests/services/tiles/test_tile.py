"""The parameters of tiles, their errors, tiles that do not exist, and tiles that hold nothing."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from libs.web.content_coding import best_coding
from services.tiles import tile as handler
from services.tiles.request.tile_request import TileRequest, parse_tile
from services.tiles.resources import FOLDING
from tests.eventually import eventually
from tests.libs.web.accept_encodings import DECODED, TAKES_GZIP
from tests.services.in_process import Answer, Client, Services
from tests.services.tiles.places import Drawn, decoded

METADATA = ("/tilejson.json", "/style.json")
EVENTS = "/collections/hostile.events/tiles/WebMercatorQuad"


async def _features(tiles: Client, collection: str = "hostile.events", **parameters: str) -> list[Drawn]:
    """The features of the tile of the whole world."""
    names = {name.replace("_", "-"): value for name, value in parameters.items()}
    answer = await tiles.get(f"/collections/{quote(collection, safe='')}/tiles/WebMercatorQuad/0/0/0", names)
    assert answer.status == 200, (answer.url, answer.body)
    return decoded(answer.body, collection)


def _faults(answer: Answer) -> set[str]:
    assert answer.status == 422, (answer.url, answer.status)
    return {fault["loc"][1] for fault in answer.json()["detail"]}


@pytest.mark.parametrize(
    "place",
    [
        "0/1/0",
        "0/0/1",
        "0/-1/0",
        "-1/0/0",
        "99/0/0",
        "0/2147483647/0",
        "0/0/2147483647",
        "24/2147483647/2147483647",
        "0/0/999999999999999999",
    ],
)
async def test_a_tile_outside_the_limits_does_not_exist(tiles: Client, place: str) -> None:
    answer = await tiles.get(f"{EVENTS}/{place}")
    assert answer.status == 404
    assert list(answer.json()) == ["detail"]


@pytest.mark.parametrize("place", ["a/0/0", "0/b/0", "0/0/1.5", "0/0/99999999999999999999"])
async def test_what_is_no_number_is_a_fault_of_the_path(tiles: Client, place: str) -> None:
    answer = await tiles.get(f"{EVENTS}/{place}")
    assert answer.status == 422
    assert answer.json()["detail"][0]["loc"][0] == "path"


@pytest.mark.parametrize(
    "path", ["/tileMatrixSets/Nothing", "/collections/hostile.events/tiles/Nothing", f"{EVENTS}x/0/0/0"]
)
async def test_an_unknown_tile_matrix_set_does_not_exist(tiles: Client, path: str) -> None:
    answer = await tiles.get(path)
    assert answer.status == 404
    assert "WebMercatorQuad" in answer.json()["detail"]


@pytest.mark.parametrize(
    "path",
    [
        "/tileMatrixSets",
        "/tileMatrixSets/WebMercatorQuad",
        "/collections/hostile.events/tiles",
        EVENTS,
        f"{EVENTS}/tilejson.json",
        f"{EVENTS}/style.json",
        "/tiles",
        "/tiles/WebMercatorQuad",
        "/tiles/WebMercatorQuad/tilejson.json",
        "/tiles/WebMercatorQuad/style.json",
    ],
)
async def test_a_parameter_that_no_metadata_have_is_a_fault(tiles: Client, path: str) -> None:
    answer = await tiles.get(path, {"colour": "red"})
    assert (answer.status, answer.json()["detail"][0]["loc"]) == (422, ["query", "colour"])


@pytest.mark.parametrize("rest", ["", *(f"/WebMercatorQuad{rest}" for rest in ("", "/0/0/0", *METADATA))])
async def test_a_collection_without_a_geometry_has_no_tiles(tiles: Client, rest: str) -> None:
    answer = await tiles.get(f"/collections/hostile.no_geometry/tiles{rest}")
    assert (answer.status, answer.json()) == (
        404,
        {"detail": "Collection 'hostile.no_geometry' has no geometry, hence no tiles."},
    )
    assert (await tiles.get(f"/collections/hostile.nothing/tiles{rest}")).status == 404


@pytest.mark.parametrize("path", ["/collections/hostile.empty/tiles/WebMercatorQuad/0/0/0", f"{EVENTS}/20/5/5"])
async def test_an_empty_tile_is_200_with_an_empty_body(tiles: Client, path: str) -> None:
    for encoding in ("gzip", "identity"):
        answer = await tiles.get(path, headers={"Accept-Encoding": encoding})
        assert (answer.status, answer.body) == (200, b"")
        assert answer.type == "application/vnd.mapbox-vector-tile"
        assert "Content-Encoding" not in answer.headers
        # in milliseconds
        assert 0 < float(answer.headers["Server-Timing"].rpartition("dur=")[2]) < 60_000


async def test_features_have_ids_and_typed_properties(tiles: Client) -> None:
    features = await _features(tiles)
    assert len(features) == 237
    event = next(feature for feature in features if feature.id == 8)
    assert event.properties == {
        "name": "event 8",
        "magnitude": 1.6,
        "category": "high",
        "at": "2020-01-09T00:00:00Z",
    }


async def test_ids(tiles: Client) -> None:
    assert {feature.id for feature in await _features(tiles, ids="3,5,99999")} == {3, 5}


async def test_bbox(tiles: Client) -> None:
    features = await _features(tiles, bbox="0,0,90,80")
    assert 0 < len(features) < 237
    assert all(f.x >= 2047 and f.y <= 2049 for f in features)
    over = await _features(tiles, bbox="170,-80,-170,80")
    assert over
    assert all(f.x > 3900 or f.x < 200 for f in over)


async def test_datetime(tiles: Client) -> None:
    features = await _features(tiles, datetime="2020-01-05T00:00:00Z/2020-01-09T00:00:00Z")
    assert {feature.id for feature in features} == {4, 5, 6, 7, 8}
    assert {feature.id for feature in await _features(tiles, datetime="../2020-01-03", datetime_column="at")} == {1, 2}


async def test_filter_in_both_languages(tiles: Client) -> None:
    text = {feature.id for feature in await _features(tiles, filter="magnitude > 7 AND category = 'low'")}
    query = (
        '{"op":"and","args":[{"op":">","args":[{"property":"magnitude"},7]},'
        '{"op":"=","args":[{"property":"category"},"low"]}]}'
    )
    json = {feature.id for feature in await _features(tiles, filter=query, filter_lang="cql2-json")}
    expected = {n for n in range(1, 238) if n % 7 and (n % 40) / 5 > 7 and n % 3 == 0}
    assert text == json == expected


async def test_q_finds_texts(tiles: Client) -> None:
    assert {feature.id for feature in await _features(tiles, q="Évent 17,EVENT 231")} == {17, *range(170, 180), 231}
    answer = await tiles.get(f"{EVENTS}/0/0/0", {"q": "zzzzz"})
    assert (answer.status, answer.body) in {(200, b""), (204, b"")}


async def test_a_property_is_a_parameter(tiles: Client) -> None:
    assert {feature.id for feature in await _features(tiles, name="event 17")} == {17}


async def test_properties(tiles: Client) -> None:
    assert {name for f in await _features(tiles, properties="name,id") for name in f.properties} == {"name", "id"}
    bare = await _features(tiles, properties="")
    assert bare
    assert all(feature.properties == {} for feature in bare)


async def test_limit_keeps_the_first_of_the_order(tiles: Client) -> None:
    assert {f.id for f in await _features(tiles, limit="3", sortby="-at")} == {235, 236, 237}
    assert {f.id for f in await _features(tiles, limit="3", sortby="at")} == {1, 2, 3}
    # without an order of the request, the tile holds the strongest
    assert {f.properties["magnitude"] for f in await _features(tiles, limit="4")} == {7.8}


async def test_an_order_is_that_of_the_values_not_of_their_text(placed_tiles: Client) -> None:
    async def first(sortby: str) -> list[str]:
        features = await _features(placed_tiles, "placed.graded", limit="1", sortby=sortby)
        return [str(feature.properties["level"]) for feature in features]

    assert await first("level") == ["low"]
    assert await first("-level") == ["Middle"]
    # the year 10000 is after 2020, though its text is before
    assert await first("day") == ["high"]


async def test_geom_column(tiles: Client) -> None:
    for name, kind in (("place", "Point"), ("area", "Polygon"), ("path", "LineString")):
        (feature,) = await _features(tiles, collection="hostile.several", geom_column=name)
        assert feature.geometry.geom_type == kind
        style = await tiles.json(
            "/collections/hostile.several/tiles/WebMercatorQuad/style.json", **{"geom-column": name}
        )
        assert style["metadata"]["dams:geometryType"] == kind


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("geom-column", "nothing"),
        ("geom-column", "none"),
        ("datetime-column", "nothing"),
        ("ids", "a"),
        ("bbox", "1,2,3"),
        ("datetime", "yesterday"),
        ("properties", "nothing"),
        ("filter", "nothing = 1"),
        ("filter-lang", "sql"),
        ("filter-crs", "EPSG:3857"),
        ("sortby", "nothing"),
        ("limit", "0"),
        ("limit", "10001"),
        ("limit", "unlimited"),
        ("f", "csv"),
    ],
)
async def test_a_malformed_parameter_is_a_fault(tiles: Client, name: str, value: str) -> None:
    assert _faults(await tiles.get(f"{EVENTS}/0/0/0", {name: value})) == {name}


async def test_all_faults_are_reported_at_once(tiles: Client) -> None:
    query = {"limit": "20000", "bbox": "x", "datetime": "x", "sortby": "x", "ids": "x", "nonsense": "x"}
    assert _faults(await tiles.get(f"{EVENTS}/0/0/0", query)) == set(query)


async def test_it_is_in_the_best_coding_that_the_client_takes(tiles: Client) -> None:
    async def ask(encoding: str) -> tuple[str | None, bytes]:
        async with tiles.session.get(
            f"{tiles.base}{EVENTS}/0/0/0", headers={"Accept-Encoding": encoding}, auto_decompress=False
        ) as response:
            return response.headers.get("Content-Encoding"), await response.read()

    plain = (await ask("identity"))[1]
    for encoding in (*TAKES_GZIP, "gzip, zstd"):
        coding, body = await ask(encoding)
        assert coding == best_coding(encoding), encoding
        assert DECODED[coding](body) == plain


async def test_a_small_one_is_as_it_is_stored(tiles: Client) -> None:
    for encoding, coding in (("br, gzip", "gzip"), ("br", "br")):
        async with tiles.session.get(
            f"{tiles.base}{EVENTS}/0/0/0?limit=1", headers={"Accept-Encoding": encoding}, auto_decompress=False
        ) as response:
            assert response.headers["Content-Encoding"] == coding
            assert "hostile.events" in DECODED[coding](await response.read()).decode("latin-1")


@pytest.mark.parametrize("f", ["mvt", "json", "html"])
async def test_a_tag_that_matches_is_answered_before_the_request_is_parsed(
    tiles: Client, monkeypatch: pytest.MonkeyPatch, f: str
) -> None:
    address = f"{EVENTS}/0/0/0?filter=id%3C5&f={f}"
    first = await tiles.get(address)
    monkeypatch.setattr(handler, "parse_tile", pytest.fail)
    again = await tiles.get(address, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    assert {name: again.headers[name] for name in ("ETag", "Cache-Control", "Vary")} == {
        name: first.headers[name] for name in ("ETag", "Cache-Control", "Vary")
    }


async def test_filters_fold_texts_like_the_database(
    running: Services, tiles: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Any, ...]] = []
    parse = parse_tile

    def noted(*arguments: Any) -> TileRequest:
        given.append(arguments[-2:])
        return parse(*arguments)

    monkeypatch.setattr(handler, "parse_tile", noted)

    async def known() -> None:
        assert running.apps["tiles"][FOLDING].current is not None

    await eventually(known)
    assert (await tiles.get(f"{EVENTS}/0/0/0")).status == 200
    assert given == [(10_000, running.apps["tiles"][FOLDING].current)]


@pytest.mark.parametrize("f", ["mvt", "json", "html"])
async def test_any_tag_and_a_later_date_are_those_of_what_is_unchanged(tiles: Client, f: str) -> None:
    async def unchanged(condition: dict[str, str]) -> None:
        answer = await tiles.get(f"{EVENTS}/0/0/0?f={f}", headers=condition)
        assert (answer.status, answer.body) == (304, b"")

    await unchanged({"If-None-Match": "*"})
    # there is a date once the second of the change is over
    await eventually(lambda: unchanged({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}))
    invalid = await tiles.get(f"{EVENTS}/0/0/0?filter=nothing%3D1&f={f}", headers={"If-None-Match": "*"})
    assert invalid.status == 422


async def test_a_tile_that_did_not_change_is_not_sent_again(tiles: Client) -> None:
    first = await tiles.get(f"{EVENTS}/0/0/0")
    again = await tiles.get(f"{EVENTS}/0/0/0", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", first.headers["ETag"])
    other = await tiles.get(f"{EVENTS}/0/0/0?limit=5")
    assert other.headers["ETag"] != first.headers["ETag"]
    gone = await tiles.get(f"{EVENTS}/0/5/0", headers={"If-None-Match": "*"})
    assert gone.status == 404
