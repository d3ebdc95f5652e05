"""Whole documents about tiles, as clients read them, of data whose edges are all different."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.eventually import eventually
from tests.services.in_process import Services
from tests.services.tiles.conftest import TilesOn

_TABLES = """
CREATE TABLE hazard.spots (id integer PRIMARY KEY, size real, geom geometry(Point, 4326));
COMMENT ON COLUMN hazard.spots.size IS 'Size. Of a spot. [km]';
INSERT INTO hazard.spots VALUES (1, 1, 'SRID=4326;POINT(10 20)'), (2, 2, 'SRID=4326;POINT(30 50)');
CREATE TABLE hazard.areas (code text, geom geometry(Polygon, 4326));
INSERT INTO hazard.areas VALUES ('a', ST_MakeEnvelope(-40, -30, -20, -10, 4326));
CREATE TABLE hazard.beyond (id integer, geom geometry(Point, 4326));
INSERT INTO hazard.beyond VALUES (1, 'SRID=4326;POINT(170 -10)'), (2, 'SRID=4326;POINT(190 20)');
CREATE TABLE hazard.empty (id integer, alert_level text, geom geometry(Point, 4326));
SELECT dams.watch('hazard.spots'), dams.watch('hazard.areas');
GRANT SELECT ON ALL TABLES IN SCHEMA hazard TO dams_reader;
"""
_DESCRIBED = """
collections:
  hazard.spots: {title: Spots, description: Where it was, attribution: They, minzoom: 1, maxzoom: 5}
  hazard.areas: {title: Areas, attribution: We, minzoom: 2, maxzoom: 4}
  hazard.beyond: {title: Beyond, minzoom: 0, maxzoom: 3}
  hazard.empty: {title: Empty, minzoom: 0, maxzoom: 3}
