"""Trace a handler: the modules of the product that run between its call and its return, in its own task.

`tests/services/test_request_path.py` limits their number (decision 0003).
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

_PRODUCT = ("libs.", "services.")


@contextmanager
def trace_modules(handler: Callable[..., Any]) -> Iterator[set[str]]:
    """Yield the set of modules whose functions run below `handler` from now on, its own module included."""
    code, modules = handler.__code__, set[str]()

    def notice(frame: FrameType, event: str, _: object) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith(_PRODUCT) and name not in modules and _is_below(frame, code):
            modules.add(name)

    sys.setprofile(notice)
    try:
        yield modules
    finally:
        sys.setprofile(None)


def _is_below(frame: FrameType | None, code: CodeType) -> bool:
    while frame is not None:
        if frame.f_code is code:
            return True
        frame = frame.f_back
    return False
