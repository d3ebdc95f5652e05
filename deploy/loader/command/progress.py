"""A progress bar of a load."""

import sys
from types import TracebackType
from typing import NoReturn, Self

from tqdm import tqdm


class Bar:
    """Rows written to the database, and before that the bytes received. Nothing without a terminal."""

    def __init__(self, name: str, *, wanted: bool) -> None:
        self._bar: tqdm[NoReturn] = tqdm(
            desc=name, unit="rows", unit_scale=True, leave=False, disable=not (wanted and sys.stderr.isatty())
        )
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def report_bytes(self, count: int, /) -> None:
        """Show the number of bytes received."""
        self._bytes += count
        self._bar.set_postfix_str(f"{self._bytes / 1e6:.1f} MB", refresh=False)

    def report_rows(self, rows: int, /) -> None:
        """Advance the bar."""
        self._bar.update(rows)
