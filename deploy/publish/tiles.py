"""The tiles of a collection as PMTiles, written by the command of the tiles service."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from deploy.publish.service import ServiceError


def write_tiles(collection: str, zooms: str, file: Path) -> bool:
    """Write the file; return False if the collection has no tiles. Raises ServiceError."""
    command = [sys.executable, "-m", "deploy.local", "run", "services.tiles.command", "export", collection]
    done = subprocess.run(
        [*command, "--zoom", zooms, "--output", str(file)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise ServiceError(f"the tiles of {collection} cannot be written: {done.stderr.strip() or done.stdout.strip()}")
    return file.exists()
