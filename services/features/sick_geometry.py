"""Rows of which one has a geometry that cannot be worked out: the others are not made to suffer for it."""

import logging
from typing import Any

from libs.catalog.model import Column
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, ident, sql
from libs.selection.selection import Selection

_LOG = logging.getLogger("dams.features")


async def rows_without_sick_geometry(
    database: Database, selection: Selection, *, without: Sql, encoded: Sql
) -> list[tuple[Any, ...]]:
    """Rows, each `(key, geometry, …)`, with None for a geometry that PostGIS cannot encode.

    `without` selects the rows with their geometry left out, `encoded` is the expression of the geometry. Raises
    StoredValueError where it is not the geometry that is at fault.
    """
    rows = await database.fetch(without)
    collection = selection.collection
    key = collection.column(collection.key or "")
    if key is None:
        raise StoredValueError
    found: dict[str, str | None] = {}
    failing = [[str(row[0]) for row in rows]]
    while failing:
        # what fails is halved, down to the rows that are at fault
        keys = failing.pop()
        try:
            statement = _of_keys(selection, key, encoded, keys)
            found |= {keys[row[0] - 1]: row[1] for row in await database.fetch(statement)}
        except StoredValueError:
            middle = len(keys) // 2
            failing += [keys[:middle], keys[middle:]] if middle else []
    sick = [row[0] for row in rows if str(row[0]) not in found]
    _LOG.warning(
        "geometry not encoded",
        extra={"fields": {"collection": collection.id, "ids": sick[:10], "number": len(sick)}},
    )
    return [(row[0], found.get(str(row[0])), *row[1:]) for row in rows]


def _of_keys(selection: Selection, key: Column, encoded: Sql, keys: list[str]) -> Sql:
    # by position: one value may have one text in Python and another in PostgreSQL
    return sql(
        'SELECT "wanted position", {encoded} FROM {table}'
        ' JOIN unnest({keys}) WITH ORDINALITY AS wanted ("wanted key", "wanted position") ON {key} = "wanted key"',
        encoded=encoded,
        table=selection.table,
        key=ident(key.name),
        keys=bind(keys, "text[]", cast=f"{key.sql_type}[]"),
    )
