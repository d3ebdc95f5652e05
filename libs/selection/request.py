"""The part of a request that a selection needs. `libs.web` implements it; this library does not depend on HTTP."""

from collections.abc import Mapping
from typing import Any, Protocol


class FaultCollector(Protocol):
    """Checked query parameters, and a list of faults to add to."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Declared parameters by name, in their types; None if absent."""
        ...

    @property
    def extra(self) -> Mapping[str, str]:
        """Other parameters, as text: property queries."""
        ...

    def fault(self, name: str, msg: str, kind: str = "value_error", value: object = None) -> None:
        """Add a fault of the parameter `name`."""
        ...
