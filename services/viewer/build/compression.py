"""Compressed copies, made once: Brotli for browsers that accept it (over a network, all do), and gzip."""

import gzip
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli

_TEXTS = {".js", ".mjs", ".css", ".json", ".svg", ".txt"}
_FAR = ("0", "1", "2", "3")
"""Basemap zooms that a map of the world starts with."""


def compress(folder: Path) -> None:
    """Write `<name>.gz` and `<name>.br` beside each text below `folder`.

    Tiles of far zooms, which are gzip files already, only get `<name>.br`.
    """
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
