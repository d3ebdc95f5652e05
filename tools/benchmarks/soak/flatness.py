"""Decide whether a measure stays flat over minutes, even if single minutes differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

_PART = 0.1
"""Part of the median by which the line may rise from the first minute to the last."""


@dataclass(frozen=True, slots=True)
class Course:
    """A measure over time, one value each minute."""

    name: str
    values: Sequence[float]
    floor: float
    """Rise that is always allowed: less is noise."""
    room: float | None = None
    """Size that a cache may reach: below it, a rise is allowed."""

    @property
    def slope(self) -> float:
        """Rise per minute (Theil and Sen): the median of the slopes between all pairs of minutes.

        A minute with a restart does not move it, unlike a line of least squares.
        """
        pairs = combinations(enumerate(self.values), 2)
        return median((later - earlier) / (at - before) for (before, earlier), (at, later) in pairs)

    @property
    def rise(self) -> float:
        """Rise from the first minute to the last, along that slope."""
        return self.slope * (len(self.values) - 1)

    @property
    def is_flat(self) -> bool:
        """Whether it rises by at most a tenth of its median, or by the floor."""
        return self.rise <= max(self.floor, _PART * median(self.values))

    @property
    def is_well(self) -> bool:
        """Whether it is flat, or a cache below its limit."""
        return self.is_flat or (self.room is not None and max(self.values) <= self.room)

    def line(self) -> str:
        """Return one row for people."""
        return (
            f"{self.name:<16} median {median(self.values):>9,.1f}, {min(self.values):,.1f} to {max(self.values):,.1f};"
            f" rises by {self.rise:,.1f}: {self._verdict}"
        )

    @property
    def _verdict(self) -> str:
        if self.is_flat:
            return "flat"
        return f"fills the {self.room:,.0f} that it may have" if self.is_well else "NOT FLAT"
