"""The user of services, gateway and Redis: if root starts the stack, a separate user that can only read the code."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from deploy.local.settings import REPOSITORY, StackError

USER = "dams"
"""`make up` creates it as a system user: without a password, a shell or a home."""

FOLDERS = ("gateway", "redis", "services")
"""Folders below DAMS_STATE_DIR that it writes."""

_FIRST_OF_PERSONS = 1000
_LOW_PORT = "--low-port"

# The same steps as a service's start: use the interpreter, import packages and code, access the folder.
_PROBE = """
import os, sys, aiohttp, gateway.settings, libs.web.runner
sys.exit(not all(os.access(folder, os.W_OK) for folder in sys.argv[1:]))
"""


def choose_user(state_dir: Path) -> str | None:
    """Return the user; None for the current user if not root. Creates the folders and gives them to the user.

    Raises StackError if root has no suitable user.
    """
    if os.geteuid() != 0:
        return None
    try:
        if pwd.getpwnam(USER).pw_uid >= _FIRST_OF_PERSONS:
            raise StackError(f"the user {USER} is a person")
    except KeyError:
        raise StackError(f"there is no user {USER}") from None
    folders = [state_dir / name for name in FOLDERS]
    for folder in folders:
        hand_over(folder, USER)
    probe = command_as(USER, [sys.executable, "-c", _PROBE, *map(str, folders)])
    probed = subprocess.run(probe, cwd=REPOSITORY, check=False, capture_output=True, text=True)
    if probed.returncode != 0:
        reached = f"{Path(sys.executable).resolve()}, {REPOSITORY} and {state_dir}"
        raise StackError(f"the user {USER} must be able to get into {reached}")
    return USER


def can_read(file: Path) -> bool:
    """Return whether the services can read a file: started by root, they run as another user, if that is possible."""
    if os.geteuid() != 0:
        return True
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return True

    def runs(program: str) -> bool:
        command = command_as(USER, [sys.executable, "-c", program, str(file)])
        return subprocess.run(command, cwd=REPOSITORY, check=False, capture_output=True).returncode == 0

    return runs("import sys; open(sys.argv[1]).close()") or not runs("")


def hand_over(folder: Path, user: str | None) -> None:
    """Give a folder and its content to the user (None: the current user), closed to others.

    Another user may own it from an earlier start.
    """
    folder.chmod(0o750)
    if os.geteuid() != 0:
        return
    owner = pwd.getpwnam(user) if user else pwd.getpwuid(0)
    for _, _, files, descriptor in os.fwalk(folder):
        os.fchown(descriptor, owner.pw_uid, owner.pw_gid)
        for name in files:
            os.chown(name, owner.pw_uid, owner.pw_gid, dir_fd=descriptor, follow_symlinks=False)


def command_as(user: str | None, command: Sequence[str], *, low_port: bool = False) -> tuple[str, ...]:
    """Return the command that runs a command as the user, None for the current user.

    With `low_port` it may listen on ports that are otherwise reserved for root.
    """
    if user is None:
        return tuple(command)
    return (sys.executable, "-m", "deploy.local.users", user, *([_LOW_PORT] if low_port else []), *command)


def become(user: str) -> None:
    """Change this root process to the user."""
    entry = pwd.getpwnam(user)
    os.initgroups(user, entry.pw_gid)
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    os.environ |= _surroundings(entry)


def _surroundings(entry: pwd.struct_passwd) -> dict[str, str]:
    return {"HOME": entry.pw_dir, "USER": entry.pw_name, "LOGNAME": entry.pw_name}


def main() -> None:
    """Run `python -m deploy.local.users USER COMMAND…` for the supervisor, whose own `user` leaves the pipes to root.

    nginx opens its log, /dev/stdout, by name: the pipe must belong to the user.
    """
    user, *command = sys.argv[1:]
    entry = pwd.getpwnam(user)
    for stream in (sys.stdout, sys.stderr):
        os.fchown(stream.fileno(), entry.pw_uid, entry.pw_gid)
    if command[0] == _LOW_PORT:
        os.environ |= _surroundings(entry)
        capability = "-all,+net_bind_service"
        rights = [f"--reuid={user}", f"--regid={entry.pw_gid}", "--init-groups", "--no-new-privs"]
        rights += [f"--{kind}={capability}" for kind in ("bounding-set", "inh-caps", "ambient-caps")]
        command = ["setpriv", *rights, *command[1:]]
    else:
        become(user)
    os.execvp(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
