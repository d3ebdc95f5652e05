"""The active systems of the Joint Typhoon Warning Center and their products: its RSS feed.

The feed has an item for each ocean, whose description links to the products of each system: `wp2726web.txt` (text),
`wp2726.tcw` (JMV 3.0 data), pictures and others. Numbers from 90 are those of systems under investigation.
"""

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from deploy.loader.source import Document, DocumentError
from deploy.loader.storms.atcf import is_number

ADDRESS = "https://www.metoc.navy.mil/jtwc/rss/jtwc.rss"
_PRODUCT = re.compile(r"(https?://[^\s'\"<>]+/([a-z]{2})(\d\d)(\d\d)(web\.txt|\.tcw))", re.IGNORECASE)
_OUTLOOK = re.compile(r"https?://[^\s'\"<>]+/ab(?:pw|io)web\.txt", re.IGNORECASE)
_FIRST_TEST = 50
"""Storms from this number on are exercises; those from 90 are systems under investigation."""
_FIRST_INVEST = 90


class Product(NamedTuple):
    """The address of a product and the ATCF number of its system."""

    address: str
    number: str
    is_data: bool


def is_feed(text: str) -> bool:
    """Return whether the text may be the feed."""
    return "<rss" in text[:1000]


def outlooks_of(text: str) -> list[str]:
    """Return the addresses of the significant tropical weather advisories that the feed links to."""
    return list(dict.fromkeys(_OUTLOOK.findall(html.unescape(text))))


def products_of(document: Document, text: str) -> list[Product]:
    """Return the products of the feed, in its order. Raises DocumentError if it is another document, or truncated."""
    if not is_feed(text) or "<item" not in text or "</rss>" not in text:
        raise DocumentError(f"{document.address} is not the feed of warnings, or not whole")
    found = []
    for address, basin, count, year, ending in dict.fromkeys(_PRODUCT.findall(html.unescape(text))):
        number = f"{basin.upper()}{count}20{year}"
        if is_number(number) and not _FIRST_TEST <= int(count) < _FIRST_INVEST:
            found.append(Product(address, number, ending.casefold() == ".tcw"))
    return found


def addresses_of(products: list[Product]) -> Iterator[str]:
    """Yield one product of each system: the data of numbered storms, the text of others."""
    texts = {product.number: product.address for product in products if not product.is_data}
    data = {product.number: product.address for product in products if product.is_data}
    for number in dict.fromkeys(product.number for product in products):
        is_invest = int(number[2:4]) >= _FIRST_INVEST
        first, second = (texts, data) if is_invest else (data, texts)
        yield first.get(number) or second[number]
