"""Build the browser's files, where they are outdated, while the servers start and the demo data are loaded."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from deploy.local.heartbeat import beating
from deploy.local.settings import REPOSITORY, StackError


@contextmanager
def building() -> Iterator[Callable[[], None]]:
    """Build as long as the block runs; yield the function that waits for the end.

    It raises StackError if the build failed; what went wrong has been printed.
    """
    script = ["bash", str(REPOSITORY / "deploy/local/bootstrap.sh"), "viewer"]
    # in a new session, so that a signal reaches the programs that bash runs, too
    with subprocess.Popen(script, cwd=REPOSITORY, stdin=subprocess.DEVNULL, start_new_session=True) as build:

        def wait() -> None:
            with beating():
                status = build.wait()
            if status != 0:
                raise StackError("the scripts and the basemap of the viewer could not be built")

        try:
            yield wait
        finally:
            if build.poll() is None:
                os.killpg(build.pid, signal.SIGTERM)
