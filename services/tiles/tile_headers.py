"""How long a tile keeps: the one of a version that the request names for ever, any other for a second."""

from collections.abc import Mapping
from dataclasses import dataclass

from aiohttp import web

from libs.web.conditional import check_preconditions, check_tag
from services.tiles.store.tile_store import Tile

LASTING = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class TileHeaders:
    """The headers of a tile, which depend on whether it is exactly the one of the version that the request names."""

    usual: Mapping[str, str]
    lasting: Mapping[str, str] | None
    """Of such a tile; None where the request names no version, an old one, or one that nobody knows."""

    def check_tag(self, request: web.Request) -> None:
        """Raises NotModified where the client holds the answer for certain, whatever the tile is."""
        # a copy that was not known to be exact, of a version that may last, is looked at first
        check_tag(request, self.usual if self.lasting is None else self.lasting)

    def of(self, request: web.Request, tile: Tile) -> Mapping[str, str]:
        """Those of this tile. Raises NotModified where the client holds it."""
        headers = self.lasting if self.lasting is not None and tile.exact else self.usual
        check_preconditions(request, headers)
        return headers


def tile_headers(usual: Mapping[str, str], present: str | None, wanted: str | None) -> TileHeaders:
    """The headers that follow from the `usual` ones, the present version and the one that the request wants."""
    if present is None:
        return TileHeaders(usual, None)
    usual = {**usual, "DAMS-Version": present}
    if wanted != present or "ETag" not in usual:
        return TileHeaders(usual, None)
    # dates cannot tell an exact copy from one that was made in the second before a change
    usual = {name: value for name, value in usual.items() if name != "Last-Modified"}
    tag = f'{usual["ETag"][:-1]}x"'
    return TileHeaders(usual, {**usual, "ETag": tag, "Cache-Control": LASTING})
