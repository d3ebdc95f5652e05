"""The choice of tiles with parameters to cache: those that are requested more than once."""

import time


class Admission:
    """Remembers requests of the last minutes in two sets of limited size that take turns, so that memory is limited.

    A client can invent any number of filters; each is requested once, and must not evict tiles that others use.
    """

    def __init__(self, *, seconds: float = 300, most: int = 50_000) -> None:
        self._seconds = seconds
        self._most = most
        self._young: set[int] = set()
        self._old: set[int] = set()
        self._since = time.monotonic()

    def admits(self, key: str) -> bool:
        """Return whether the key was requested before in the last minutes; this call counts as a request."""
        if len(self._young) >= self._most or time.monotonic() > self._since + self._seconds:
            self._old, self._young = self._young, set()
            self._since = time.monotonic()
        number = hash(key)
        known = number in self._young or number in self._old
        self._young.add(number)
        return known
