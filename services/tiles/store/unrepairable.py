"""Columns whose invalid rows are not searched for, because the last search failed."""

import time


class Unrepairable:
    """Remembers geometry columns for some seconds, so that not every tile pays for a useless search."""

    def __init__(self, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._until: dict[tuple[str, str], float] = {}

    def add(self, collection: str, column: str) -> None:
        """Add a column for some seconds."""
        self._until[collection, column] = time.monotonic() + self._seconds

    def __contains__(self, column: tuple[str, str]) -> bool:
        """Return whether the collection's column, both by name, was added in the last seconds."""
        return self._until.get(column, 0.0) > time.monotonic()
