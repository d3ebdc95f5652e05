"""SQL that reduces large geometries before they are transformed. Pure.

To transform ten million corners takes four seconds, to leave out those that the tile cannot show a third of a second.
"""

from dataclasses import replace

from libs.geo.crs_areas import is_mercator
from libs.pg.sql import Sql, bind, ident, sql
from services.tiles.request.region import EXTENT, Region
from services.tiles.request.tile_request import TileRequest

REDUCED, COARSE = "__reduced", "__coarse"
"""Columns of `reduce`."""
_LARGE_BYTES = 80_000
"""Size of a geometry of 5,000 corners, which are too many to transform them all."""
_NEAR = 0.25
"""Units of the tile between corners of a large geometry of which the second is left out."""
_MOST_BYTES = 4_000_000.0
"""Size of geometries in a tile, about 250,000 corners, above which units of `_COARSER` are used for large ones."""
_COARSER = 8.0
"""Units of the tile in one CSS pixel, if a tile is shown with 512 pixels."""
_REDUCIBLE = ("POLYGON", "MULTIPOLYGON", "LINESTRING", "MULTILINESTRING")
_CORNERS_OF_PIXELS, _AROUND_PIXELS = 12, 3.0
"""Mean number of corners of a part, and its mean length in units, below which an area is a mask of pixels."""
_SMALL = 512.0
"""Units of the tile in which an outline with too many edges shows nothing but its surroundings."""
_FAR_TOO_CROWDED = 2_000_000.0
"""Square of an outline's length over the area of its box, at ten times the limit above which no area is repaired."""
_METRES_OF_A_DEGREE = 111_319.49
_MOST_STRETCHED = 2.0
"""How many times as long as on the ground a metre is in a tile, at most, within a projection's area of use."""


def reduce(request: TileRequest, rows: Sql) -> tuple[TileRequest, Sql]:
    """The request for rows with the geometry `REDUCED`, and a FROM item of these rows, with the column `COARSE` too.

    `REDUCED` is a large geometry without corners that lie within a fraction of a unit of the corner before. Masks of
    pixels that are smaller than a unit are snapped to units. `COARSE` is true for rows that may be drawn more than half
    a unit away from where they are stored: masks of pixels, outlines whose edges are far too crowded for the few units
    that they cover, and large geometries in a tile that has too many corners.
    """
    unit = _unit(request.region)
    if unit is None:
        return request, sql("(SELECT *, false AS {coarse} FROM {rows}) AS stored", coarse=ident(COARSE), rows=rows)
    stored = ident(request.geometry.name)
    if request.geometry.is_geography:
        stored = sql("{stored}::geometry", stored=stored)
    # of the header: the whole geometry is read only where it is large
    box = sql("{stored}::box2d::box3d", stored=stored)
    unit_here = bind(unit, "float8")
    if is_mercator(request.region.tile_srid) and not is_mercator(request.region.srid):
        # a unit of the tile has fewer degrees of latitude towards the poles
        unit_here = sql(
            "{unit} * greatest(cos(radians(least(greatest(abs(ST_YMin({box})), abs(ST_YMax({box}))), 90))), 0.05)",
            unit=unit_here,
            box=box,
        )
    names = {"stored": stored, "box": box, "wide": sql("(ST_XMax({box}) - ST_XMin({box}))", box=box)}
    names["high"] = sql("(ST_YMax({box}) - ST_YMin({box}))", box=box)
    tile = bind(unit * EXTENT, "float8")
    is_large = sql(
        "(ST_MemSize({stored}) > {bytes} AND GeometryType({stored}) = ANY({types}))",
        bytes=bind(_LARGE_BYTES, "int4"),
        types=bind(_REDUCIBLE, "text[]"),
        **names,
    )
    # as far as it probably lies in the tile
    weight = sql(
        "CASE WHEN {is_large} THEN"
        " ST_MemSize({stored}) * least({tile} / nullif({wide}, 0), 1) * least({tile} / nullif({high}, 0), 1) END",
        is_large=is_large,
        tile=tile,
        **names,
    )
    are_pixels = sql(
        "GeometryType({stored}) = 'MULTIPOLYGON' AND ST_NPoints({stored}) < {few} * ST_NumGeometries({stored})"
        " AND ST_Perimeter({stored}) < {around} * __unit * ST_NumGeometries({stored})",
        few=bind(_CORNERS_OF_PIXELS, "int4"),
        around=bind(_AROUND_PIXELS, "float8"),
        **names,
    )
    is_far_too_crowded = sql(
        "{wide} <= {small} AND {high} <= {small} AND ST_Perimeter({stored}) ^ 2 > {crowded} * {wide} * {high}",
        small=bind(unit * _SMALL, "float8"),
        crowded=bind(_FAR_TOO_CROWDED, "float8"),
        **names,
    )
    item = sql(
        "(SELECT *, CASE __kind WHEN 'pixels' THEN ST_SnapToGrid({stored}, __unit)"
        " WHEN 'crowded' THEN ST_RemoveRepeatedPoints({stored}, 2 * ST_Perimeter({stored}) / ST_NPoints({stored}))"
        " WHEN 'large' THEN ST_RemoveRepeatedPoints({stored}, {near} * __unit) ELSE {stored} END AS {reduced},"
        " __kind IN ('pixels', 'crowded') OR __kind = 'large' AND __is_full AS {coarse}"
        " FROM (SELECT *, CASE WHEN NOT __is_large THEN '' WHEN {are_pixels} THEN 'pixels'"
        " WHEN {is_far_too_crowded} THEN 'crowded' ELSE 'large' END AS __kind"
        " FROM (SELECT *, CASE WHEN __is_large THEN {unit} * CASE WHEN __is_full THEN {coarser} ELSE 1 END END"
        " AS __unit FROM (SELECT *, {is_large} AS __is_large,"
        " coalesce(sum({weight}) OVER () > {most_bytes}, false) AS __is_full FROM {rows} OFFSET 0)"
        " AS rows OFFSET 0) AS rows OFFSET 0) AS rows OFFSET 0) AS stored",
        are_pixels=are_pixels,
        is_far_too_crowded=is_far_too_crowded,
        is_large=is_large,
        weight=weight,
        most_bytes=bind(_MOST_BYTES, "float8"),
        coarser=bind(_COARSER, "float8"),
        near=bind(_NEAR, "float8"),
        unit=unit_here,
        rows=rows,
        reduced=ident(REDUCED),
        coarse=ident(COARSE),
        **names,
    )
    return replace(request, geometry=replace(request.geometry, name=REDUCED)), item


def _unit(region: Region) -> float | None:
    """Length of a unit of the tile at the equator, or less, in units of the column's CRS; None if it is unknown."""
    unit = (region.bounds[2] - region.bounds[0]) / EXTENT
    if region.srid == region.tile_srid:
        return unit
    if is_mercator(region.srid) and region.tile_srid == 4326:
        return unit * _METRES_OF_A_DEGREE
    if region.srid == 4326:
        return unit / _METRES_OF_A_DEGREE / (1 if is_mercator(region.tile_srid) else _MOST_STRETCHED)
    return None
