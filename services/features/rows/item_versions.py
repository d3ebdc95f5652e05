"""The versions of one feature: since when, and until when, each was the present one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from libs.catalogue.history import SCHEMA, History
from libs.catalogue.model import Collection
from libs.ogc.errors import Uncomputable
from libs.ogc.temporal import parse_instant
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, ident, join, sql
from libs.selection.ids import has_odd_id, key_condition

MOST = 1000
"""Maximum number of listed versions, the newest."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a feature."""

    start: datetime
    """When it became the present one; the start of the history if that was before."""
    end: datetime | None
    """None for the present version."""


class ItemVersions:
    """Reads the versions of features."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, collection: Collection, item_id: str) -> list[Version]:
        """Return the versions of the feature with this id, the oldest first; none if it never was. Raises Unavailable.

        The collection is that of the present rows.
        """
        condition, history = key_condition(collection, item_id), collection.history
        if condition is None or history is None:
            return []
        since = parse_instant(history.since)
        try:
            rows = await self._database.of(collection.id).fetch(_statement(collection, history, condition, since))
        except Uncomputable:
            if not has_odd_id(collection):
                raise
            return []
        return [Version(max(row[0] or since, since), row[1]) for row in reversed(rows)]


def version_at(versions: Sequence[Version], moment: datetime) -> int | None:
    """Return the index of the version that was present at a time; None if there was none."""
    return next(
        (
            place
            for place, each in enumerate(versions)
            if each.start <= moment and (each.end is None or moment < each.end)
        ),
        None,
    )


def _statement(collection: Collection, history: History, condition: Sql, since: datetime) -> Sql:
    keys = join(", ", [sql("item.{key}", key=ident(key)) for key in history.keys])
    starts = join(", ", [sql("starts.{key}", key=ident(key)) for key in history.keys])
    return sql(
        "SELECT dams_known_from, dams_known_until FROM {versions} WHERE {condition} AND dams_known_until > {since}"
        " UNION ALL SELECT (SELECT starts.dams_known_from FROM {starts_table} AS starts WHERE ({starts}) = ({keys})),"
        " NULL FROM {table} AS item WHERE {condition} ORDER BY 2 DESC NULLS FIRST LIMIT {most}",
        versions=ident(SCHEMA, history.name),
        condition=condition,
        since=bind(since, "timestamptz"),
        starts_table=ident(SCHEMA, history.starts),
        starts=starts,
        keys=keys,
        table=ident(collection.schema, collection.name),
        most=bind(MOST, "int8"),
    )
