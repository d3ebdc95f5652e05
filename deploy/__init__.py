"""Deployment: database schema, demo data, the local stack."""

import sys
from types import TracebackType


def _print_interrupt(kind: type[BaseException], error: BaseException, traceback: TracebackType | None, /) -> None:
    """Report Ctrl-C in a word, wherever it comes, while modules are imported, too."""
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
    else:
        sys.__excepthook__(kind, error, traceback)


sys.excepthook = _print_interrupt
