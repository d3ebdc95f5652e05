"""Cache times of tiles: a tile of the version that the request names is cached forever, others for a second."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import format_datetime

from aiohttp import web

from libs.catalogue.model import Collection
from libs.ogc.temporal import parse_instant
from libs.web.conditional import SETTLED_CACHE, check_preconditions, check_tag
from services.tiles.store.tile_store import Tile

LASTING = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class TileHeaders:
    """The headers of a tile; they depend on whether it is exactly the one of the requested version."""

    usual: Mapping[str, str]
    lasting: Mapping[str, str] | None
    """Headers of an exact tile; None if the request names no version, or not the current one."""

    def check_tag(self, request: web.Request) -> None:
        """Raise NotModified if the client surely has the response, without looking at the tile."""
        # a copy that may not be exact, of a version that can be cached forever, is compared with the tile first
        check_tag(request, self.usual if self.lasting is None else self.lasting)

    def of(self, request: web.Request, tile: Tile) -> Mapping[str, str]:
        """Return the headers of this tile. Raises NotModified if the client has it."""
        headers = self.lasting if self.lasting is not None and tile.exact else self.usual
        check_preconditions(request, headers)
        return headers


def tile_headers(
    usual: Mapping[str, str], present: str | None, wanted: str | None, collections: Sequence[Collection] = ()
) -> TileHeaders:
    """Return the headers made from the `usual` ones, the current version and the requested one."""
    if present is None:
        return TileHeaders(usual, None)
    usual = {**usual, "DAMS-Version": present}
    lasting = LASTING
    past = next((collection.past for collection in collections if collection.past is not None), None)
    if past is not None:
        # it has a version, so that it never changes
        usual["Memento-Datetime"] = format_datetime(parse_instant(past).replace(microsecond=0), usegmt=True)
        if wanted is None:
            wanted, lasting = present, SETTLED_CACHE
    if wanted != present or "ETag" not in usual:
        return TileHeaders(usual, None)
    # dates cannot distinguish an exact copy from one made in the second before a change
    usual = {name: value for name, value in usual.items() if name != "Last-Modified"}
    tag = f'{usual["ETag"][:-1]}x"'
    return TileHeaders(usual, {**usual, "ETag": tag, "Cache-Control": lasting})
