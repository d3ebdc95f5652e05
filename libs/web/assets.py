"""The style sheet and scripts that pages of all services share, under names that change with their content."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

from aiohttp import web

_STATIC = Path(__file__).parent / "static"
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

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
    """The file of this hashed name, or None."""
    found = shared_assets().get(name)
    if found is None:
        return None
    return web.Response(body=found[0], headers={"Content-Type": found[1], "Cache-Control": IMMUTABLE})
