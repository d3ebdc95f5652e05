"""The Collection resource (OGC API Features, /req/core/sfc-md-success)."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from libs.catalogue.data_queries import INSTANCES, data_queries_json, instance_columns
from libs.catalogue.model import Collection, Publisher
from libs.ogc.crs import CRS84, GREGORIAN
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType
from libs.ogc.service_part import Whole
from libs.web.respond import links_json, representations

OFFERS = (MediaType.JSON, MediaType.HTML)


def collection_json(collection: Collection, whole: Whole, base: str, media_type: str) -> dict[str, Any]:
    """Return the Collection resource, the same by itself and in the list."""
    segment = path_segment(collection.id)
    # fill in only the key: other braces are variables of a template
    filled = [
        replace(entry.link, href=entry.link.href.replace("{collectionId}", segment))
        for entry in whole.collection_links
        if collection.geometries or not entry.needs_geometry
        if instance_columns(collection) or not entry.link.href.partition("{?")[0].endswith(f"/{INSTANCES}")
    ]
    filled += [Link(address, "license", None, words) for words, address in _licences(collection).items()]
    links = [
        *representations(f"{base}/collections/{segment}", media_type, OFFERS),
        *absolute(base, filled),
    ]
    return {
        "id": collection.id,
        "title": collection.title,
        **({"description": collection.description} if collection.description else {}),
        **({"keywords": list(collection.keywords)} if collection.keywords else {}),
        **({"attribution": collection.attribution} if collection.attribution else {}),
        **publication_json(collection),
        **({} if collection.pages_start_behind_rows else {"paging": "offset"}),
        **({"suggestedIdColumn": collection.suggested_key} if collection.suggested_key else {}),
        **({"history": {"since": collection.history.since}} if collection.history is not None else {}),
        "links": links_json(links, media_type),
        **({"extent": extent} if (extent := extent_json(collection)) else {}),
        "itemType": "feature",
        # no OGC standard defines it; ldproxy and ogc-client use this name
        **({"itemCount": collection.item_count} if collection.item_count is not None else {}),
        "crs": list(collection.crs()),
        **({"storageCrs": storage} if (storage := collection.storage_crs()) else {}),
        **data_queries_json(collection, links),
    }


def _licences(collection: Collection) -> dict[str, str]:
    """Return addresses by text: a resource lists the licences of all its parts (/rec/core/fc-md-license)."""
    return {
        **({"Licence of the data": collection.license} if collection.license else {}),
        **{f"{each.title}: {each.licence}": each.licence_url for each in collection.publishers if each.licence_url},
        **dict(collection.part_licenses),
    }


def publication_json(collection: Collection) -> dict[str, Any]:
    """Return the publishers of live data, their rhythm, last document and last change; empty if unknown."""
    if not collection.publishers:
        return {}
    # all in one form and zone, so that texts compare like times
    updated = max(publisher.updated for publisher in collection.publishers)
    publishers = [
        {
            "title": publisher.title,
            "attribution": publisher.attribution,
            "license": publisher.licence,
            **({"licenseUrl": publisher.licence_url} if publisher.licence_url else {}),
            "updateIntervalSeconds": publisher.rhythm_seconds,
            "updated": publisher.updated,
            **({"lastDocument": publisher.issued} if publisher.issued else {}),
            **({"delaySeconds": delay} if (delay := _delay_seconds(publisher)) is not None else {}),
            **({"isSilent": True} if publisher.is_silent else {}),
        }
        for publisher in collection.publishers
    ]
    return {"updated": updated, "publishers": publishers}


def _delay_seconds(publisher: Publisher) -> int | None:
    """Return the time from the issue of the newest document to the last change; None if it changed nothing yet."""
    if publisher.issued is None:
        return None
    delay = datetime.fromisoformat(publisher.updated) - datetime.fromisoformat(publisher.issued)
    return int(delay.total_seconds()) if delay >= timedelta(0) else None


def extent_json(collection: Collection) -> dict[str, Any]:
    """Return spatial and temporal extent, without unknown parts."""
    geometry = collection.geometry()
    start, end = collection.temporal_extent()
    spatial = {"spatial": {"bbox": [list(geometry.bbox)], "crs": CRS84}} if geometry and geometry.bbox else {}
    temporal = {"temporal": {"interval": [[start, end]], "trs": GREGORIAN}} if start or end else {}
    return spatial | temporal


def facts(collection: Collection) -> dict[str, Any]:
    """Return the facts on a collection's page that are not in its document."""
    geometry = collection.geometry()
    return {
        "rows": collection.rows,
        "bbox": geometry.bbox if geometry else None,
        "geometry_type": geometry.type if geometry else None,
        "properties": collection.columns,
        "time": collection.temporal_extent(),
        "as_of": collection.as_of(),
        "time_columns": collection.period_columns() or [time for time in (collection.time(),) if time],
    }


def absolute(base: str, links: Iterable[Link]) -> list[Link]:
    """Put links that start with `/` below the base address."""
    return [replace(link, href=f"{base}{link.href}") if link.href.startswith("/") else link for link in links]
