"""Identify the software that makes a response: part of ETags and cache keys, so that releases never share cached bytes.

PostGIS and its libraries on the database server are part of the data version (`libs/catalogue/versions.py`).
"""

import os
import re
import sys
from functools import cache
from hashlib import blake2b
from importlib import metadata
from pathlib import Path

from aiohttp import web

SERVICE = web.AppKey("service", str)
"""The service's name."""

_TOP = Path(__file__).parents[2]
_SOURCES = (".py", ".sql", ".lark", ".yaml")
_OF_PAGES = (".html", ".css", ".js", ".svg", ".po")
_NOT_OURS = {"node_modules", "dist", "__pycache__"}
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)


@cache
def build_id(service: str, *, top: Path = _TOP) -> str:
    """Return the id of a service's software except for pages: its sources, `libs/`, and its installed requirements.

    It is equal in all processes of a release. Read at the first call, at start.
    """
    # any requirement may affect bytes, sometimes in hidden ways: PROJ, GEOS, how a number is written
    requirements = (top / "services" / service / "requirements.txt").read_text(encoding="utf-8")
    versions = [f"{name} {_version(name)}" for name in sorted(_PINNED.findall(requirements))]
    return _digest(service, _SOURCES, top, f"{sys.version_info[:3]} {versions}")


@cache
def page_build_id(service: str, *, top: Path = _TOP) -> str:
    """Return the id of a service's pages: it also covers templates, style sheets, scripts and translations."""
    return _digest(service, _OF_PAGES, top, build_id(service, top=top))


def _digest(service: str, suffixes: tuple[str, ...], top: Path, more: str) -> str:
    digest = blake2b(more.encode(), digest_size=6)
    for part in (top / "libs", top / "services" / service):
        for folder, folders, names in os.walk(part):
            # sorted for determinism; skips build output (thousands of files)
            folders[:] = sorted(set(folders) - _NOT_OURS)
            for file in (Path(folder, name) for name in sorted(names) if name.endswith(suffixes)):
                digest.update(str(file.relative_to(top)).encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        # pinned for other systems or other Python versions
        return None
