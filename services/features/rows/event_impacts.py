"""Impacts of events, as deploy.impact has computed and stored them."""

from collections.abc import Collection as Collection_
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from libs.catalogue.impacts import FORMAT, HAS_IMPACTS, HAS_WORKER, HAS_ZONES, WORKER
from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.ogc.errors import Unavailable
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, sql
from libs.web.languages import gettext
from libs.web.page_text import clock

_HAS_ZONES = sql("has_zones")


@dataclass(frozen=True, slots=True)
class Impact:
    """The stored impact of an event: the requested tables as `document`, None if only the headline was requested."""

    event_id: str
    digest: str
    computed: str
    has_zones: bool
    """True if figures of the requested kind (people or facilities) exist."""
    headline: dict[str, Any] | None
    document: dict[str, Any] | None = None
    has_raster: bool = False
    """Whether there is a GeoTIFF of its wind or shaking."""


@dataclass(frozen=True, slots=True)
class Summary:
    """The figure of an event. headline: None where it has no zones."""

    event_id: str
    title: str
    headline: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class MadeZones:
    """Zones of an event that no collection has: digest of its impact; rows of geometry in WKB and `ZONE_COLUMNS`."""

    digest: str
    rows: list[tuple[Any, ...]]


ZONE_COLUMNS = {
    "zone": "text", "kind": "text", "label": "text", "people": "int64", "area_km2": "float64",
    "from_intensity": "float64",
}  # fmt: skip
"""Columns of `MadeZones` after the geometry, and their types."""


class EventImpacts:
    """Impacts in the table impact.event."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def are_computed(self) -> bool:
        """Return whether this database has impacts. Raise Unavailable."""
        (has,) = await self._database.fetch(HAS_IMPACTS)
        return bool(has["has"])

    async def people(self, event: str) -> Impact | None:
        """Return the impact with its tables of people; None if it is not computed yet. Raise Unavailable."""
        return await self._read(event, sql("impact::text"))

    async def find(self, event: str) -> Impact | None:
        """Return the impact with its tables of people where the database answers; else None, as for an unknown one."""
        try:
            return await self.people(event)
        except Unavailable:
            return None

    async def facilities(self, event: str) -> Impact | None:
        """Return the impact with its facilities; None if it is not computed yet. Raise Unavailable."""
        return await self._read(event, sql("facilities::text"), sql("has_facilities"))

    async def trouble(self) -> str | None:
        """Return why figures may be missing or older than the data; None while the worker is at work."""
        try:
            (has,) = await self._database.fetch(HAS_WORKER)
            if not has["has"]:
                # the schema of an earlier release does not describe the worker
                return None
            rows = await self._database.fetch(WORKER)
        except Unavailable:
            return None
        if not rows:
            return gettext("The worker that computes impacts has not run yet.")
        (row,) = rows
        if row["is_late"]:
            late = gettext(
                "The worker that computes impacts has not run since %(time)s. Later changes are not counted."
            )
            return late % {"time": clock(rfc3339(row["seen"]))}
        if row["fails"]:
            return gettext(
                "The worker that computes impacts reports an error and tries again. The last changes are not counted."
            )
        return None

    async def raster(self, event: str) -> tuple[str, bytes] | None:
        """Return the digest and the GeoTIFF of wind or shaking; None if there is none. Raise Unavailable."""
        if "\0" in event or not await self.are_computed():
            return None
        rows = await self._database.fetch(
            sql("SELECT digest, tif FROM impact.raster WHERE event_id = {event}", event=bind(event, "text"))
        )
        return (rows[0]["digest"], bytes(rows[0]["tif"])) if rows else None

    async def made_zones(self, event: str) -> MadeZones:
        """Return the zones that deploy.impact made, the widest first; none without a table. Raise Unavailable."""
        if "\0" in event or not await self.are_computed() or not (await self._database.fetch(HAS_ZONES))[0]["has"]:
            return MadeZones("", [])
        rows = await self._database.fetch(
            sql(
                "SELECT e.digest, ST_AsBinary(z.geom) AS geom, z.zone, z.kind, d ->> 'label' AS label, "
                "(d ->> 'people')::bigint AS people, (d ->> 'areaKm2')::float8 AS area_km2, "
                "(d ->> 'fromIntensity')::float8 AS from_intensity "
                "FROM impact.zone z JOIN impact.event e USING (event_id) "
                "JOIN LATERAL jsonb_array_elements(e.impact -> 'zones') d "
                "ON d ->> 'zone' = z.zone AND d ->> 'kind' = z.kind "
                "WHERE z.event_id = {event} ORDER BY area_km2 DESC, z.zone",
                event=bind(event, "text"),
            )
        )
        return MadeZones(rows[0]["digest"] if rows else "", [tuple(row)[1:] for row in rows])

    async def headlines(
        self, collection: Collection, features: Iterable[Mapping[str, Any]]
    ) -> Mapping[str, Mapping[str, Any]]:
        """Return the headlines of the events of features, by event; without those that have none, or are not known.

        A database that does not respond gives none: a feed without numbers is better than no feed.
        """
        # the versions, and so the entity tags, of other collections do not follow the impacts
        if collection.impact_source is None:
            return {}
        events = {str(event) for feature in features if (event := feature["properties"].get(EVENT_KEY)) is not None}
        try:
            return {each.event_id: each.headline for each in await self.summaries(events) if each.headline is not None}
        except Unavailable:
            return {}

    async def summaries(self, events: Collection_[str]) -> list[Summary]:
        """Return the summaries of those events that are computed, by identifier. Raise Unavailable."""
        # PostgreSQL cannot store U+0000
        known = sorted(event for event in set(events) if "\0" not in event)
        if not known or not await self.are_computed():
            return []
        rows = await self._database.fetch(
            sql(
                "SELECT event_id, impact ->> 'title' AS title, headline::text AS headline FROM impact.event "
                "WHERE event_id = ANY({events}) AND (impact ->> 'format')::int = {format} ORDER BY event_id",
                events=bind(known, "text[]"),
                format=bind(FORMAT, "int4"),
            )
        )
        return [
            Summary(
                row["event_id"],
                row["title"],
                None if row["headline"] is None else orjson.loads(row["headline"]),
            )
            for row in rows
        ]

    async def _read(self, event: str, document: Sql, has_figures: Sql = _HAS_ZONES) -> Impact | None:
        # PostgreSQL cannot store U+0000
        if "\0" in event or not await self.are_computed():
            return None
        rows = await self._database.fetch(
            sql(
                "SELECT event_id, digest, computed, {has_figures} AS has_zones, "
                "headline::text AS headline, {document} AS document, "
                "EXISTS (SELECT FROM impact.raster r WHERE r.event_id = e.event_id) AS has_raster "
                "FROM impact.event e WHERE event_id = {event}",
                document=document,
                has_figures=has_figures,
                event=bind(event, "text"),
            )
        )
        if not rows:
            return None
        (row,) = rows
        tables = orjson.loads(row["document"])
        if tables.pop("format", None) != FORMAT:
            return None
        return Impact(
            row["event_id"],
            row["digest"],
            rfc3339(row["computed"]),
            row["has_zones"],
            None if row["headline"] is None else orjson.loads(row["headline"]),
            tables,
            row["has_raster"],
        )


_SHOWN = ("zone", "label", "kind", "people", "places", "areas", "quality", "data", "year")


def summary_of(headline: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the stored headline with its sentence, without what only the sentence needs."""
    return {"text": text, **{name: headline[name] for name in _SHOWN}}