"""
CRS84 = "http://www.opengis.net/def/crs/OGC/1.3/CRS84"
REGISTER = "http://www.opengis.net/def/tilematrixset/OGC/1.0"
SCHEME = "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme"
JSON, HTML, MVT = "application/json", "text/html", "application/vnd.mapbox-vector-tile"
SECONDS = "public, max-age=2, stale-while-revalidate=2, stale-if-error=60"
BOTH = "?collections=hazard.spots,hazard.areas"


def _link(rel: str, href: str, kind: str, title: str, **more: Any) -> dict[str, Any]:
    return {"href": f"BASE{href}", "rel": rel, "type": kind, "title": title, **more}


def _itself(path: str) -> list[dict[str, Any]]:
    more = "&" if "?" in path else "?"
    return [
        _link("self", f"{path}{more}f=json", JSON, "This document as json"),
        _link("alternate", f"{path}{more}f=html", HTML, "This document as html"),
    ]


def _of_tileset(path: str, query: str, tms: str) -> list[dict[str, Any]]:
    return [
        *_itself(f"{path}/{tms}{query}"),
        _link(
            "item", f"{path}/{tms}/{{tileMatrix}}/{{tileCol}}/{{tileRow}}{query}", MVT, "Vector tiles", templated=True
        ),
        _link(SCHEME, f"/tileMatrixSets/{tms}", JSON, f"Tile matrix set {tms}"),
        _link("describedby", f"{path}/{tms}/tilejson.json{query}", JSON, "TileJSON"),
        _link("stylesheet", f"{path}/{tms}/style.json{query}", JSON, "Style"),
        _link("preview", f"{path}/{tms}/map.html{query}", HTML, "Map"),
    ]


def _layer(name: str, first: str, last: str, dimension: int, **properties: Any) -> dict[str, Any]:
    return {
        "id": f"hazard.{name}",
        "title": name.capitalize(),
        **({"description": "Where it was"} if name == "spots" else {}),
        "dataType": "vector",
        "crs": CRS84,
        "minTileMatrix": first,
        "maxTileMatrix": last,
        "propertiesSchema": {"type": "object", "properties": properties},
        "links": [_link("describedby", f"/collections/hazard.{name}", JSON, "The collection")],
        "geometryDimension": dimension,
    }


def _limits(matrix: int, rows: tuple[int, int], columns: tuple[int, int]) -> dict[str, Any]:
    ends = {"minTileRow": rows[0], "maxTileRow": rows[1], "minTileCol": columns[0], "maxTileCol": columns[1]}
    return {"tileMatrix": str(matrix), **ends}


SPOTS = {"id": {"type": "integer"}, "size": {"type": "number", "title": "Size", "description": "Of a spot."}}
AREAS = {"code": {"type": "string"}}
OWN = "/collections/hazard.spots/tiles"
_EXPECTED: dict[str, dict[str, Any]] = {
    f"{OWN}/WorldCRS84Quad": {
        "title": "Spots on WorldCRS84Quad",
        "description": "Where it was",
        "dataType": "vector",
        "crs": CRS84,
        "tileMatrixSetURI": f"{REGISTER}/WorldCRS84Quad",
        "links": _of_tileset(OWN, "", "WorldCRS84Quad"),
        "tileMatrixSetLimits": [_limits(0, (0, 0), (1, 1)), _limits(1, (0, 0), (2, 2)), _limits(2, (0, 1), (4, 4))],
        # zooms are those of Web Mercator, whose tiles are as wide one level deeper
        "layers": [_layer("spots", "0", "4", 0, **SPOTS)],
        "mediaTypes": [MVT],
        "boundingBox": {"lowerLeft": [10, 20], "upperRight": [30, 50], "crs": CRS84},
        "centerPoint": {"coordinates": [20, 35], "crs": CRS84, "tileMatrix": "0"},
    },
    f"{OWN}/WebMercatorQuad/tilejson.json": {
        "tilejson": "3.0.0",
        "name": "Spots",
        "description": "Where it was",
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [f"BASE{OWN}/WebMercatorQuad/{{z}}/{{x}}/{{y}}?v=VERSION"],
        "minzoom": 1,
        "maxzoom": 5,
        "vector_layers": [
            {
                "id": "hazard.spots",
                "description": "Where it was",
                "minzoom": 1,
                "maxzoom": 5,
                "fields": {"id": "Number", "size": "Number"},
            }
        ],
        "attribution": "They",
        "bounds": [9.99999, 19.99999, 30.00001, 50.00001],
        "center": [20, 35, 1],
    },
    f"/tiles/WebMercatorQuad{BOTH}": {
        "title": "Site on WebMercatorQuad",
        "description": "A layer for each of 2 collections.",
        "dataType": "vector",
        "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
        "tileMatrixSetURI": f"{REGISTER}/WebMercatorQuad",
        "links": _of_tileset("/tiles", BOTH, "WebMercatorQuad"),
        "tileMatrixSetLimits": [_limits(0, (0, 0), (0, 0)), _limits(1, (0, 1), (0, 1)), _limits(2, (1, 2), (1, 2))],
        "layers": [_layer("spots", "1", "5", 0, **SPOTS), _layer("areas", "2", "4", 2, **AREAS)],
        "mediaTypes": [MVT],
        "boundingBox": {"lowerLeft": [-40, -30], "upperRight": [30, 50], "crs": CRS84},
        "centerPoint": {"coordinates": [-5, 10], "crs": CRS84, "tileMatrix": "1"},
    },
    f"/tiles/WebMercatorQuad/tilejson.json{BOTH}": {
        "tilejson": "3.0.0",
        "name": "Site",
        "description": "A layer for each of 2 collections.",
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [f"BASE/tiles/WebMercatorQuad/{{z}}/{{x}}/{{y}}{BOTH}&v=VERSION"],
        "minzoom": 1,
        "maxzoom": 5,
        "vector_layers": [
            {
                "id": f"hazard.{name}",
                "description": said,
                "minzoom": first,
                "maxzoom": last,
                "fields": fields,
                "dams:version": "VERSION",
            }
            for name, said, first, last, fields in (
                ("spots", "Where it was", 1, 5, {"id": "Number", "size": "Number"}),
                ("areas", "Areas", 2, 4, {"code": "String"}),
            )
        ],
        "attribution": "They · We",
        "bounds": [-40.00001, -30.00001, 30.00001, 50.00001],
        "center": [-5, 10, 1],
    },
}


async def _document(services: Services, path: str) -> Any:
    """With `BASE` for the address and `VERSION` for the state of the data, and the first of many limits."""
    tiles = services["tiles"]
    answer = await tiles.get(path)
    assert answer.status == 200, answer.body
    document = answer.json()
    for each in [document, *document.get("tilesets", ())]:
        if "tileMatrixSetLimits" in each:
            del each["tileMatrixSetLimits"][3:]

    def plain(value: Any) -> Any:
        if isinstance(value, str):
            text = value.replace(tiles.base, "BASE")
            return re.sub(r"(?<=v=)[0-9a-f]{16}$|^[0-9a-f]{16}$", "VERSION", text)
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return plain(document)


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which they keep what they know."""
    return tmp_path_factory.mktemp("state")


