"""Rows of which one has a geometry that cannot be worked out: the others are not made to suffer for it."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any

from libs.catalogue.model import Collection
from libs.ogc.errors import StoredValueError
from libs.pg.pool import Database
from libs.pg.sql import Sql, bind, ident, sql
from libs.selection.selection import Selection

_LOG = logging.getLogger("dams.features")

_SECONDS = 5.0
"""In which the rows at fault have to be found; without a key each look costs a walk through the table."""

GeometryOf = Callable[[range, Sequence[str | None]], Sql]
"""Makes the statement of the geometries of some of the rows, from their places and, where there is a key, their keys.

Rows are `(position, geometry)`, positions counted from one.
"""


async def rows_without_sick_geometry(
    database: Database, collection: Collection, without: Sql, geometry_of: GeometryOf, *, has_id: bool
) -> list[tuple[Any, ...]]:
    """Rows, each `([key,] geometry, …)`, with None for a geometry that PostGIS cannot encode.

    `without` selects the rows with their geometry left out. Raises StoredValueError where it is not the geometry
    that is at fault, or takes too long to find.
    """
    until = asyncio.get_running_loop().time() + _SECONDS
    rows = await database.fetch(without)
    keys = [None if row[0] is None else str(row[0]) for row in rows] if has_id else []
    found: dict[int, str | None] = {}
    failing = [range(len(rows))] if rows else []
    while failing:
        if asyncio.get_running_loop().time() > until:
            raise StoredValueError
        # what fails is halved, down to the rows that are at fault
        places = failing.pop()
        try:
            geometries = await database.fetch(geometry_of(places, keys[places.start : places.stop]))
            found |= {places[position - 1]: geometry for position, geometry in geometries}
        except StoredValueError:
            middle = len(places) // 2
            failing += [places[:middle], places[middle:]] if middle else []
    sick = [place for place in range(len(rows)) if place not in found]
    _LOG.warning(
        "geometry not encoded",
        extra={
            "fields": {
                "collection": collection.id,
                "number": len(sick),
                **({"ids": [keys[place] for place in sick[:10]]} if has_id else {}),
            }
        },
    )
    return [
        (*row[:has_id], found.get(place), *row[has_id:])
        # a row of nothing at all comes as one column
        for place, row in enumerate(rows)
    ]


def geometries_of_keys(selection: Selection, encoded: Sql) -> GeometryOf:
    """The geometries of rows, `encoded` being its expression, by the key of the selection's collection."""
    collection = selection.collection
    key = collection.column(collection.key or "")
    if key is None:
        raise StoredValueError

    def statement(_: range, keys: Sequence[str | None]) -> Sql:
        return sql(
            # by position: one value may have one text in Python and another in PostgreSQL
            'SELECT "wanted position", {encoded} FROM {table} JOIN unnest({keys}) WITH ORDINALITY'
            ' AS wanted ("wanted key", "wanted position") ON {key} = "wanted key"',
            encoded=encoded,
            table=selection.table,
            key=ident(key.name),
            keys=bind([*keys], "text[]", cast=f"{key.sql_type}[]"),
        )

    return statement
