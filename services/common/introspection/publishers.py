"""The publishers of a collection's data, as the database's loader records them."""

from dataclasses import replace

from libs.catalogue.model import Collection, Publisher
from libs.ogc.temporal import rfc3339
from libs.pg.pool import Database
from libs.pg.sql import sql

# a database without this schema does not have the function, and another role may not be allowed to call it
_HAS = sql(
    "SELECT count(*) > 0 AS has FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace "
    "WHERE n.nspname = 'dams' AND p.proname = 'data_sources' "
    "AND has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')"
)
_PUBLISHERS = sql(
    "SELECT relation::bigint AS oid, title, licence, licence_url, attribution, "
    "extract(epoch FROM rhythm)::bigint AS rhythm_seconds, date_trunc('second', changed) AS changed, "
    "date_trunc('second', issued) AS issued, "
    "checked IS NULL OR checked < now() - greatest(3 * rhythm, interval '1 hour') AS is_silent "
    "FROM dams.data_sources() ORDER BY title"
)


class Publishers:
    """Reads the publishers of tables; each read is a statement of some tenths of a millisecond."""

    def __init__(self, database: Database) -> None:
        self._database = database
        # by id: the original, its publishers, and the completed collection
        self._filled: dict[str, tuple[Collection, tuple[Publisher, ...], Collection]] = {}

    async def fill_in(self, collections: tuple[Collection, ...]) -> tuple[Collection, ...]:
        """Return the collections with `publishers` and their attribution; unchanged ones are the same objects.

        A view has the publishers of its tables. Raises Unavailable.
        """
        by_relation = await self._read()
        if not by_relation:
            return collections
        filled = {collection.id: self._with(collection, by_relation) for collection in collections}
        self._filled = {name: each for name, each in filled.items() if each[1]}
        return tuple(each[2] for each in filled.values())

    def _with(
        self, collection: Collection, by_relation: dict[int, list[Publisher]]
    ) -> tuple[Collection, tuple[Publisher, ...], Collection]:
        relations = dict.fromkeys((collection.oid, *collection.sources))
        publishers = tuple(each for relation in relations for each in by_relation.get(relation, ()))
        before = self._filled.get(collection.id)
        if not publishers:
            return collection, (), collection
        if before is not None and before[0] is collection and before[1] == publishers:
            return before
        attribution = "; ".join(dict.fromkeys(publisher.attribution for publisher in publishers))
        return collection, publishers, replace(collection, publishers=publishers, attribution=attribution)

    async def _read(self) -> dict[int, list[Publisher]]:
        (has,) = await self._database.fetch(_HAS)
        found: dict[int, list[Publisher]] = {}
        for row in await self._database.fetch(_PUBLISHERS) if has["has"] else ():
            publisher = Publisher(
                title=row["title"],
                licence=row["licence"],
                licence_url=row["licence_url"],
                attribution=row["attribution"],
                rhythm_seconds=row["rhythm_seconds"],
                updated=rfc3339(row["changed"]),
                issued=rfc3339(row["issued"]) if row["issued"] else None,
                is_silent=row["is_silent"],
            )
            found.setdefault(row["oid"], []).append(publisher)
        return found
