"""Clients that ask until a block ends."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Self


class Asking:
    """Calls each of the functions repeatedly, in a separate thread, with pauses of `pause` seconds."""

    def __init__(self, asks: Sequence[Callable[[], None]], *, pause: float = 0) -> None:
        self._pause = pause
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._repeat, args=(ask,)) for ask in asks]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, ask: Callable[[], None]) -> None:
        while not self._stop.wait(self._pause):
            ask()
