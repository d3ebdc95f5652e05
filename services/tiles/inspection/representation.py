"""A tile as JSON and as a page: a tile inspector for developers."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from aiohttp import web

from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.html import page_response
from libs.web.respond import json_response, links_json, representations
from services.tiles.inspection.content import decode
from services.tiles.inspection.document import Made, tile_document
from services.tiles.inspection.drawing import drawing
from services.tiles.inspection.places import tiles_around
from services.tiles.metadata.addresses import dataset_tileset_address, tileset_address
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.compression import decompress_tile
from services.tiles.store.tile_store import Tile

_LISTED = 100
"""Maximum number of features in the table of a page."""


async def tile_representation(
    call: Call, requests: Sequence[TileRequest], tile: Tile, headers: Mapping[str, str]
) -> web.Response:
    """Return the tile in the requested format, JSON or a page; `requests` are those of its layers."""
    encoded = await decompress_tile(tile.gzipped) if tile.gzipped else b""
    # counting and decoding a large tile takes some tenths of a second
    layers = await asyncio.to_thread(decode, encoded)
    made = Made(len(encoded), len(tile.gzipped), tile.left_out, tile.estimated, tile.simplified, tile.tier)
    links = _Links(call, requests)
    document = {**tile_document(requests, made, layers), "links": links_json(links.list_links())}
    if call.media_type == MediaType.HTML:
        context = {
            "collection": None if links.of_dataset else requests[0].selection.collection,
            "tms": requests[0].tile_matrix_set,
            "document": document,
            "drawing": drawing(layers),
            "places": links.places(),
            "map": links.map(),
            "tileset": links.tileset,
            "given": links.given,
            "listed": _LISTED,
        }
        return page_response(call.request, "tile.html", context, headers=headers)
    return json_response(document, headers=headers)


class _Links:
    """Addresses around a tile, with the parameters of the request."""

    def __init__(self, call: Call, requests: Sequence[TileRequest]) -> None:
        self._call = call
        self._request = request = requests[0]
        self._base = base_url(call.request)
        self._around = tiles_around(request)
        self.of_dataset = "collectionId" not in call.path
        self.tileset = (
            dataset_tileset_address(self._base, request.tile_matrix_set)
            if self.of_dataset
            else tileset_address(self._base, request.selection.collection, request.tile_matrix_set)
        )
        self.given = {name: text for name, text in sent_parameters(call.request) if name != "f"}

    def list_links(self) -> list[Link]:
        """Return the links of the JSON document."""
        at = (self._request.z, self._request.x, self._request.y)
        return [
            *representations(self._tile(at, ""), self._call.media_type, self._call.offers),
            *(
                Link(self._tile(place, "json"), "up" if "above" in title else "related", MediaType.JSON, title)
                for title, place in self._titles()
            ),
            Link(self.tileset, "collection", MediaType.JSON, "The tileset"),
            Link(self.map(), "preview", MediaType.HTML, "Map"),
        ]

    def places(self) -> list[tuple[str, str]]:
        """Return titles and pages of the tiles around."""
        return [(title, self._tile(place, "html")) for title, place in self._titles()]

    def map(self) -> str:
        """Return the address of the viewer at this tile, with the filter if the map supports it."""
        boxes = self._request.region.lonlat
        west, south, east, north = boxes[0] if boxes else (0.0, 0.0, 0.0, 0.0)
        zoom = max(0.0, self._request.tile_matrix_set.matrix(self._request.z).zoom)
        state = {"map": f"{zoom:g}/{(south + north) / 2:.4f}/{(west + east) / 2:.4f}"}
        if self.of_dataset:
            query = f"?collections={quote(self.given['collections'], safe='')}" if "collections" in self.given else ""
            return f"{self.tileset}/map.html{query}#{_escape(state)}"
        if "filter" in self.given and self.given.get("filter-lang") != "cql2-json":
            state[f"f.{self._request.selection.collection.id}"] = self.given["filter"]
        column = self.given.get("geom-column")
        return f"{self.tileset}/map.html{f'?geom-column={path_segment(column)}' if column else ''}#{_escape(state)}"

    def _titles(self) -> list[tuple[str, tuple[int, int, int]]]:
        found = self._around
        return [
            *((f"{_place(place)}, above", place) for place in found.parents),
            *((f"{_place(place)}, {side}", place) for side, place in found.beside.items()),
            *((f"{_place(place)}, below", place) for place in found.children),
        ]

    def _tile(self, place: tuple[int, int, int], f: str) -> str:
        parameters: dict[str, Any] = {**self.given, **({"f": f} if f else {})}
        return f"{self.tileset}/{_place(place)}{'?' if parameters else ''}{urlencode(parameters, quote_via=quote)}"


def _escape(state: Mapping[str, str]) -> str:
    return "&".join(f"{quote(name, safe='')}={quote(text, safe='/,:')}" for name, text in state.items())


def _place(place: tuple[int, int, int]) -> str:
    return "/".join(map(str, place))
