"""The members that TileJSON and styles share: address, zooms, bounds and attribution of a tileset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from libs.catalogue.chosen_collections import Chosen
from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.bbox import BBox
from libs.ogc.crs import CRS84
from libs.ogc.errors import InvalidParameters, NotFound
from libs.web.query_params import QueryValues
from services.tiles.metadata.addresses import tile_link, tile_matrix_set_uri, tiling_scheme_link
from services.tiles.metadata.dataset_source import DatasetSource, dataset_source
from services.tiles.metadata.layer import layer, vector_layer
from services.tiles.metadata.map_source import MapSource, map_source

TMS = tile_matrix_set("WebMercatorQuad")
EAST, WEST = (10.0, -10.0, 20.0, 10.0), (-175.0, 20.0, -160.0, 30.0)


def _collection(name: str, bbox: tuple[float, float, float, float] | None = EAST, **more: Any) -> Collection:
    geometries = (GeometryColumn("geom", "Point", 4326, bbox=bbox), GeometryColumn("other geom", "Geometry", 4326))
    settings = {"minzoom": 2, "maxzoom": 6, "columns": (), "geometries": geometries, **more}
    return Collection(f"s.{name}", "s", name, 1, "table", "T", None, **settings)


def _zooms(minzoom: int | None, maxzoom: int | None) -> QueryValues:
    return QueryValues({"minzoom": minzoom, "maxzoom": maxzoom, "geom-column": None})


def _dataset(*collections: Collection, named: bool = True, **more: Any) -> DatasetSource:
    return dataset_source(Chosen(collections, named), TMS, more.pop("query", _zooms(None, None)), "/api", **more)


def _map(query: QueryValues, edition: str | None = None) -> MapSource:
    return map_source(_collection("a"), TMS, query, "/api", edition=edition)


def test_several_collections_have_the_zooms_and_bounds_of_all() -> None:
    both = _dataset(
        _collection("a", attribution="One"),
        _collection("b", WEST, minzoom=1, maxzoom=9, attribution="Two"),
        _collection("c", WEST, attribution="One"),
        _collection("table", geometries=()),
    )
    assert (both.minzoom, both.maxzoom) == (1, 9)
    assert both.bounds == BBox(-175, -10, 20, 30)
    assert _dataset(_collection("a", (170.0, -10.0, -170.0, 10.0))).bounds == BBox(-180, -10, 180, 10)
    assert both.attribution == "One · Two"
    assert [collection.name for collection, _ in both.layers] == ["a", "b", "c"]
    unknown = _dataset(_collection("a"), _collection("b", None))
    assert (unknown.bounds, unknown.attribution) == (None, None)
    with pytest.raises(NotFound, match="no tiles"):
        _dataset(_collection("table", geometries=()))


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ((3, None), (3, 6)),
        ((8, None), (8, 8)),
        ((None, 4), (2, 4)),
        ((None, 1), (1, 1)),
        ((0, 9), (0, 9)),
        ((0, 0), (0, 0)),
    ],
)
def test_a_zoom_that_is_asked_for_moves_the_other(asked: tuple[int | None, int | None], found: tuple[int, int]) -> None:
    for source in (_dataset(_collection("a"), query=_zooms(*asked)), _map(_zooms(*asked))):
        assert (source.minzoom, source.maxzoom) == found


def test_zooms_that_the_set_does_not_have_are_refused() -> None:
    for query in (_zooms(5, 4), _zooms(None, 25)):
        with pytest.raises(InvalidParameters):
            _dataset(_collection("a"), query=query)
        with pytest.raises(InvalidParameters):
            _map(query)


def test_addresses_say_which_tiles_of_which_edition() -> None:
    tiles = "/api/tiles/WebMercatorQuad/{z}/{x}/{y}"
    assert _dataset(_collection("a"), named=False).template == tiles
    assert _dataset(_collection("a"), named=False, edition="7").template == f"{tiles}?v=7"
    assert _dataset(_collection("a"), edition="7").template == f"{tiles}?collections=s.a&v=7"
    own = "/api/collections/s.a/tiles/WebMercatorQuad/{z}/{x}/{y}"
    assert (_map(_zooms(None, None)).template, _map(_zooms(None, None), "7").template) == (own, f"{own}?v=7")
    of_column = _map(QueryValues({"minzoom": None, "maxzoom": None, "geom-column": "other geom"}), "7")
    assert (of_column.template, of_column.geometry.type) == (f"{own}?geom-column=other%20geom&v=7", "Geometry")
    link = tile_link("/api/tiles/WebMercatorQuad?collections=s.a").to_json()
    assert link["href"] == "/api/tiles/WebMercatorQuad/{tileMatrix}/{tileCol}/{tileRow}?collections=s.a"
    assert link["templated"] is True


def test_a_layer_is_told_with_its_properties_and_the_state_of_its_rows() -> None:
    columns = (
        Column("n", "integer", "integer", title="Number"),
        Column("ok", "boolean", "boolean"),
        Column("list", "integer[]", "array", description="Some", format="x"),
    )
    collection = _collection("a", columns=columns)
    plain = vector_layer(collection, 1, 5)
    fields = {"n": "Number", "ok": "Boolean", "list": "String"}
    assert plain == {"id": "s.a", "description": "T", "minzoom": 1, "maxzoom": 5, "fields": fields}
    assert vector_layer(collection, 1, 5, version="7") == {**plain, "dams:version": "7"}
    told = layer(collection, collection.geometries[0], TMS, "/api")
    assert (told["minTileMatrix"], told["maxTileMatrix"], told["geometryDimension"]) == ("2", "6", 0)
    assert told["propertiesSchema"]["properties"] == {
        "n": {"type": "integer", "title": "Number"},
        "ok": {"type": "boolean"},
        "list": {"type": "string", "description": "Some", "format": "x"},
    }
    assert "description" not in told
    link = {"href": "/api/collections/s.a", "rel": "describedby", "type": "application/json", "title": "The collection"}
    assert told["links"] == [link]
    assert (told["id"], told["title"], told["dataType"], told["crs"]) == ("s.a", "T", "vector", CRS84)
    assert told["propertiesSchema"]["type"] == "object"
    described = replace(_collection("a", columns=(), bbox=None), description="All")
    assert layer(described, described.geometries[0], TMS, "/api")["description"] == "All"
    assert "geometryDimension" not in layer(described, described.geometries[1], TMS, "/api")


def test_tile_matrix_sets_are_named_by_the_register_or_by_their_address() -> None:
    register = "http://www.opengis.net/def/tilematrixset/OGC/1.0"
    assert tile_matrix_set_uri("/api", TMS) == f"{register}/WebMercatorQuad"
    assert tile_matrix_set_uri("/api", tile_matrix_set("WGS1984Quad")) == "/api/tileMatrixSets/WGS1984Quad"
    assert tiling_scheme_link("/api", TMS).to_json() == {
        "href": "/api/tileMatrixSets/WebMercatorQuad",
        "rel": "http://www.opengis.net/def/rel/ogc/1.0/tiling-scheme",
        "type": "application/json",
        "title": "Tile matrix set WebMercatorQuad",
    }
