import orjson
import pytest

from services.features.pages.preview import Preview, drawing, preview


def feature(identifier: int, geometry: str | None) -> dict[str, object]:
    return {"id": identifier, "geometry": None if geometry is None else orjson.Fragment(geometry)}


def test_no_geometry_no_map() -> None:
    assert preview([feature(1, None)]) is None


def test_a_point_has_surroundings_and_latitude_counts_downwards() -> None:
    found = preview([feature(1, '{"type":"Point","coordinates":[10,50]}')])
    assert found is not None
    assert (found.shapes[0].x, found.shapes[0].y, found.shapes[0].width) == (10, -50, 0)
    assert found.left + found.width / 2 == pytest.approx(10)
    assert found.top + found.height / 2 == pytest.approx(-50)
    assert found.width == 40


def test_a_box_that_is_cut_at_the_antimeridian_is_drawn_as_two() -> None:
    halves = (
        '{"type":"MultiPolygon","coordinates":[[[[170,-10],[180,-10],[180,10],[170,10],[170,-10]]],'
        "[[[-180,-10],[-170,-10],[-170,10],[-180,10],[-180,-10]]]]}"
    )
    mixed = (
        '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[180,5]},'
        '{"type":"LineString","coordinates":[[-180,5],[-175,5]]}]}'
    )
    found = preview([feature(7, halves), feature(8, mixed)])
    assert found is not None
    drawn = [(shape.id, shape.x, shape.width) for shape in found.shapes]
    assert drawn == [(7, 170, 10), (7, -180, 10), (8, 180, 0), (8, -180, 5)]


def test_all_boxes_are_within_the_map() -> None:
    box = '{"type":"Polygon","coordinates":[[[-70,-10],[-70,20],[60,20],[60,-10],[-70,-10]]]}'
    found = preview([feature(1, box), feature(2, '{"type":"Point","coordinates":[100,0]}')])
    assert found is not None
    assert found.left < -70
    assert found.left + found.width > 100
    assert found.top < -20
    assert found.top + found.height > 10
    assert (found.shapes[0].width, found.shapes[0].height) == (130, 30)


def test_cells_with_all_that_match_are_spots_on_the_map_and_within_it() -> None:
    cells = [{"centre": [100.0, 40.0], "count": 4}, {"centre": [-100.0, -20.0], "count": 1}]
    found = preview([feature(1, '{"type":"Point","coordinates":[10,50]}')], cells)
    assert found is not None
    assert [(spot.x, spot.y, spot.count) for spot in found.spots] == [(100, -40, 4), (-100, 20, 1)]
    assert found.spots[0].strength > found.spots[1].strength > 0.3
    assert found.left < -100
    assert found.left + found.width > 100
    assert preview([], cells) is not None


def _drawing(geometry: str) -> Preview:
    found = drawing(feature(3, geometry))
    assert found is not None
    return found


def test_a_feature_by_itself_is_drawn_in_its_shape() -> None:
    line = _drawing('{"type":"MultiLineString","coordinates":[[[170,10,5],[180,12,5]],[[-180,12,5],[-175,13,5]]]}')
    assert [shape.line for shape in line.shapes] == ["M170 -10L180 -12", "M-180 -12L-175 -13"]
    assert line.boxes == 0
    ring = '{"type":"Polygon","coordinates":[[[0,0],[9,0],[5,9],[0,0]],[[3,1],[5,1],[4,2],[3,1]]]}'
    assert _drawing(ring).shapes[0].area == "M0 0L9 0L5 -9L0 0Z M3 -1L5 -1L4 -2L3 -1Z"
    mixed = _drawing(f'{{"type":"GeometryCollection","geometries":[{{"type":"Point","coordinates":[1,2]}},{ring}]}}')
    assert [(bool(shape.area), shape.is_box) for shape in mixed.shapes] == [(False, False), (True, False)]
    assert drawing(feature(3, None)) is None


def test_a_box_is_distinguished_from_a_shape() -> None:
    box = '{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,5],[0,5],[0,0]]]}'
    assert _drawing(box).boxes == 1
    several = preview([feature(1, box), feature(2, box), feature(3, '{"type":"Point","coordinates":[1,2]}')])
    assert several is not None
    assert several.boxes == 2
    # rows without a key have no id; a feature with several parts counts as one
    nameless = preview([{**feature(1, box), "id": None}, {**feature(2, box), "id": None}])
    assert nameless is not None
    assert nameless.boxes == 2
    rings = "[[[0,0],[9,0],[9,5],[0,5],[0,0]]],[[[20,0],[29,0],[29,5],[20,5],[20,0]]]"
    halves = f'{{"type":"MultiPolygon","coordinates":[{rings}]}}'
    assert _drawing(halves).boxes == 1


def test_the_surroundings_are_as_wide_as_on_the_ground() -> None:
    north = preview([feature(1, '{"type":"Point","coordinates":[-150,60]}')])
    assert north is not None
    # half as many pixels for a degree of longitude as for one of latitude
    across, down = north.scale
    assert across / down == pytest.approx(0.5, abs=0.001)
    assert north.bbox == "-170.0000,55.4545,-130.0000,64.5455"


def test_basemap_covers_the_world_once() -> None:
    apart = [
        feature(1, '{"type":"Point","coordinates":[-179,80]}'),
        feature(2, '{"type":"Point","coordinates":[179,-80]}'),
    ]
    world = preview(apart)
    assert world is not None
    west, south, east, north = map(float, world.bbox.split(","))
    assert (south, north) == (-90, 90)
    assert west < east
    fiji = preview([feature(1, '{"type":"Point","coordinates":[178,-18]}')])
    assert fiji is not None
    assert fiji.bbox.split(",")[0::2] == ["158.0000", "-162.0000"]
