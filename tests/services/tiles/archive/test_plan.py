"""Which tiles an archive is made of, and what it says of itself."""

from __future__ import annotations

from typing import Any

import pytest
from pmtiles.tile import Compression, TileType, zxy_to_tileid

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.bbox import BBox
from libs.ogc.errors import NotFound
from services.tiles.archive.document import header, metadata, style, title
from services.tiles.archive.plan import Plan, plan

EAST, WEST = (100.0, -10.0, 120.0, 10.0), (-120.0, 20.0, -100.0, 30.0)
ACROSS = (170.0, -10.0, -170.0, 10.0)
Box = tuple[float, float, float, float]


def _collection(name: str, bbox: Box | None = EAST, **more: Any) -> Collection:
    settings = {
        "minzoom": 2,
        "maxzoom": 4,
        "columns": (Column("id", "integer", "integer"),),
        "geometries": (GeometryColumn("geom", "Point", 4326, bbox=bbox),),
        **more,
    }
    return Collection(f"s.{name}", "s", name, 1, "table", name.upper(), None, **settings)


def _places(found: Plan) -> list[tuple[int, int, int]]:
    return [place for _, place in found.places()]


def test_without_zooms_and_a_box_it_is_what_the_data_suggest() -> None:
    found = plan(
        [_collection("a"), _collection("t", geometries=()), _collection("b", WEST, minzoom=1, maxzoom=5)], None, None
    )
    assert [collection.id for collection in found.collections] == ["s.a", "s.b"]
    assert (found.zooms, found.bbox) == (range(1, 6), BBox(-120, -10, 120, 30))
    # of one alone as it is, of one that is not known the world
    assert plan([_collection("a", ACROSS)], None, None).bbox == BBox(*ACROSS)
    for some in ([_collection("a", None)], [_collection("a"), _collection("b", None)]):
        assert plan(some, None, None).bbox == BBox(-180, -90, 180, 90)


def test_what_is_said_counts() -> None:
    found = plan([_collection("a")], range(3), WEST)
    assert (found.zooms, found.bbox) == (range(3), BBox(*WEST))
    with pytest.raises(NotFound, match="has no tile matrix 25"):
        plan([_collection("a")], range(24, 26), None)
    with pytest.raises(NotFound, match="no tiles"):
        plan([_collection("t", geometries=())], None, None)


@pytest.mark.parametrize(
    ("bbox", "zooms", "tiles"),
    [
        ((-180, -90, 180, 90), range(2), {(0, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 0), (1, 1, 1)}),
        # 45 degrees a column; the equator is between rows 3 and 4
        ((1, 1, 44, 20), range(3, 4), {(3, 4, 3)}),
        (ACROSS, range(3, 4), {(3, 0, 3), (3, 0, 4), (3, 7, 3), (3, 7, 4)}),
        # beyond where tiles end
        ((1, 86, 2, 90), range(2, 3), set()),
        ((1, 84, 2, 90), range(2, 3), {(2, 2, 0)}),
        ((1, -90, 2, -84), range(2, 3), {(2, 2, 3)}),
    ],
)
def test_it_has_the_tiles_that_meet_the_box(bbox: Box, zooms: range, tiles: set[tuple[int, int, int]]) -> None:
    found = plan([_collection("a")], zooms, bbox)
    assert set(_places(found)) == tiles
    assert found.number() == len(tiles)


def test_tiles_come_in_the_order_of_the_file_each_once() -> None:
    # at zoom 0 both boxes of an area across the antimeridian meet the same tile
    found = list(plan([_collection("a")], range(5), ACROSS).places())
    numbers = [number for number, _ in found]
    assert numbers == sorted(set(numbers))
    assert numbers == [zxy_to_tileid(*place) for _, place in found]
    assert found[0] == (0, (0, 0, 0))


@pytest.mark.parametrize(
    ("bbox", "ends", "centre"),
    [
        ((-20.5, -30, 60, 40), (-20.5, -30, 60, 40), (19.75, 5)),
        # readers want west below east, and show nothing beyond Web Mercator
        (ACROSS, (-180, -10, 180, 10), (180, 0)),
        ((0, -90, 10, 90), (0, -85.051129, 10, 85.051129), (5, 0)),
        ((0, 88, 10, 90), (0, 88, 10, 85.051129), (5, 85.051129)),
        ((0, -90, 10, -88), (0, -85.051129, 10, -88), (5, -85.051129)),
    ],
)
def test_the_header_says_where_it_is(bbox: Box, ends: Box, centre: tuple[float, float]) -> None:
    found = header(plan([_collection("a")], range(3, 5), bbox), 4)
    assert [found[name] for name in ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")] == [
        round(each * 1e7) for each in ends
    ]
    assert (abs(found["center_lon_e7"]), found["center_lat_e7"]) == tuple(round(each * 1e7) for each in centre)
    assert found["center_zoom"] == 4
    assert (found["tile_type"], found["tile_compression"]) == (TileType.MVT, Compression.GZIP)


def test_the_metadata_name_what_is_in_it() -> None:
    wanted = plan([_collection("a", attribution="They"), _collection("b")], range(3), None)
    found = metadata(wanted, 1, 2, name="Kit", versions={"s.a": "7", "s.b": None})
    assert (found["name"], found["description"], found["type"]) == ("Kit", "A, B", "overlay")
    assert found["attribution"] == "They"
    assert found["vector_layers"] == [
        {"id": "s.a", "description": "A", "minzoom": 1, "maxzoom": 2, "fields": {"id": "Number"}, "dams:version": "7"},
        {"id": "s.b", "description": "B", "minzoom": 1, "maxzoom": 2, "fields": {"id": "Number"}},
    ]
    unsaid = metadata(plan([_collection("b")], range(3), None), 1, 2, name="Kit", versions={"s.b": None})
    assert "attribution" not in unsaid


def test_the_style_draws_the_file_beside_it_and_nothing_else() -> None:
    wanted = plan([_collection("a"), _collection("b")], range(3), None)
    found = style(wanted, 0, 2, name="Kit", file_name="a b.pmtiles")
    assert found["name"] == "Kit"
    assert found["sources"] == {"dataset": {"type": "vector", "url": "pmtiles://a%20b.pmtiles"}}
    assert {layer["source-layer"] for layer in found["layers"] if layer["type"] != "background"} == {"s.a", "s.b"}
    assert found["layers"][0]["type"] == "background"


def test_it_is_called_after_its_collection_or_the_service() -> None:
    one, other = _collection("a"), _collection("b")
    assert (title((one,), "Site"), title((one, other), "Site")) == ("A", "Site")
