"""Whether what was measured once a minute stays, however much single minutes differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

_PART = 0.1
"""Of the median, which the line may rise from the first minute to the last."""


@dataclass(frozen=True, slots=True)
class Course:
    """A measure over time, one value each minute."""

    name: str
    values: Sequence[float]
    floor: float
    """What it may rise by in any case: less than that is noise."""
    room: float | None = None
    """What a cache may fill: below that it may rise."""

    @property
    def slope(self) -> float:
        """By how much it rises in a minute (Theil and Sen): the median of the slopes between all pairs of minutes.

        A minute in which something was restarted does not move it, as it would the line of least squares.
        """
        pairs = combinations(enumerate(self.values), 2)
        return median((later - earlier) / (at - before) for (before, earlier), (at, later) in pairs)

    @property
    def rise(self) -> float:
        """From the first minute to the last, along that slope."""
        return self.slope * (len(self.values) - 1)

    @property
    def is_flat(self) -> bool:
        """Whether it does not rise by more than a tenth of its median, or by the floor."""
        return self.rise <= max(self.floor, _PART * median(self.values))

    @property
    def is_well(self) -> bool:
        """Whether it is flat, or a cache that has room."""
        return self.is_flat or (self.room is not None and max(self.values) <= self.room)

    def line(self) -> str:
        """One row for people."""
        return (
            f"{self.name:<16} median {median(self.values):>9,.1f}, {min(self.values):,.1f} to {max(self.values):,.1f};"
            f" rises by {self.rise:,.1f}: {self._verdict}"
        )

    @property
    def _verdict(self) -> str:
        if self.is_flat:
            return "flat"
        return f"fills the {self.room:,.0f} that it may have" if self.is_well else "NOT FLAT"
