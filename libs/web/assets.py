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
    """`site.css` to `site-<hash of its content>.css`. Raises FileNotFoundError."""
    file = _STATIC / name
    digest = blake2b(file.read_bytes(), digest_size=6).hexdigest()
    return f"{file.stem}-{digest}{file.suffix}"


@cache
def shared_assets() -> dict[str, tuple[bytes, str]]:
    """Hashed name to content and Content-Type, of every file here."""
    return {
        asset_path(file.name): (file.read_bytes(), _TYPES[file.suffix])
        for file in sorted(_STATIC.iterdir())
        if file.suffix in _TYPES
    }


def shared_asset(name: str) -> web.Response | None:
    """The file of this hashed name, or None; where the hash is another, ours, but not for long.

    While services are upgraded one after the other, some pages name files that this one does not have, or no more.
    """
    found, keeps = shared_assets().get(name), IMMUTABLE
    if found is None:
        other = _HASHED.fullmatch(name)
        file = f"{other[1]}{other[2]}" if other else ""
        found, keeps = shared_assets().get(asset_path(file)) if (_STATIC / file).is_file() else None, _SHORT
    if found is None:
        return None
    return web.Response(body=found[0], headers={"Content-Type": found[1], "Cache-Control": keeps})
