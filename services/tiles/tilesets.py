"""Tilesets of a collection: the list and each one's metadata (OGC 17-083r4, /req/tileset, /req/tilesets-list)."""

from math import floor
from typing import Any

from aiohttp import web

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.geo.tile_matrix_sets import IDS, TileMatrixSet, tile_matrix_set, transformed
from libs.ogc.crs import CRS84
from libs.ogc.link import REL_TILING_SCHEME, Link, path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call
from libs.web.base_url import base_url
from libs.web.html import page_response
from libs.web.representations import representations
from libs.web.respond import conditional, json_response, links_json
from services.tiles.metadata.zoom_range import zoom_range
from services.tiles.resources import CATALOGUE, geometry_of

OFFERS = (MediaType.JSON, MediaType.HTML)


async def get_tilesets(call: Call) -> web.StreamResponse:
    """One tileset for each tile matrix set."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    geometry_of(collection)
    base = base_url(call.request)
    address = f"{base}/collections/{path_segment(collection.id)}/tiles"
    document = {
        "links": links_json(representations(address, call.media_type, OFFERS)),
        "tilesets": [_summary(collection, tile_matrix_set(identifier), base) for identifier in IDS],
    }
    if call.media_type == MediaType.HTML:
        context = {"collection": collection, "document": document}
        return conditional(call.request, page_response(call.request, "tilesets.html", context))
    return conditional(call.request, json_response(document))


async def get_tileset(call: Call) -> web.StreamResponse:
    """Metadata of one tileset."""
    call.query.check()
    collection = call.request.app[CATALOGUE].collection(call.path["collectionId"])
    geometry = geometry_of(collection)
    tms = tile_matrix_set(call.path["tileMatrixSetId"])
    document = _tileset(call, collection, geometry, tms)
    if call.media_type == MediaType.HTML:
        context = {"collection": collection, "tms": tms, "document": document}
        return conditional(call.request, page_response(call.request, "tileset.html", context))
    return conditional(call.request, json_response(document))


def tileset_address(base: str, collection: Collection, tms: TileMatrixSet) -> str:
    """The address of a tileset."""
    return f"{base}/collections/{path_segment(collection.id)}/tiles/{tms.id}"


def _tiling_scheme(base: str, tms: TileMatrixSet) -> Link:
    return Link(f"{base}/tileMatrixSets/{tms.id}", REL_TILING_SCHEME, MediaType.JSON, f"Tile matrix set {tms.id}")


def _summary(collection: Collection, tms: TileMatrixSet, base: str) -> dict[str, Any]:
    address = tileset_address(base, collection, tms)
    links = [
        Link(address, "self", MediaType.JSON, f"Tileset of {collection.title} on {tms.id}"),
        _tiling_scheme(base, tms),
    ]
    return {
        "title": f"{collection.title} on {tms.id}",
        "dataType": "vector",
        "crs": tms.crs,
        "tileMatrixSetURI": tms.uri,
        "links": links_json(links),
    }


def _tileset(call: Call, collection: Collection, geometry: GeometryColumn, tms: TileMatrixSet) -> dict[str, Any]:
    base = base_url(call.request)
    address = tileset_address(base, collection, tms)
    links = [
        *representations(address, call.media_type, OFFERS),
        # /req/tileset/tileset-tile-link: variables by name, for the path has column before row
        Link(
            f"{address}/{{tileMatrix}}/{{tileCol}}/{{tileRow}}",
            "item",
            MediaType.MVT,
            "Vector tiles",
            templated=True,
        ),
        _tiling_scheme(base, tms),
        Link(f"{address}/tilejson.json", "describedby", MediaType.JSON, "TileJSON"),
        Link(f"{address}/style.json", "stylesheet", MediaType.JSON, "Style"),
        Link(f"{address}/map.html", "preview", MediaType.HTML, "Map"),
    ]
    document: dict[str, Any] = {
        "title": f"{collection.title} on {tms.id}",
        "description": collection.description,
        "dataType": "vector",
        "crs": tms.crs,
        "tileMatrixSetURI": tms.uri,
        "links": links_json(links),
        "tileMatrixSetLimits": limits(geometry, tms),
        "layers": [_layer(collection, geometry, tms, base)],
        "mediaTypes": [MediaType.MVT],
    }
    if geometry.bbox:
        west, south, east, north = geometry.bbox
        document["boundingBox"] = {"lowerLeft": [west, south], "upperRight": [east, north], "crs": CRS84}
        document["centerPoint"] = {
            "coordinates": list(middle_of(geometry.bbox)),
            "crs": CRS84,
            "tileMatrix": tms.matrices[zoom_range(collection, geometry, tms)[0]].id,
        }
    return {name: value for name, value in document.items() if value is not None}


def middle_of(bbox: tuple[float, float, float, float]) -> tuple[float, float]:
    """Longitude and latitude of the middle of a box, to a tenth of a metre."""
    west, south, east, north = bbox
    return round((west + east) / 2, 6), round((south + north) / 2, 6)


def limits(geometry: GeometryColumn, tms: TileMatrixSet) -> list[dict[str, Any]]:
    """For each matrix the rows and columns that can hold data (/req/tileset/tms-limits)."""
    box = transformed(geometry.bbox, 4326, tms.srid) if geometry.bbox else None
    result = []
    for matrix in tms.matrices.values():
        columns, rows = (0, matrix.columns - 1), (0, matrix.rows - 1)
        if box is not None and box[0] <= box[2]:
            columns = _range(box[0] - matrix.left, box[2] - matrix.left, matrix.tile_width, matrix.columns)
            rows = _range(matrix.top - box[3], matrix.top - box[1], matrix.tile_height, matrix.rows)
        result.append(
            {
                "tileMatrix": matrix.id,
                "minTileRow": rows[0],
                "maxTileRow": rows[1],
                "minTileCol": columns[0],
                "maxTileCol": columns[1],
            }
        )
    return result


def _range(start: float, end: float, size: float, count: int) -> tuple[int, int]:
    first, last = floor(start / size), floor(end / size)
    return min(max(first, 0), count - 1), min(max(last, 0), count - 1)


def _layer(collection: Collection, geometry: GeometryColumn, tms: TileMatrixSet, base: str) -> dict[str, Any]:
    first, last = zoom_range(collection, geometry, tms)
    layer: dict[str, Any] = {
        "id": collection.id,
        "title": collection.title,
        "dataType": "vector",
        "crs": CRS84,
        "minTileMatrix": tms.matrices[first].id,
        "maxTileMatrix": tms.matrices[last].id,
        "propertiesSchema": {
            "type": "object",
            "properties": {column.name: _property_schema(column) for column in collection.columns},
        },
        "links": [
            Link(
                f"{base}/collections/{path_segment(collection.id)}",
                "describedby",
                MediaType.JSON,
                "The collection",
            ).to_json()
        ],
    }
    if collection.description:
        layer["description"] = collection.description
    if geometry.dimension is not None:
        layer["geometryDimension"] = geometry.dimension
    return layer


def _property_schema(column: Column) -> dict[str, Any]:
    # arrays and objects travel as text in a vector tile
    kind = column.type if column.type in ("integer", "number", "boolean") else "string"
    members = {
        "type": kind,
        "title": column.title,
        "description": column.description,
        "format": column.format,
    }
    return {name: value for name, value in members.items() if value}
