"""Identifiers by which other data sets join a cyclone of GDACS: its GLIDE number, and the countries that it affects."""

import re
from collections.abc import Sequence
from typing import Any

from deploy.loader.records import storms as tables
from deploy.loader.records.storms import StormEvent, StormIdentifiers
from deploy.loader.records.target import Batch, Rename
from deploy.loader.sources import gdacs
from deploy.loader.storms.identity import ALL_TABLES, is_same

_CODE = re.compile(r"[A-Z]{3}\Z")


def glide_of(said: dict[str, Any]) -> str | None:
    """Return the GLIDE number of the properties of an event; None if it has none."""
    return str(said.get("glide") or "").strip() or None


def countries_of(said: dict[str, Any]) -> str | None:
    """Return the ISO 3166-1 alpha-3 codes of the affected countries, else of the country with the centre."""
    listed = said.get("affectedcountries")
    codes = [each.get("iso3") for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    known = [str(code).strip().upper() for code in codes or [said.get("iso3")]]
    return ", ".join(dict.fromkeys(code for code in known if _CODE.match(code))) or None


def leave_to_others(event: StormEvent, identifiers: StormIdentifiers, found: Sequence[StormEvent]) -> Batch:
    """Merge the event with the same storm of another source, which has more data; then its own rows are not written.

    Only its identifiers are, as those of the other source's event.
    """
    others = [other for other in found if other.source != gdacs.SOURCE_NAME and is_same(event, other)]
    if others:
        other = others[0]
        own = identifiers._replace(event_id=other.event_id, start_date=other.start_date, geom=other.geom)
        renames = [Rename(ALL_TABLES, event.event_id, other.event_id), *_glide(identifiers, other.event_id)]
        return Batch([(tables.IDENTIFIERS, own)], renames=renames)
    # an event that is not stored may be merged with another one, which it has to stay
    is_stored = any(each.event_id == event.event_id for each in found)
    return Batch((), renames=_glide(identifiers, event.event_id) if is_stored else [])


def _glide(identifiers: StormIdentifiers, event_id: str) -> list[Rename]:
    """Return the GLIDE number as another identifier of an event."""
    return [Rename((), identifiers.glide_number, event_id)] if identifiers.glide_number else []
