"""Events that are now listed under another identifier."""

from libs.pg.pool import Database
from libs.pg.sql import bind, sql

# databases filled by other programs do not have this function, and a role may not be allowed to call it
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'dams' AND p.proname = 'event_of_alias' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')"
)


class EventAliases:
    """Aliases of events, recorded by the loader of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def event_of(self, identifier: str) -> str | None:
        """Return the event that has this identifier as an alias; None without one. Raise Unavailable."""
        (has,) = await self._database.fetch(_HAS)
        # PostgreSQL cannot store U+0000
        if not has["has"] or "\0" in identifier:
            return None
        (row,) = await self._database.fetch(
            sql("SELECT dams.event_of_alias({alias}) AS event", alias=bind(identifier, "text"))
        )
        return None if row["event"] is None else str(row["event"])
