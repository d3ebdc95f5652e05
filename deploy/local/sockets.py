"""Unix sockets between the programs of a stack: a round trip costs two thirds of one over TCP on loopback.

They are in a separate folder with a short path, because a socket's path may have only 107 bytes and DAMS_STATE_DIR may
be long. Every user may pass through it to folders for PostgreSQL's socket, and for those of the services and Redis.
Only the users that connect to them have access.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

from deploy.local.settings import StackError

# Leaves space for the name of a socket, and needs no quotes in any program's configuration or address.
_SUITABLE = re.compile(r"/[A-Za-z0-9._/-]{1,80}")


def make_folder(state_dir: Path) -> Path:
    """Return the empty folder of this stack. Raises StackError or OSError if it cannot be created."""
    folder = Path(tempfile.gettempdir()).resolve() / (
        "dams-" + hashlib.sha256(str(state_dir).encode()).hexdigest()[:12]
    )
    if not _SUITABLE.fullmatch(str(folder)):
        raise StackError(f"the path of {folder.parent} is too long or has unusual characters")
    remove_folder(folder)
    try:
        folder.mkdir()
    except FileExistsError:
        raise StackError(f"{folder} belongs to somebody else") from None
    folder.chmod(0o711)
    return folder


def make_services_folder(folder: Path, user: str | None) -> None:
    """Create the folder for the sockets of services and Redis, which run as the user; None is the current user."""
    services_folder(folder).mkdir(mode=0o700)
    if user:
        shutil.chown(services_folder(folder), user)


def services_folder(folder: Path) -> Path:
    return folder / "services"


def remove_folder(folder: Path) -> None:
    """Remove the folder with its sockets, if it exists and is ours: every user may write to its parent folder."""
    if is_ours(folder):
        shutil.rmtree(folder, ignore_errors=True)


def is_ours(folder: Path) -> bool:
    """Return whether a real folder of this user exists there."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
