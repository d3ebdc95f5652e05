"""Progress display of the loader: a bar on a terminal, otherwise plain lines."""

import sys
from types import TracebackType
from typing import NoReturn, Protocol, Self

from tqdm import tqdm


class Progress(Protocol):
    """Notified of each table in turn."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def begin(self, table: str) -> None:
        """The rows of `table` are being made."""

    def finish(self, table: str, message: str) -> None:
        """`table` is finished."""


class Lines:
    """One line per finished table."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def begin(self, table: str) -> None:
        """Print nothing yet."""

    def finish(self, table: str, message: str) -> None:
        """Print the line."""
        print(f"{table}: {message}", flush=True)


class Bar(Lines):
    """The same lines above a bar that counts tables."""

    def __init__(self, total: int) -> None:
        self._bar: tqdm[NoReturn] = tqdm(total=total, unit="table", leave=False, mininterval=0)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.close()

    def begin(self, table: str) -> None:
        """Name the table beside the bar."""
        self._bar.set_description(table)

    def finish(self, table: str, message: str) -> None:
        """Print the line and move on."""
        self._bar.write(f"{table}: {message}")
        self._bar.update()


class Silent(Lines):
    """Prints nothing."""

    def finish(self, table: str, message: str) -> None:
        """Print nothing."""


def progress_for(*, wanted: bool, total: int) -> Progress:
    """Return a bar if standard error is a terminal, lines if not, nothing if not wanted."""
    if not wanted:
        return Silent()
    return Bar(total) if sys.stderr.isatty() else Lines()
