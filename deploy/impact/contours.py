"""Areas of intensity from the contours of a ShakeMap: lines that are closed, or that end at the edge of the map."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry import LineString, MultiLineString, MultiPolygon, Point, Polygon
from shapely.geometry.base import BaseGeometry

from deploy.impact.intensity import CLASSES
from deploy.loader.geometry.antimeridian import split_polygons

_DECIMALS = 6
"""Decimals of the publisher's degrees: parts that were split at ±180° meet again once they are rounded to these."""
_NEAR = 0.02
"""Share of the map's longer side within which a line ends at the edge, or at its own beginning."""


class ContourArea(NamedTuple):
    """Where the intensity is `lowest` and more, in WGS 84, split at ±180°; is_cut: as far as the edge of the map."""

    zone: str
    lowest: float
    geometry: MultiPolygon
    is_cut: bool


class ContourAreas(NamedTuple):
    """The areas of the intensity classes, the strongest first, and the number of contours that do not close."""

    areas: list[ContourArea]
    unclosed: int


def contour_areas(contours: Mapping[float, BaseGeometry], longitude: float, latitude: float) -> ContourAreas:
    """Return the areas of the classes from the lines of each intensity; longitude, latitude: of the epicentre.

    A class is bounded by the contour half a unit below its number, as in PAGER; without one, by that of its number.
    An area holds those of the stronger classes.
    """
    lines = {lowest: _unrolled(shape, longitude) for lowest, shape in contours.items()}
    map_ = _Map(lines, Point(longitude, latitude))
    found: list[ContourArea] = []
    unclosed = 0
    stronger: BaseGeometry = MultiPolygon()
    for zone, lowest in CLASSES.items():
        level = next((each for each in (lowest, lowest + 0.5) if each in lines), None)
        if level is None:
            continue
        polygons = map_.polygons(level)
        if polygons is None:
            unclosed += 1
            continue
        area, is_cut = map_.area(level, polygons)
        stronger = shapely.union(stronger, area)
        if not stronger.is_empty:
            found.append(ContourArea(zone, level, split_polygons(stronger), is_cut))
    return ContourAreas(found, unclosed)


class _Map:
    """The contours of a map, in degrees that go on across ±180°.

    Lines do not say where the map ends: the box around them is as large as the map on each side where a line ends.
    """

    def __init__(self, lines: Mapping[float, BaseGeometry], epicentre: Point) -> None:
        self._lines, self._epicentre = lines, epicentre
        bounds = np.array([shape.bounds for shape in (*lines.values(), epicentre)])
        (west, south), (east, north) = bounds[:, :2].min(axis=0), bounds[:, 2:].max(axis=0)
        self._box = shapely.box(west, south, east, north)
        self._near = _NEAR * max(east - west, north - south)

    def polygons(self, level: float) -> list[Polygon] | None:
        """Return the polygons that the lines of a level bound, each closed along the edge; None if one has a gap."""
        found: list[Polygon] = []
        for line in shapely.get_parts(shapely.line_merge(self._lines[level])):
            corners = self._closed(line.coords)
            if corners is None:
                return None
            if len(corners) > 3:
                found.append(Polygon(corners))
        return found

    def area(self, level: float, polygons: Sequence[Polygon]) -> tuple[BaseGeometry, bool]:
        """Return where the intensity is at least that of the level, and whether this reaches the edge of the map.

        Each crossing of a line changes the side, so the symmetric difference of the polygons is one side. Stronger
        contours lie on the higher side, weaker ones on the lower side. Without others the epicentre is on the higher.
        """
        inside: BaseGeometry = MultiPolygon()
        for polygon in polygons:
            inside = shapely.symmetric_difference(inside, shapely.make_valid(polygon))
        outside = self._box.difference(inside)
        votes = sum(
            (shapely.intersection(shape, inside).length - shapely.intersection(shape, outside).length)
            * (1 if other > level else -1)
            for other, shape in self._lines.items()
            if other != level
        )
        is_inside = votes > 0 or (votes == 0 and inside.intersects(self._epicentre))
        area = inside if is_inside else outside
        return area, bool(shapely.intersection(area, self._box.exterior).length > self._near)

    def _closed(self, places: Sequence[tuple[float, ...]]) -> list[tuple[float, ...]] | None:
        first, last = Point(places[0]), Point(places[-1])
        edge = self._box.exterior
        if edge.distance(first) <= self._near and edge.distance(last) <= self._near and first != last:
            return [*places, *_along(edge, edge.project(last), edge.project(first))]
        return list(places) if first.distance(last) <= self._near else None


def _along(edge: LineString, start: float, end: float) -> Iterator[tuple[float, ...]]:
    """Yield the positions on the edge from one distance along it to another, corners included."""
    corners = [(edge.project(Point(corner)), corner) for corner in edge.coords[:-1]]
    end = end if end >= start else end + edge.length
    ahead = sorted((place + turn, corner) for place, corner in corners for turn in (0, edge.length))
    yield edge.interpolate(start).coords[0]
    yield from (corner for place, corner in ahead if start < place < end)
    yield edge.interpolate(end % edge.length).coords[0]


def _unrolled(lines: BaseGeometry, longitude: float) -> BaseGeometry:
    """Return the lines with each part on the same side of ±180° as the epicentre."""

    def moved(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        turns = np.round((longitude - places[:, 0].mean()) / 360)
        found: npt.NDArray[np.float64] = np.round(places + np.array([360 * turns, 0]), _DECIMALS)
        return found

    return MultiLineString([shapely.transform(part, moved) for part in shapely.get_parts(lines)])
