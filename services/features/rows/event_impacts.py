"""Impacts of events, as deploy.impact has computed and stored them."""

from dataclasses import dataclass
from typing import Any

import orjson

from libs.ogc.errors import Unavailable
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, sql

# databases that another program fills lack the table, and a role may lack the right to read it
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = 'impact' AND c.relname = 'event' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')"
)


@dataclass(frozen=True, slots=True)
class Impact:
    """What is stored of an event. document: the tables that were asked for; None where only the headline was."""

    event_id: str
    digest: str
    computed: str
    has_zones: bool
    headline: dict[str, Any] | None
    document: dict[str, Any] | None = None


class EventImpacts:
    """Impacts in the table impact.event."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def are_computed(self) -> bool:
        """Return whether this database has impacts. Raise Unavailable."""
        (has,) = await self._database.fetch(_HAS)
        return bool(has["has"])

    async def people(self, event: str) -> Impact | None:
        """Return the impact with its tables of people; None if it is not computed yet. Raise Unavailable."""
        return await self._read(event, sql("impact::text"))

    async def known(self, event: str) -> Impact | None:
        """Return the impact with its tables of people where the database answers; else None, as for an unknown one."""
        try:
            return await self.people(event)
        except Unavailable:
            return None

    async def facilities(self, event: str) -> Impact | None:
        """Return the impact with its facilities; None if it is not computed yet. Raise Unavailable."""
        return await self._read(event, sql("facilities::text"))

    async def _read(self, event: str, document: Sql) -> Impact | None:
        # PostgreSQL cannot store U+0000
        if "\0" in event or not await self.are_computed():
            return None
        rows = await self._database.fetch(
            sql(
                "SELECT event_id, digest, computed, has_zones, headline::text AS headline, {document} AS document "
                "FROM impact.event WHERE event_id = {event}",
                document=document,
                event=bind(event, "text"),
            )
        )
        if not rows:
            return None
        (row,) = rows
        return Impact(
            row["event_id"],
            row["digest"],
            rfc3339(row["computed"]),
            row["has_zones"],
            None if row["headline"] is None else orjson.loads(row["headline"]),
            orjson.loads(row["document"]),
        )
