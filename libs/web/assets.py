"""The style sheet and scripts that pages of all services share, under names that change with their content."""

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path

from aiohttp import web

_STATIC = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

_HASHED = re.compile(r"([a-z]+)-[0-9a-f]{12}(\.[a-z]+)")
_SHORT = "public, max-age=60"
IMMUTABLE = "public, max-age=31536000, immutable"


@cache
def asset_path(name: str) -> str:
    """Convert `site.css` to `site-<hash of its content>.css`. Raises FileNotFoundError."""
    file = _STATIC / name
    digest = blake2b(file.read_bytes(), digest_size=6).hexdigest()
    return f"{file.stem}-{digest}{file.suffix}"


@cache
def shared_assets() -> dict[str, tuple[bytes, str]]:
    """Return content and Content-Type of every file here, by hashed name."""
    return {
        asset_path(file.name): (file.read_bytes(), _TYPES[file.suffix])
        for file in sorted(_STATIC.iterdir())
        if file.suffix in _TYPES
    }


def shared_asset(name: str) -> web.Response | None:
    """Return the file with this hashed name, or None; for another hash, our version with a short cache time.

    During an upgrade of one service after another, some pages name files of another version.
    """
    found, keeps = shared_assets().get(name), IMMUTABLE
    if found is None:
        other = _HASHED.fullmatch(name)
        file = f"{other[1]}{other[2]}" if other else ""
        found, keeps = shared_assets().get(asset_path(file)) if (_STATIC / file).is_file() else None, _SHORT
    if found is None:
        return None
    return web.Response(body=found[0], headers={"Content-Type": found[1], "Cache-Control": keeps})
