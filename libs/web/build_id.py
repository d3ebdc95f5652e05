"""Which software answers: part of ETags and cache keys, so that a new release never vouches for an old one's bytes."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

_TOP = Path(__file__).parents[2]
_SUFFIXES = (".py", ".sql", ".lark", ".html", ".css", ".js", ".svg", ".yaml")
_NOT_OURS = ("node_modules", "dist", "__pycache__")


@cache
def build_id() -> str:
    """The same for processes that run the same source files. Read at the first call, at start."""
    digest = blake2b(digest_size=6)
    for folder in ("libs", "services"):
        for file in sorted((_TOP / folder).rglob("*")):
            if file.suffix in _SUFFIXES and not any(part in _NOT_OURS for part in file.parts):
                digest.update(str(file.relative_to(_TOP)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()
