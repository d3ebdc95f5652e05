"""The surroundings of a position, and the population of an area."""

import json
from pathlib import Path

import numpy as np
import pytest
import shapely
from pyproj import Geod
from shapely.geometry import MultiPolygon, box

from deploy.loader.places.countries import full_name
from deploy.loader.places.gazetteer import NEAREST_PEOPLE, Gazetteer, Nearby
from deploy.loader.places.packaged import NPM, SourceMissingError
from deploy.loader.places.topology import read_shapes
from tests.deploy.loader.places.small_places import small_gazetteer
from tests.deploy.loader.places.small_topology import topology


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    return small_gazetteer(tmp_path_factory.mktemp("places"))


@pytest.fixture(scope="module")
def packaged() -> Gazetteer:
    try:
        return Gazetteer.find()
    except SourceMissingError as missing:
        pytest.skip(str(missing))


def test_the_nearest_town_with_distance_bearing_country_and_province(small: Gazetteer) -> None:
    north_east, at_hamlet, at_sea = small.nearby([20.1, 12.0, 20.0], [10.19, 10.0, -1.0])
    assert north_east == Nearby("Faraway", 23.7, "NNE", 20_000, "Democratic Republic of the Congo", "West")
    assert north_east.words == "24 km NNE of Faraway"
    assert at_hamlet.nearest_place == "Bigtown Old Quarter", "a hamlet is too small to be named"
    assert at_hamlet.province == "South", "and tells the province all the same"
    assert (at_sea.country, at_sea.province, at_sea.nearest_place) == (None, None, "Faraway")


def test_a_province_is_of_the_same_country(small: Gazetteer) -> None:
    (near_border,) = small.nearby([39.9], [10.0])
    assert near_border.nearest_place == "Over There"
    assert (near_border.country, near_border.province) == ("Democratic Republic of the Congo", None)


def test_nearest_place_may_be_beyond_the_antimeridian(small: Gazetteer) -> None:
    beyond, there = small.nearby([-179.9, 179.9], [-16.0, -16.0])
    assert (beyond.words, beyond.nearest_place_km) == ("21 km E of Dateline", 21.4)
    assert (there.words, there.nearest_place_bearing) == ("Dateline", None)
    assert small.nearby([], []) == []


def test_people_are_counted_once_and_where_they_live(small: Gazetteer) -> None:
    whole, quarter, none, split = small.people_within(
        [
            box(9, 9, 13, 11),
            box(10.04, 9, 10.06, 11),
            box(0, 0, 1, 1),
            MultiPolygon([box(179, -17, 180, -15), box(-180, -17, -179, -15)]),
        ]
    )
    assert whole == 1_002_000, "the quarter's people are the town's"
    assert (quarter, none, split) == (0, 0, 15_000)
    named = small.places_within([box(9, 9, 13, 11), box(0, 0, 1, 1)])
    assert [each.largest_places for each in named] == ["Bigtown, Hamlet", None], (
        "with the most people first, without quarters"
    )


def test_the_packaged_places_give_the_nearest_on_earth(packaged: Gazetteer) -> None:
    """Compared with every place of 15,000 people and more, also near the poles and at ±180°."""
    rng = np.random.default_rng(1)
    longitudes, latitudes = rng.uniform(-180, 180, 40), np.degrees(np.arcsin(rng.uniform(-1, 1, 40)))
    latitudes[:2], longitudes[2:4] = (89.5, -89.5), (180.0, -180.0)
    towns = packaged.places.people >= NEAREST_PEOPLE
    east, north = packaged.places.longitudes[towns], packaged.places.latitudes[towns]
    geod = Geod(ellps="WGS84")
    for longitude, latitude, found in zip(longitudes, latitudes, packaged.nearby(longitudes, latitudes), strict=True):
        _, _, metres = geod.inv(east, north, np.full(len(east), longitude), np.full(len(east), latitude))
        # the tree measures on a sphere: places whose distances differ by less than its flattening may be swapped
        assert found.nearest_place_km <= min(metres) / 1000 * 1.006 + 0.05


def test_the_packaged_places_are_known_ones(packaged: Gazetteer) -> None:
    (hualien, juliaca) = packaged.nearby([121.7, -70.34], [24.16, -15.44])
    assert hualien.words == "22 km NNE of Hualien City"
    assert (juliaca.country, juliaca.province) == ("Peru", "Puno")
    (new_york,) = packaged.people_within([shapely.box(-74.3, 40.5, -73.6, 41.0)])
    assert 8_000_000 < new_york < 16_000_000, "its boroughs are not counted again"


def test_an_island_of_three_corners_is_land(tmp_path: Path) -> None:
    file = tmp_path / "islands.json"
    lines = [[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)], [(5.0, 5.0), (6.0, 5.0), (5.0, 5.0)]]
    islands = {"type": "MultiPolygon", "id": "1", "properties": {"name": "Isles"}, "arcs": [[[0]], [[1]]]}
    file.write_text(json.dumps(topology(lines, {"land": [islands]})))
    [found] = read_shapes(file, "land")
    # shapes that shrank to a line are left out
    assert found.geometry.area == pytest.approx(0.5)
    assert shapely.get_num_geometries(found.geometry) == 1


def test_countries_near_a_position(packaged: Gazetteer) -> None:
    """On land, at sea between two countries, off a coast, across ±180°, and in the middle of an ocean."""
    longitudes = np.array([139.7, 129.3, -81.0, -179.5, -130.0])
    latitudes = np.array([35.7, 34.5, 30.0, -16.5, -50.0])
    tokyo, strait, florida, fiji, ocean = packaged.countries.find_near(longitudes, latitudes)
    assert (tokyo.nearest_country, tokyo.nearest_country_km) == ("Japan", 0)
    assert (strait.nearest_country, strait.countries_within_200_km) == ("Japan", "Japan, South Korea")
    assert florida.nearest_country == "United States of America"
    assert 5 < florida.nearest_country_km < 60
    assert fiji.countries_within_200_km == "Fiji"
    assert ocean.countries_within_200_km is None
    assert ocean.nearest_country_km > 1000
    nothing = np.empty(0)
    assert packaged.countries.find_near(nothing, nothing) == []


def test_the_distance_from_a_country_is_geodesic(packaged: Gazetteer) -> None:
    """Compared with the outline itself, which has fewer corners."""
    chance = np.random.default_rng(4)
    longitudes, latitudes = chance.uniform(120, 150, 40), chance.uniform(-10, 45, 40)
    shapes = read_shapes(NPM / "world-atlas/countries-50m.json", "countries")
    names = {full_name(shape.name): shape.geometry for shape in shapes}
    geod = Geod(ellps="WGS84")
    for longitude, latitude, near in zip(
        longitudes, latitudes, packaged.countries.find_near(longitudes, latitudes), strict=True
    ):
        outline = shapely.get_coordinates(shapely.segmentize(names[near.nearest_country], 0.01))
        count = len(outline)
        _, _, metres = geod.inv(outline[:, 0], outline[:, 1], np.full(count, longitude), np.full(count, latitude))
        if near.nearest_country_km:
            assert near.nearest_country_km == pytest.approx(metres.min() / 1000, abs=3)
