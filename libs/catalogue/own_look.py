"""How an operator wants a collection to be drawn: the members `color`, `label`, `symbol` and `style` of its file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class OwnLook:
    """The configured members; None or empty if the file omits them."""

    color: str | None = None
    """Colour of all features, `#rrggbb`."""
    label: str | None = None
    """Property that is written beside features."""
    symbol: str | None = None
    """Shape at the middle of features: circle, square, triangle or diamond."""
    column: str | None = None
    """Property that classifies features."""
    title: str | None = None
    """Title of `column`."""
    breaks: tuple[float, ...] = ()
    """Lower bound of each class except the first."""
    colors: tuple[str, ...] = ()
    """Colour of each class of `breaks`, one more than breaks; empty: from yellow to purple."""
    values: tuple[tuple[str, str], ...] = ()
    """Values of the property, each with its colour."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        """Invert `dataclasses.asdict`."""
        return cls(
            **{
                **value,
                "breaks": tuple(value["breaks"]),
                "colors": tuple(value["colors"]),
                "values": tuple((text, color) for text, color in value["values"]),
            }
        )