@pytest.fixture(scope="module")
async def described(tiles_on: TilesOn, state: Path) -> AsyncIterator[Services]:
    """The services on these tables, with an operator's basemap."""
    basemap = {"DAMS_BASEMAP_TILES": "https://maps.example/{z}/{x}/{y}.png", "DAMS_BASEMAP_ATTRIBUTION": "Those"}
    settings = {
        "DAMS_SITE_TITLE": "Site",
        "DAMS_BASEMAP_MAX_ZOOM": "17",
        "DAMS_STATE_DIR": str(state),
        **basemap,
    }
    async with tiles_on(_TABLES, _DESCRIBED, **settings) as services:
        yield services


async def test_documents_about_tiles(described: Services) -> None:
    for path, expected in _EXPECTED.items():
        assert await _document(described, path) == expected, path
    own, several = await _document(described, OWN), await _document(described, f"/tiles{BOTH}")
    areas = await _document(described, "/collections/hazard.areas/tiles/WebMercatorQuad")
    unknown = await described["tiles"].get("/tiles?collections=hazard.nothing")
    # for which only the title is given
    assert "description" not in areas
    assert own["links"] == _itself(OWN)
    assert several["links"] == _itself(f"/tiles{BOTH}")
    mercator = [
        next(each for each in all_["tilesets"] if "Mercator" in each["crs"] or "3857" in each["crs"])
        for all_ in (own, several)
    ]
    scheme = _link(SCHEME, "/tileMatrixSets/WebMercatorQuad", JSON, "Tile matrix set WebMercatorQuad")
    common = {
        "dataType": "vector",
        "crs": "http://www.opengis.net/def/crs/EPSG/0/3857",
        "tileMatrixSetURI": f"{REGISTER}/WebMercatorQuad",
    }
    address = f"{OWN}/WebMercatorQuad"
    assert mercator[0] == {
        "title": "Spots on WebMercatorQuad",
        **common,
        "links": [_link("self", address, JSON, "Tileset of Spots on WebMercatorQuad"), scheme],
    }
    whole = _EXPECTED[f"/tiles/WebMercatorQuad{BOTH}"]
    assert mercator[1] == {
        "title": "Site on WebMercatorQuad",
        **common,
        "tileMatrixSetId": "WebMercatorQuad",
        "tileMatrixSetLimits": whole["tileMatrixSetLimits"],
        "links": [
            _link("self", f"/tiles/WebMercatorQuad{BOTH}", JSON, "Tileset on WebMercatorQuad"),
            whole["links"][2],
            scheme,
        ],
    }
    assert unknown.status == 422


@pytest.mark.parametrize(
    ("name", "bounds", "tileset"),
    [
        # clients of bounds want west below east; a bounding box says on which side it is
        (
            "beyond",
            {"bounds": [-180, -10.00001, 180, 20.00001], "center": [180, 5, 0]},
            {
                "boundingBox": {"lowerLeft": [170, -10], "upperRight": [-170, 20], "crs": CRS84},
                "centerPoint": {"coordinates": [180, 5], "crs": CRS84, "tileMatrix": "0"},
            },
        ),
        ("empty", {}, {}),
    ],
)
async def test_of_a_collection_that_is_not_described_only_what_is_known_is_told(
    described: Services, name: str, bounds: dict[str, Any], tileset: dict[str, Any]
) -> None:
    title, address = name.capitalize(), f"/collections/hazard.{name}/tiles/WebMercatorQuad"
    found = await _document(described, f"{address}/tilejson.json")
    layers = found.pop("vector_layers")
    assert [layer["description"] for layer in layers] == [title]
    assert found == {
        "tilejson": "3.0.0",
        "name": title,
        "description": title,
        "version": "1.0.0",
        "scheme": "xyz",
        "tiles": [f"BASE{address}/{{z}}/{{x}}/{{y}}"],
        "minzoom": 0,
        "maxzoom": 3,
        **bounds,
    }
    told = await _document(described, address)
    assert {each: told[each] for each in ("boundingBox", "centerPoint") if each in told} == tileset
    source = (await _document(described, f"{address}/style.json"))["sources"][f"hazard.{name}"]
    assert source.get("bounds") == bounds.get("bounds")
    assert "attribution" not in source


async def test_plain_styles_have_a_layer_for_each_colour(described: Services) -> None:
    address = "/collections/hazard.empty/tiles/WebMercatorQuad/style.json"
    usual, plain = [
        (await _document(described, f"{address}{query}"))["metadata"]["dams:layers"] for query in ("", "?plain=true")
    ]
    assert "hazard.empty:circle" in usual
    circles = [f"hazard.empty:circle:{number}" for number in (3, 2, 1, 0)]
    assert [name for name in plain if ":circle" in name] == circles


