"""Decides which features are news. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from deploy.notifier.configuration import Severity, Subscription


class Change(StrEnum):
    """News about an event."""

    NEW = "new"
    UPGRADED = "upgraded"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Level:
    """Numbers of steps that an event has reached; 0 is below the first."""

    severity: int
    people: int

    @property
    def is_news(self) -> bool:
        """Return whether both thresholds are reached."""
        return self.severity > 0 and self.people > 0

    def is_above(self, other: "Level") -> bool:
        """Return whether a step is higher than the other's."""
        return self.severity > other.severity or self.people > other.people

    def with_highest(self, other: "Level") -> "Level":
        """Return the higher steps of both."""
        return Level(max(self.severity, other.severity), max(self.people, other.people))


def level_of(subscription: Subscription, properties: Mapping[str, Any], people: int | None) -> Level:
    """Return the steps that a feature reaches. An unknown number of people reaches none."""
    severity = 1 if subscription.severity is None else _steps(subscription.severity, properties)
    counted = sum((people or 0) >= step for step in subscription.people) if subscription.people else 1
    return Level(severity, counted)


def change_of(known: Level | None, present: Level, *, is_told: bool, cancelled: bool) -> Change | None:
    """Return the news about an event, or None.

    `known` are the highest steps so far, None for an unknown event; `is_told` says whether its subscriber knows it.
    """
    if cancelled:
        return Change.CANCELLED if known is not None and is_told else None
    if not present.is_news:
        return None
    if known is None:
        return Change.NEW
    return Change.UPGRADED if present.is_above(known) else None


def _steps(severity: Severity, properties: Mapping[str, Any]) -> int:
    value = properties.get(severity.property_)
    if severity.is_of_words:
        words = [str(step).casefold() for step in severity.steps]
        return words.index(str(value).casefold()) + 1 if str(value).casefold() in words else 0
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return sum(value >= float(step) for step in severity.steps)
