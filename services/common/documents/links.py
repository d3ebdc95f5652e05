"""Links of the parts, made absolute."""

from collections.abc import Iterable
from dataclasses import replace

from libs.ogc.link import Link


def absolute(base: str, links: Iterable[Link]) -> list[Link]:
    """Links that start with `/`, under the base address."""
    return [replace(link, href=f"{base}{link.href}") if link.href.startswith("/") else link for link in links]
