"""Make the links of the parts absolute."""

from collections.abc import Iterable
from dataclasses import replace

from libs.ogc.link import Link


def absolute(base: str, links: Iterable[Link]) -> list[Link]:
    """Put links that start with `/` below the base address."""
    return [replace(link, href=f"{base}{link.href}") if link.href.startswith("/") else link for link in links]