async def test_styles_have_the_basemap_of_the_operator(described: Services) -> None:
    raster = {
        "type": "raster",
        "tiles": ["https://maps.example/{z}/{x}/{y}.png"],
        "tileSize": 256,
        "maxzoom": 17,
        "attribution": "Those",
    }
    style = await _document(described, f"{OWN}/WebMercatorQuad/style.json")
    assert style["sources"] == {
        "basemap-raster": raster,
        "hazard.spots": {
            "type": "vector",
            "tiles": [f"BASE{OWN}/WebMercatorQuad/{{z}}/{{x}}/{{y}}?v=VERSION"],
            "minzoom": 1,
            "maxzoom": 5,
            "bounds": [9.99999, 19.99999, 30.00001, 50.00001],
            "attribution": "They",
        },
    }
    assert (style["name"], style["center"]) == ("Spots", [20, 35])
    assert style["metadata"].pop("dams:legend")
    assert style["metadata"] == {
        "dams:collection": "hazard.spots",
        "dams:tileMatrixSet": "WebMercatorQuad",
        "dams:geometryType": "Point",
        "dams:layers": [layer["id"] for layer in style["layers"] if layer.get("source") == "hazard.spots"],
        "dams:version": "VERSION",
    }
    both = await _document(described, f"/tiles/WebMercatorQuad/style.json{BOTH}")
    assert both["sources"]["basemap-raster"] == raster


async def test_tile_matrix_sets_say_where_they_are(described: Services) -> None:
    sets = await _document(described, "/tileMatrixSets")
    unregistered = await _document(described, "/tileMatrixSets/WGS1984Quad")
    assert sets["links"] == _itself("/tileMatrixSets")
    assert len(sets["tileMatrixSets"]) == 13
    assert next(each for each in sets["tileMatrixSets"] if each["id"] == "WGS1984Quad") == {
        "id": "WGS1984Quad",
        "title": "EPSG:4326 for the World",
        # one that the register does not have is named by its address here
        "uri": "BASE/tileMatrixSets/WGS1984Quad",
        "crs": "http://www.opengis.net/def/crs/EPSG/0/4326",
        "links": [
            _link("self", "/tileMatrixSets/WGS1984Quad", JSON, "EPSG:4326 for the World"),
            _link("alternate", "/tileMatrixSets/WGS1984Quad?f=html", HTML, "EPSG:4326 for the World"),
        ],
    }
    assert unregistered["uri"] == "BASE/tileMatrixSets/WGS1984Quad"
    assert unregistered["links"] == _itself("/tileMatrixSets/WGS1984Quad")
    assert unregistered["tileMatrices"][0]["pointOfOrigin"] == [90, -180]


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/tileMatrixSets", "public, max-age=86400"),
        ("/tileMatrixSets/WebMercatorQuad", "public, max-age=86400"),
        *(
            (path, SECONDS)
            for path in (
                "/tileMatrixSets?f=html",
                "/tileMatrixSets/WebMercatorQuad?f=html",
                OWN,
                f"{OWN}?f=html",
                f"{OWN}/WebMercatorQuad",
                f"{OWN}/WebMercatorQuad?f=html",
                f"{OWN}/WebMercatorQuad/tilejson.json",
                f"{OWN}/WebMercatorQuad/style.json",
                f"/tiles{BOTH}",
                f"/tiles{BOTH}&f=html",
                f"/tiles/WebMercatorQuad{BOTH}",
                f"/tiles/WebMercatorQuad{BOTH}&f=html",
                f"/tiles/WebMercatorQuad/tilejson.json{BOTH}",
                f"/tiles/WebMercatorQuad/style.json{BOTH}",
            )
        ),
    ],
)
async def test_what_did_not_change_is_not_sent_again(described: Services, path: str, kept: str) -> None:
    first = await described["tiles"].get(path)
    assert (first.status, first.headers["Cache-Control"]) == (200, kept)
    again = await described["tiles"].get(path, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body, again.headers["Cache-Control"]) == (304, b"", kept)


async def test_the_catalogue_is_kept_under_the_name_of_the_service(described: Services, state: Path) -> None:
    async def kept() -> None:
        assert "hazard.spots" in (state / "tiles-catalogue.json").read_text()

    assert (await described["tiles"].get(OWN)).status == 200
    await eventually(kept)
