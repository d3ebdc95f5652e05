"""A Unix socket on which a service listens besides its port, for a gateway on the same machine."""

import socket
import stat
from pathlib import Path

from libs.web.settings import SettingsError


def bind(path: Path) -> socket.socket:
    """Return a socket bound to the path, for its user and group; a setgid bit of the folder decides the group.

    A socket left by a terminated process is removed. Raises SettingsError if anything else has the path, or the socket
    cannot be created; the path may have at most 107 bytes.
    """
    bound = socket.socket(socket.AF_UNIX)
    try:
        _make_way(path)
        bound.bind(str(path))
        path.chmod(0o660)
    except OSError as error:
        bound.close()
        raise SettingsError(f"DAMS_SOCKET={str(path)!r}: {error.strerror or error}") from None
    return bound


def _make_way(path: Path) -> None:
    """Remove a socket without a listener. Raises OSError if something else is there."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise OSError("is there and no socket")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
    raise OSError("another process listens there")
