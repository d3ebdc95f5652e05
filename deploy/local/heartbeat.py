"""Say during a long step that it goes on."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_SECONDS = 4.0
"""Two steps may follow each other without a line between them: then 8 seconds pass."""


@contextmanager
def beating() -> Iterator[None]:
    """Print the elapsed seconds to standard error every few seconds, as long as the block runs."""
    done = threading.Event()

    def beat() -> None:
        begun = time.monotonic()
        while not done.wait(_SECONDS):
            print(f"  … {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
