"""A feed in Atom (RFC 4287), with places in GeoRSS Simple and paging after RFC 5005."""

from collections.abc import Iterable
from datetime import datetime
from xml.etree import ElementTree as ET

from libs.catalogue.model import Collection
from libs.ogc.link import Link
from libs.ogc.media_type import MediaType
from libs.ogc.temporal import rfc3339
from services.features.feeds.entry import Entry
from services.features.feeds.xml import add, document

CAP_TYPE = "application/cap+xml"
_ATOM, _GEORSS = "http://www.w3.org/2005/Atom", "http://www.georss.org/georss"
ET.register_namespace("", _ATOM)
ET.register_namespace("georss", _GEORSS)


def feed(
    collection: Collection,
    entries: Iterable[Entry],
    links: Iterable[Link],
    *,
    feed_id: str,
    updated: datetime,
    author: str,
    has_alerts: bool = False,
) -> bytes:
    """Return the feed. `feed_id` is the same for all pages; with `has_alerts`, entries link to their alerts."""
    root = ET.Element(f"{{{_ATOM}}}feed")
    _add(root, "id", feed_id)
    _add(root, "title", collection.title)
    if collection.description:
        _add(root, "subtitle", collection.description)
    _add(root, "updated", rfc3339(updated))
    # an entry without its own author takes the feed's (section 4.1.1)
    _add(_add(root, "author"), "name", collection.attribution or author)
    if collection.license:
        _add(root, "link", rel="license", href=collection.license)
    for words, address in collection.part_licenses:
        _add(root, "link", rel="license", href=address, title=words)
    for link in links:
        _add(root, "link", rel=link.rel, href=link.href, **({"type": link.type} if link.type else {}))
    for entry in entries:
        _entry(_add(root, "entry"), entry, has_alerts=has_alerts)
    return document(root)


def _entry(element: ET.Element, entry: Entry, *, has_alerts: bool) -> None:
    _add(element, "id", entry.id)
    _add(element, "title", entry.title)
    _add(element, "updated", rfc3339(entry.updated))
    if entry.published is not None:
        _add(element, "published", rfc3339(entry.published))
    if entry.address is not None:
        _add(element, "link", rel="alternate", type=str(MediaType.HTML), href=f"{entry.address}?f=html")
        _add(element, "link", rel="alternate", type="application/geo+json", href=f"{entry.address}?f=geojson")
        if has_alerts:
            _add(element, "link", rel="alternate", type=CAP_TYPE, href=f"{entry.address}/cap")
    _add(element, "summary", entry.summary or entry.title, type="text")
    if entry.box is not None:
        west, south, east, north = (f"{number:.9g}" for number in entry.box)
        if (west, south) == (east, north):
            add(element, f"{{{_GEORSS}}}point", f"{south} {west}")
        else:
            add(element, f"{{{_GEORSS}}}box", f"{south} {west} {north} {east}")


def _add(parent: ET.Element, name: str, text: str | None = None, **attributes: str) -> ET.Element:
    return add(parent, f"{{{_ATOM}}}{name}", text, **attributes)
