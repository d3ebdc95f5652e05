"""`python -m deploy.local.impacts DAMS_STATE_DIR`: the worker of impacts, with the address of the stack's database.

The address has a password, so it is read from the stack's own files: the supervisor's file and the environment of the
services, which must not be able to write, do not have it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from deploy.impact.__main__ import run_watch
from deploy.local import stack
from deploy.local.state import StateFolder
from deploy.local.users import become

_NICE = 10
"""How much the worker gives way to the services."""


def main() -> None:
    """Become the user of the services, and compute until a signal.

    The address is in no environment, and only root can inspect a process that has changed its user.
    """
    folder = StateFolder(Path(sys.argv[1]))
    state = folder.load()
    url = stack.loader_url(folder, state)
    os.nice(_NICE)
    if state.user:
        become(state.user)
    asyncio.run(run_watch(url))


if __name__ == "__main__":
    main()
