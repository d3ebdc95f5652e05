"""The basemap's tiles: cut at the antimeridian, land where land is, labels by zoom."""

import gzip
from itertools import pairwise
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import pytest
from shapely import box
from shapely.geometry import Point, shape
from shapely.geometry.base import BaseGeometry

from services.viewer.build.basemap import coast, repaired_lines, repaired_polygons

_EXTENT = 4096
_LAST = 5

Layers = dict[str, list[tuple[BaseGeometry, dict[str, Any]]]]


def _tile(dist: Path, zoom: int, row: int, column: int) -> Layers:
    """Layer name to geometries, in degrees, and properties, of a tile of WorldCRS84Quad; empty where there is none."""
    file = dist / "basemap" / "WorldCRS84Quad" / f"{zoom}/{row}/{column}.mvt.gz"
    if not file.is_file():
        return {}
    side = 180 / 2**zoom

    def degrees(x: float, y: float) -> tuple[float, float]:
        return (column + x / _EXTENT) * side - 180, 90 - (row + y / _EXTENT) * side

    options = {"y_coord_down": True, "transformer": degrees, "geojson": True}
    layers = mapbox_vector_tile.decode(gzip.decompress(file.read_bytes()), default_options=options)
    return {
        name: [(shape(feature["geometry"]), feature["properties"]) for feature in layer["features"]]
        for name, layer in layers.items()
    }


def _world(dist: Path, zoom: int, name: str) -> list[tuple[BaseGeometry, dict[str, Any]]]:
    tiles = [_tile(dist, zoom, row, column) for row in range(2**zoom) for column in range(2 ** (zoom + 1))]
    return [feature for tile in tiles for feature in tile.get(name, [])]


