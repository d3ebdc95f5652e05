"""What a selection needs of a request. `libs.web` has the real one; this library does not know about HTTP."""

from collections.abc import Mapping
from typing import Any, Protocol


class FaultCollector(Protocol):
    """Checked query parameters, and a place to put faults."""

    @property
    def values(self) -> Mapping[str, Any]:
        """Declared parameters by name, with their type; None where absent."""
        ...

    @property
    def extra(self) -> Mapping[str, str]:
        """Other parameters, as text: property queries."""
        ...

    def fault(self, name: str, msg: str, kind: str = "value_error", value: object = None) -> None:
        """Add a fault of the parameter `name`."""
        ...
