"""The stored earlier versions of a table's rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

SCHEMA = "dams_history"


@dataclass(frozen=True, slots=True)
class History:
    """The stored earlier versions of a table's rows."""

    name: str
    """Name in `SCHEMA` of the table of versions, and of the function that returns the rows at a time."""
    since: str
    """The earliest time of which the rows are known, RFC 3339."""
    keys: tuple[str, ...]
    """The columns of the table's primary key."""

    @property
    def starts(self) -> str:
        """Name in `SCHEMA` of the table of times since when current rows are as they are."""
        return f"{self.name} starts"

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Invert `asdict`."""
        return cls(value["name"], value["since"], tuple(value["keys"]))
