"""Faults of records, and how to describe them."""

from typing import Any, Protocol, runtime_checkable

import shapely

FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, shapely.errors.ShapelyError)
"""Errors that reading an invalid record raises."""


@runtime_checkable
class _Checked(Protocol):
    """The part of pydantic's ValidationError that is used here; programs without pydantic import this module too."""

    def errors(self) -> list[Any]:
        """Return the faults, each with its location `loc` and its message `msg`."""


def reason(error: Exception) -> str:
    """Describe a fault of a record in one line; `error` is one of FAULTS."""
    if isinstance(error, _Checked):
        # the first two faults, by name
        faults = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
        more = f" and {len(faults) - 2} more" if len(faults) > 2 else ""
        return "; ".join(faults[:2]) + more
    if isinstance(error, KeyError):
        return f"it has no {error}"
    if isinstance(error, AttributeError | IndexError | TypeError):
        return f"its form is not the one that the source publishes ({error})"
    return str(error) or type(error).__name__
