"""What the handlers of this service share: the parts, and links made absolute."""

from collections.abc import Iterable
from dataclasses import replace

from aiohttp import web

from libs.ogc.link import Link
from services.common.parts import PartsClient

PARTS = web.AppKey("parts", PartsClient)


def absolute(base: str, links: Iterable[Link]) -> list[Link]:
    """Links that start with `/`, under the base address."""
    return [replace(link, href=f"{base}{link.href}") if link.href.startswith("/") else link for link in links]
