"""What the handlers of this service share: the catalogue, the parts, and links made absolute."""

from collections.abc import Iterable
from dataclasses import replace

from aiohttp import web

from libs.ogc.link import Link
from services.common.catalogue.keeper import CatalogueKeeper
from services.common.parts import PartsClient

KEEPER = web.AppKey("catalogue_keeper", CatalogueKeeper)
PARTS = web.AppKey("parts", PartsClient)


def absolute(base: str, links: Iterable[Link]) -> list[Link]:
    """Links that start with `/`, under the base address."""
    return [replace(link, href=f"{base}{link.href}") if link.href.startswith("/") else link for link in links]
