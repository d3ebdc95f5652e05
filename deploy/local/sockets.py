"""Unix sockets between the programs of a stack: a round trip costs two thirds of one over TCP on loopback.

They lie in a folder of their own, whose path is short however long that of STATE_DIR is (a socket's may have 107
bytes). Anybody may pass through it, to folders in it for PostgreSQL's socket and for those of the services and Redis,
which only those get into who connect to them.
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

# Leaves room for the name of a socket, and needs no quotes in any of the programs' configurations and addresses.
_SUITABLE = re.compile(r"/[A-Za-z0-9._/-]{1,80}")


def make_folder(state_dir: Path) -> Path:
    """The empty folder of this stack. Raises StackError or OSError where there can be none."""
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
    """Makes the folder for the sockets of services and Redis, which run as the user; None is whoever asks."""
    services_folder(folder).mkdir(mode=0o700)
    if user:
        shutil.chown(services_folder(folder), user)


def services_folder(folder: Path) -> Path:
    return folder / "services"


def remove_folder(folder: Path) -> None:
    """Removes the folder with the sockets in it, if it is one, and ours: anybody may write where it lies."""
    if is_ours(folder):
        shutil.rmtree(folder, ignore_errors=True)


def is_ours(folder: Path) -> bool:
    """Whether a real folder of this user's is there."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
