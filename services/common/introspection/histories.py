"""The tables of which earlier versions of rows are kept."""

from dataclasses import replace

from libs.catalogue.history import History
from libs.catalogue.model import Collection
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import sql

# a database without this schema does not have the function, and another role may not be allowed to call it
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'dams' AND p.proname = 'histories' AND has_schema_privilege(n.oid, 'USAGE') "
    "AND has_function_privilege(p.oid, 'EXECUTE') "
    "AND has_schema_privilege(to_regnamespace('dams_history')::oid, 'USAGE')"
)
_HISTORIES = sql("SELECT relation::bigint AS oid, name, since, keys FROM dams.histories()")


class Histories:
    """Reads which tables have a history, and since when."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # by id: the original, and the completed collection
        self._filled: dict[str, tuple[Collection, Collection]] = {}

    async def fill_in(self, collections: tuple[Collection, ...]) -> tuple[Collection, ...]:
        """Return the collections with `history`; unchanged ones are the same objects. Raises Unavailable."""
        (has,) = await self._database.fetch(_HAS)
        rows = await self._database.fetch(_HISTORIES) if has["has"] else ()
        histories = {row["oid"]: History(row["name"], rfc3339(row["since"]), tuple(row["keys"])) for row in rows}
        filled = {each.id: (each, self._with(each, histories.get(each.oid))) for each in collections}
        self._filled = {name: each for name, each in filled.items() if each[1].history is not None}
        return tuple(each for _, each in filled.values())

    def _with(self, collection: Collection, history: History | None) -> Collection:
        if history is None or collection.kind != "table" or not collection.id_columns:
            return collection
        original, completed = self._filled.get(collection.id, (None, None))
        if original is collection and completed is not None and completed.history == history:
            return completed
        return replace(collection, history=history)
