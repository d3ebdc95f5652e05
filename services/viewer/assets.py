"""`/assets/*` and `/basemap/*`: files that the build made, with their cache headers.

Names of assets contain a hash of their content, so an asset never changes (RFC 8246, `immutable`). The basemap has
stable addresses, which styles of other services and sites use, and is revalidated by its ETag. Its vector tiles are
`/basemap/{tileMatrixSetId}/{tileMatrix}/{tileRow}/{tileCol}.mvt`; an empty place has no tile (204).
"""

import gzip
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from libs.web.accept_language import ENGLISH, Language
from libs.web.assets import IMMUTABLE, shared_asset
from libs.web.conditional import check_preconditions, weak_etag
from libs.web.content_coding import takes_brotli, takes_gzip
from libs.web.settings import SettingsError
from services.viewer.paged import PagedBytes

DIST = Path(__file__).parent / "dist"

_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".mvt": "application/vnd.mapbox-vector-tile",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_TILE = re.compile(r"(WebMercatorQuad|WorldCRS84Quad)/[0-9]{1,2}/[0-9]{1,4}/[0-9]{1,4}\.mvt")
_BASEMAP_CACHE = "public, max-age=3600, stale-while-revalidate=86400"


@dataclass(frozen=True, slots=True)
class _File:
    """The positions of a file's bodies in the bytes of all files."""

    plain: slice | None
    """None for a file that is only stored compressed."""
    compressed: slice | None
    brotli: slice | None
    content_type: str
    etag: str


class Assets:
    """The built files, read once: 24 MB, of which only requested pages stay in memory."""

    def __init__(self, dist: Path = DIST) -> None:
        """Raises SettingsError if there is no build."""
        try:
            manifest = json.loads((dist / "manifest.json").read_text(encoding="utf-8"))
        except OSError:
            raise SettingsError(
                "services/viewer/dist is missing; `npm ci` there and then `python -m services.viewer.build` make it"
            ) from None
        self._names: Mapping[str, str] = manifest["assets"]
        self._parts: Mapping[str, list[str]] = manifest["parts"]
        self.edition: str = manifest["inputs"]
        """Changes with the build; addresses that contain it never return older files."""
        read = PagedBytes()
        self._assets = _read(dist / "assets", read)
        self._basemap = _read(dist / "basemap", read)
        self._bytes = read.pages()

    def name(self, name: str) -> str:
        """Convert `map.js` to `map-<hash>.js`. Raises KeyError."""
        return self._names[name]

    def words(self, language: Language) -> str | None:
        """Return the hashed name of the script with the texts of this language; None for English, which needs none."""
        return None if language is ENGLISH else self._names[f"words/{language.tag}.js"]

    def parts(self, name: str) -> list[str]:
        """Return the hashed names of a script's imports."""
        return self._parts.get(name, [])

    async def asset(self, request: web.Request) -> web.StreamResponse:
        """Return one of our scripts or styles, a library, or a style sheet that all services share."""
        name = request.match_info["name"]
        file = self._assets.get(name)
        if file is None:
            shared = shared_asset(name)
            if shared is None:
                raise web.HTTPNotFound
            return shared
        return self._respond(request, file, IMMUTABLE)

    async def basemap(self, request: web.Request) -> web.StreamResponse:
        """Return a tile of the basemap, or a font of its labels."""
        path = request.match_info["path"]
        file = self._basemap.get(path)
        if file is None and _TILE.fullmatch(path):
            return web.Response(status=204, headers={"Cache-Control": _BASEMAP_CACHE})
        if file is None:
            raise web.HTTPNotFound
        return self._respond(request, file, _BASEMAP_CACHE)

    def _respond(self, request: web.Request, file: _File, cache_control: str) -> web.StreamResponse:
        accepted = request.headers.get("Accept-Encoding")
        brotli = file.brotli if takes_brotli(accepted) else None
        compressed = brotli or (file.compressed if takes_gzip(accepted) else None)
        headers = {
            "ETag": file.etag,
            "Cache-Control": cache_control,
            "Content-Type": file.content_type,
            "X-Content-Type-Options": "nosniff",
            "Vary": "Accept-Encoding",
        }
        check_preconditions(request, headers)
        if compressed is not None:
            headers["Content-Encoding"] = "br" if brotli else "gzip"
            return web.Response(body=self._bytes[compressed], headers=headers)
        if file.plain is not None:
            return web.Response(body=self._bytes[file.plain], headers=headers)
        return web.Response(body=gzip.decompress(self._bytes[file.compressed or slice(0)]), headers=headers)


def _read(top: Path, read: PagedBytes) -> dict[str, _File]:
    files = {}
    for folder, _, names in os.walk(top):
        within = f"{os.path.relpath(folder, top)}/".removeprefix("./")
        there = set(names)
        for found in names:
            # a tile is only stored compressed, every other file both plain and compressed
            name = found.removesuffix(".gz") if found.endswith(".mvt.gz") else found
            content_type = _TYPES.get(f".{name.rpartition('.')[2]}")
            if content_type is not None:
                bodies = [_body(folder, copy) if copy in there else None for copy in (name, f"{name}.gz", f"{name}.br")]
                etag = weak_etag(bodies[0] or bodies[1] or b"")
                plain, packed, brotli = (None if body is None else read.add(body) for body in bodies)
                files[within + name] = _File(plain, packed, brotli, content_type, etag)
    return files


def _body(folder: str, name: str) -> bytes:
    # a Path for each of 20,000 files would take three times as long, and memory that stays in use
    with open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123
        return file.read()
