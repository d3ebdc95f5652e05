"""Compressed copies, made once: Brotli for the browsers that take it, which over a network are all, and gzip."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli

_TEXTS = {".js", ".mjs", ".css", ".json", ".svg"}
_FAR = ("0", "1", "2", "3")
"""Zooms of the basemap that a map of the world begins with."""


def compress(folder: Path) -> None:
    """Put `<name>.gz` and `<name>.br` beside each text below `folder`, and `<name>.br` beside far tiles, which have the
    other."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    with ThreadPoolExecutor() as pool:
        list(pool.map(_compress, files))


def _compress(file: Path) -> None:
    if file.suffix in _TEXTS:
        content = file.read_bytes()
        # mtime=0: the same input gives the same bytes
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(content, 9, mtime=0))
        file.with_name(f"{file.name}.br").write_bytes(brotli.compress(content))
    elif file.name.endswith(".mvt.gz") and file.parent.parent.name in _FAR:
        file.with_suffix(".br").write_bytes(brotli.compress(gzip.decompress(file.read_bytes())))
