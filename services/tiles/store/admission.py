"""Which tiles with parameters are worth keeping: those that are asked for again."""

import time


class AskedBefore:
    """Remembers for some minutes what was asked for: two sets that take turns, each bounded, so is the memory.

    A client can invent any number of filters; each is asked for once and must not drive out what others use.
    """

    def __init__(self, *, seconds: float = 300, most: int = 50_000) -> None:
        self._seconds = seconds
        self._most = most
        self._young: set[int] = set()
        self._old: set[int] = set()
        self._since = time.monotonic()

    def again(self, key: str) -> bool:
        """Whether the key was asked for in the last minutes; from now on it was."""
        if len(self._young) >= self._most or time.monotonic() > self._since + self._seconds:
            self._old, self._young = self._young, set()
            self._since = time.monotonic()
        number = hash(key)
        known = number in self._young or number in self._old
        self._young.add(number)
        return known
