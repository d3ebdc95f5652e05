"""Links to a resource in each of its formats."""

from collections.abc import Iterable

from libs.ogc.link import Link
from libs.ogc.media_type import FORMAT_NAMES


def representations(address: str, media_type: str, offers: Iterable[str]) -> list[Link]:
    """Return `self` for the current representation and `alternate` for each other one (/rec/core/link-alternate)."""
    joiner = "&" if "?" in address else "?"
    return [
        Link(
            f"{address}{joiner}f={FORMAT_NAMES[offer]}",
            "self" if offer == media_type else "alternate",
            offer,
            f"This document as {FORMAT_NAMES[offer]}",
        )
        for offer in sorted(offers, key=lambda offer: offer != media_type)
    ]
