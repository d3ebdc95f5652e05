"""The tiles of a collection as PMTiles, written by the command of the tiles service."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from deploy.publish.service import ServiceError

_TRIES = 3
_PAUSE_SECONDS = 5.0


def write_tiles(collection: str, zooms: str, file: Path) -> bool:
    """Write the file; return whether the collection has tiles. Raises ServiceError."""
    command = [sys.executable, "-m", "deploy.local", "run", "services.tiles.command", "export", collection]
    for left in range(_TRIES, 0, -1):
        done = subprocess.run(
            [*command, "--zoom", zooms, "--output", str(file)], capture_output=True, text=True, check=False
        )
        if done.returncode == 0:
            break
        if left == 1:
            said = done.stderr.strip() or done.stdout.strip()
            raise ServiceError(f"the tiles of {collection} cannot be written: {said}")
        # a service may be restarting
        time.sleep(_PAUSE_SECONDS)
    return file.exists()
