"""Rows on which a geometry or a condition fails, such as a position that PROJ cannot transform.

They do not fail the request.
"""

import asyncio
import logging
from dataclasses import replace

from cachetools import TTLCache

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.ogc.errors import StoredValueError
from libs.pg.halving import failing_places
from libs.pg.pool import Statements
from libs.pg.snapshot import Snapshot
from libs.pg.sql import Sql, all_of, bind, ident, sql
from libs.selection.selection import Selection
from services.features.rows.layout import OMITTED, GeometriesOf, Row, RowPlan

_LOG = logging.getLogger("dams.features")

SECONDS = 5.0
"""Maximum time to find the failing rows, in seconds; without a key, each attempt scans the table."""
_MOST_ROWS = 50_000
"""Maximum size of a collection to search, in rows: each row is tested."""
_REMEMBERED, _REMEMBERED_SECONDS = 1000, 60.0


class FailingRows:
    """Finds failing rows, and remembers the conditions that exclude them for a minute.

    A condition that fails on a row counts as not true: the row does not match.
    """

    def __init__(self, versions: DataVersions) -> None:
        self._versions = versions
        self._known: TTLCache[tuple[str, ...], tuple[Sql, int]] = TTLCache(_REMEMBERED, _REMEMBERED_SECONDS)

    def exclude_known(self, selection: Selection) -> Selection:
        """Return the selection without the rows on which it is known to fail."""
        if not self._known:
            return selection
        known = self._known.get(self._name(selection))
        return selection if known is None else _exclude(selection, *known)

    async def find(self, database: Statements | Snapshot, selection: Selection) -> Selection:
        """Return the selection without the rows on which its conditions fail; `exclude_known` returns it from now on.

        Raises StoredValueError if the conditions are not at fault, the rows have no identity, or too many must be
        tested.
        """
        identity, name = _identity(selection.collection), self._name(selection)
        if identity is None or not selection.conditions or selection.failing:
            raise StoredValueError
        if (known := self._known.get(name)) is not None:
            # another request has found them in the meantime
            return _exclude(selection, *known)
        until = asyncio.get_running_loop().time() + SECONDS
        candidates = sql(
            "SELECT ({identity})::text FROM {table} AS item WHERE ({identity}) IS NOT NULL LIMIT {most}",
            identity=identity,
            table=selection.table,
            most=bind(_MOST_ROWS + 1, "int8"),
        )
        rows = [str(row[0]) for row in await database.fetch(candidates)]
        if len(rows) > _MOST_ROWS:
            raise StoredValueError

        async def attempt(places: range) -> None:
            some = _is_one_of(selection.collection, identity, rows[places.start : places.stop])
            await database.fetch(
                sql(
                    "SELECT count(*) FROM {table} AS item WHERE {where}",
                    table=selection.table,
                    where=all_of([some, *selection.conditions]),
                )
            )

        failing = [rows[place] for place in await failing_places(len(rows), attempt, until=until)]
        if not failing:
            raise StoredValueError
        fields = {"collection": selection.collection.id, "number": len(failing), "rows": failing[:10]}
        _LOG.warning("rows on which a filter fails do not match", extra={"fields": fields})
        others = sql("({failing}) IS NOT TRUE", failing=_is_one_of(selection.collection, identity, failing))
        self._known[name] = others, len(failing)
        return _exclude(selection, others, len(failing))

    def _name(self, selection: Selection) -> tuple[str, ...]:
        # after a change, a row location may belong to another row
        version = self._versions.version(selection.collection)
        return selection.collection.id, version.token if version else "", repr(all_of(selection.conditions).render())


def calls_postgis(selection: Selection) -> bool:
    """Return whether the conditions may fail on stored values: only PostGIS functions can."""
    return any("ST_" in part for condition in selection.conditions for part in condition.parts if isinstance(part, str))


def _exclude(selection: Selection, condition: Sql, number: int) -> Selection:
    return replace(selection, conditions=(condition, *selection.conditions), failing=number)


def _identity(collection: Collection) -> Sql | None:
    """Return the row identity within a statement; None if there is none."""
    if collection.row_address == ("ctid",):
        return sql("ctid")
    if collection.row_address:
        return sql("tableoid::text || ctid::text")
    is_known = collection.key and collection.column(collection.key) and not collection.key_repeats
    return ident(collection.key) if collection.key and is_known and collection.kind != "function" else None


def _is_one_of(collection: Collection, identity: Sql, rows: list[str]) -> Sql:
    if collection.row_address == ("ctid",):
        values = bind(rows, "text[]", cast="tid[]")
    elif collection.row_address:
        values = bind(rows, "text[]")
    else:
        key = collection.column(collection.key or "")
        values = bind(rows, "text[]", cast=f"{key.sql_type}[]" if key else None)
    return sql("({identity}) = ANY({values})", identity=identity, values=values)


async def fetch_rows(database: Statements | Snapshot, collection: Collection, plan: RowPlan) -> list[Row]:
    """Return the rows of a plan, with OMITTED for a geometry that PostGIS cannot encode.

    Raises Unavailable, and StoredValueError if the geometry is not at fault, or the search takes too long.
    """
    try:
        return await database.fetch(plan.statement)
    except StoredValueError:
        if plan.apart is None:
            raise
        without, geometries_of = plan.apart()
        return await _fetch_geometries_apart(database, collection, without, geometries_of, has_id=plan.layout.has_id)


async def _fetch_geometries_apart(
    database: Statements | Snapshot, collection: Collection, without: Sql, geometries_of: GeometriesOf, *, has_id: bool
) -> list[Row]:
    until = asyncio.get_running_loop().time() + SECONDS
    rows = await database.fetch(without)
    keys = [None if row[0] is None else str(row[0]) for row in rows] if has_id else []
    found: dict[int, str | None] = {}

    async def fetch_geometries(places: range) -> None:
        geometries = await database.fetch(geometries_of(places, keys[places.start : places.stop]))
        found.update({places[position - 1]: geometry for position, geometry in geometries})

    invalid = await failing_places(len(rows), fetch_geometries, until=until)
    fields = {"collection": collection.id, "number": len(invalid)}
    if has_id:
        fields["ids"] = [keys[place] for place in invalid[:10]]
    _LOG.warning("geometry not encoded", extra={"fields": fields})
    # a row without any columns is fetched with one column
    found.update(dict.fromkeys(invalid, OMITTED))
    return [(*row[:has_id], found.get(place), *row[has_id:]) for place, row in enumerate(rows)]
