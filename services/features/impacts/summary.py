"""The figure of an event, as documents have it."""

from collections.abc import Mapping
from typing import Any

_SHOWN = ("zone", "label", "kind", "people", "places", "areas", "quality", "data", "year")


def summary_of(headline: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the stored headline with its sentence, without what only the sentence needs."""
    return {"text": text, **{name: headline[name] for name in _SHOWN}}
