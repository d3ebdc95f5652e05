"""The collections file's settings of the landing page for one collection."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _names(value: object) -> object:
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("must be a list of texts")
    return tuple(value)


class Asked(BaseModel):
    """Selects active features if they have an end, else those of the last `days`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    at_least: Mapping[str, float] = Field(default_factory=dict)
    """Minimum values of numbers, by column."""
    unset: Annotated[tuple[str, ...], BeforeValidator(_names)] = ()
    """Columns that must be empty, such as the one of a withdrawal."""
    days: Annotated[int, Field(strict=True, ge=1, le=3660)] = 30
