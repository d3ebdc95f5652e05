"""How the loader shows what it does: a bar on a terminal, plain lines elsewhere."""

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

    def building(self, table: str) -> None:
        """The rows of `table` are being made."""

    def done(self, table: str, message: str) -> None:
        """`table` is finished."""


class Lines:
    """One line per finished table."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def building(self, table: str) -> None:
        """Nothing to say yet."""

    def done(self, table: str, message: str) -> None:
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

    def building(self, table: str) -> None:
        """Name the table beside the bar."""
        self._bar.set_description(table)

    def done(self, table: str, message: str) -> None:
        """Print the line and move on."""
        self._bar.write(f"{table}: {message}")
        self._bar.update()


class Silent(Lines):
    """Nothing."""

    def done(self, table: str, message: str) -> None:
        """Say nothing."""


def progress_for(*, wanted: bool, total: int) -> Progress:
    """A bar where standard error is a terminal, lines where not, nothing where not wanted."""
    if not wanted:
        return Silent()
    return Bar(total) if sys.stderr.isatty() else Lines()