def _tile_at(dist: Path, x: float, y: float, zoom: int) -> Layers:
    side = 180 / 2**zoom
    return _tile(dist, zoom, int((90 - y) // side), int((x + 180) // side))


def _on_land(dist: Path, x: float, y: float, zoom: int) -> bool:
    return any(area.intersects(Point(x, y)) for area, _ in _tile_at(dist, x, y, zoom).get("land", []))


def _lines(geometry: BaseGeometry) -> list[list[tuple[float, ...]]]:
    return [list(line.coords) for line in getattr(geometry, "geoms", [geometry])]


@pytest.mark.parametrize("name", ["borders", "coast", "rivers"])
def test_no_edge_runs_round_the_world(dist: Path, name: str) -> None:
    features = _world(dist, 0, name)
    assert features
    for geometry, _ in features:
        west, south, east, north = geometry.bounds
        # no more than a tile has beyond its sides
        assert -183 <= west <= east <= 183
        assert -93 <= south <= north <= 93
        for line in _lines(geometry):
            steps = [abs(a[0] - b[0]) for a, b in pairwise(line) if min(a[1], b[1]) > -89]
            # the 49th parallel is a border of 28 degrees
            assert max(steps, default=0) < 30


@pytest.mark.parametrize("zoom", [0, 3])
def test_land_is_where_land_is(dist: Path, zoom: int) -> None:
    # either side of 180 degrees: Wrangel Island, Chukotka, Fiji (Vanua Levu)
    places = [(-179.5, 71.2), (179.5, 71.2), (-175, 66.5), (179.3, -16.6), (0, -89.8), (-179.8, -85), (10, 50)]
    assert [place for place in places if not _on_land(dist, *place, zoom)] == []
    # where a ring stitched across 180 degrees would draw a band
    waters = [(0, 71.3), (-30, 66), (-150, 0), (0, 89), (-100, -17)]
    assert [place for place in waters if _on_land(dist, *place, zoom)] == []


def test_coast_leaves_out_the_seam(dist: Path) -> None:
    for geometry, _ in _world(dist, 1, "coast"):
        for line in _lines(geometry):
            # shores within the tile's grid of 180 degrees are short
            assert not any(abs(a[0]) == abs(b[0]) == 180 and abs(a[1] - b[1]) > 0.1 for a, b in pairwise(line))
            assert min(y for _, y in line) > -89.9


def test_features_say_what_they_are(dist: Path) -> None:
    kinds = {
        name: {properties["basemap"] for _, properties in _world(dist, 2, name)}
        for name in ("land", "coast", "borders", "lakes", "rivers", "graticule", "labels", "towns")
    }
    assert kinds == {
        "land": {"land"},
        "coast": {"coast"},
        "borders": {"border", "province"},
        "lakes": {"lake"},
        "rivers": {"river"},
        "graticule": {"graticule"},
        "labels": {"country", "sea", "province"},
        "towns": {"town"},
    }


def test_polygon_across_the_antimeridian_becomes_two() -> None:
    ring = [[170, 0], [-170, 0], [-170, 10], [170, 10], [170, 0]]
    parts = repaired_polygons({"type": "Polygon", "coordinates": [ring]})
    assert sorted(part.bounds for part in parts) == [(-180, 0, -170, 10), (170, 0, 180, 10)]
    # four shores of ten degrees are left, and no line along 180
    assert sum(line.length for line in coast(parts)) == pytest.approx(60, abs=0.1)


def test_a_line_across_the_antimeridian_becomes_two() -> None:
    parts = repaired_lines({"type": "LineString", "coordinates": [[170, 0], [-170, 0]]})
    assert sorted(part.bounds for part in parts) == [(-180, 0, -170, 0), (170, 0, 180, 0)]


def test_shores_and_lines_are_as_fine_as_is_asked() -> None:
    steps = [[number / 100, 0.003 * (number % 2)] for number in range(20)]
    (area,) = repaired_polygons({"type": "Polygon", "coordinates": [[*steps, [0.19, 1], [0, 1], [0, 0]]]}, 0.0005)
    (line,) = repaired_lines({"type": "LineString", "coordinates": steps}, 0.0005)
    assert (len(area.exterior.coords), len(line.coords)) == (23, 20)
    (area,) = repaired_polygons({"type": "Polygon", "coordinates": [[*steps, [0.19, 1], [0, 1], [0, 0]]]})
    (line,) = repaired_lines({"type": "LineString", "coordinates": steps})
    assert (len(area.exterior.coords), len(line.coords)) == (5, 2)


def test_labels_have_a_rank(dist: Path) -> None:
    labels = _world(dist, 0, "labels")
    names = {properties["name"]: (geometry, properties) for geometry, properties in labels}
    assert {properties["rank"] for _, properties in labels} == {1, 2, 3, 4, 5}
    # the largest of its parts, not an island
    assert 5 < names["Norway"][0].bounds[0] < 20
    assert names["Fiji"][1]["rank"] == 5
    # too small for the 1:50m atlas
    assert names["Tuvalu"][0].distance(Point(179, -8)) < 2


def test_countries_have_their_present_names(dist: Path) -> None:
    names = {properties["name"] for _, properties in _world(dist, 0, "labels")}
    assert {"Türkiye", "North Macedonia", "Eswatini"} <= names
    assert not {"Turkey", "Macedonia", "eSwatini"} & names


def test_countries_are_labelled_as_iso_3166_lists_them(dist: Path) -> None:
    names = {properties["name"] for _, properties in _world(dist, 0, "labels") if properties["basemap"] == "country"}
    assert {"Cyprus", "Kosovo", "Palestine", "Taiwan", "W. Sahara"} <= names
    assert not {"N. Cyprus", "Somaliland", "Siachen Glacier"} & names


def test_near_tiles_hold_the_same_land_in_more_detail(dist: Path) -> None:
    def measured(zoom: int) -> tuple[float, int]:
        side, area, vertices = 180 / 2**zoom, 0.0, 0
        for row in range(2**zoom):
            for column in range(2 ** (zoom + 1)):
                west, north = column * side - 180, 90 - row * side
                window = box(west, north - side, west + side, north)
                for geometry, _ in _tile(dist, zoom, row, column).get("land", []):
                    area += geometry.buffer(0).intersection(window).area
                    vertices += sum(len(part.exterior.coords) for part in getattr(geometry, "geoms", [geometry]))
        return area, vertices

    (coarse, few), (fine, many) = measured(0), measured(3)
    assert fine == pytest.approx(coarse, rel=0.01)
    assert many > 3 * few


@pytest.mark.parametrize(
    ("x", "y", "land"),
    [
        (6.4, 61.03, True),
        (6.4, 61.07, False),  # in the Sognefjord, land in the 1:50m atlas
        (174.4, -41.25, False),  # Cook Strait
        (179.97, -16.5, False),
        (-179.5, 71.1, True),  # Wrangel Island, on either side of 180 degrees
        (179.5, 71.1, True),
        (0.0, -89.0, True),
        (0.0, 89.0, False),
        (-160.0, 0.5, False),
    ],
)
def test_near_land_is_where_land_is(dist: Path, x: float, y: float, land: bool) -> None:
    assert _on_land(dist, x, y, _LAST) is land


@pytest.mark.parametrize(
    ("name", "x", "y", "zooms"),
    [
        ("Houston", -95.363, 29.763, {3, 4}),
        ("Manila", 120.982, 14.604, {2, 3}),  # a capital, beside the larger Quezon City
        ("Hualien City", 121.604, 23.977, {5, 6}),
        ("Alice Springs", 133.88, -23.7, {4, 5}),  # small, but far from any other
    ],
)
def test_towns_are_drawn_by_size_and_room(dist: Path, name: str, x: float, y: float, zooms: set[int]) -> None:
    def found(zoom: int) -> list[tuple[BaseGeometry, dict[str, Any]]]:
        towns = _tile_at(dist, x, y, zoom)["towns"]
        return [
            (at, properties)
            for at, properties in towns
            if properties["name"] == name and at.distance(Point(x, y)) < 0.1
        ]

    ((_, properties),) = found(_LAST)
    zoom = properties["zoom"]
    assert zoom in zooms
    # tiles of farther views do without it; those here are twice as wide as in Web Mercator
    assert len(found(zoom - 1)) == 1
    assert found(zoom - 2) == []


def test_first_view_is_small_and_no_tile_is_large(dist: Path) -> None:
    tiles = {file: file.stat().st_size for file in (dist / "basemap").rglob("*.mvt.gz")}
    first = [size for file, size in tiles.items() if file.is_relative_to(dist / "basemap" / "WebMercatorQuad" / "1")]
    assert len(first) == 4
    assert sum(first) < 100_000
    assert max(tiles.values()) < 90_000
    assert sum(tiles.values()) < 12_000_000
