"""Columns for whose invalid rows no search is made, because the last one led to nothing."""

import time


class Unrepairable:
    """Remembers collections' geometry columns for some seconds, so that not every tile pays for a search in vain."""

    def __init__(self, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._until: dict[tuple[str, str], float] = {}

    def add(self, collection: str, column: str) -> None:
        """From now on, for some seconds."""
        self._until[collection, column] = time.monotonic() + self._seconds

    def __contains__(self, column: tuple[str, str]) -> bool:
        """Whether the collection's column, by their names, was added in the last seconds."""
        return self._until.get(column, 0.0) > time.monotonic()
