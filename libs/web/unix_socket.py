"""A Unix socket on which a service listens beside its port, for a gateway on the same machine."""

import socket
import stat
from pathlib import Path

from libs.web.settings import SettingsError


def bind(path: Path) -> socket.socket:
    """A socket bound to the path, for its user and group: the group is that of the folder where its setgid bit is set.

    What a process that ended left there makes way. Raises SettingsError where the path is taken by anything else, or
    nothing can be made there; it may have 107 bytes.
    """
    bound = socket.socket(socket.AF_UNIX)
    try:
        _make_way(path)
        bound.bind(str(path))
        path.chmod(0o660)
    except OSError as error:
        bound.close()
        raise SettingsError(f"SOCKET={str(path)!r}: {error.strerror or error}") from None
    return bound


def _make_way(path: Path) -> None:
    """Removes a socket on which nobody listens any more. Raises OSError where something else is there."""
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
