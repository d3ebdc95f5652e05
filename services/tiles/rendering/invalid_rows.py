"""Rows that PostGIS cannot draw: left out, so that the others have their tile.

Columns where the search fails are remembered.
"""

import asyncio
import logging
import time
from dataclasses import replace

from libs.ogc.errors import StoredValueError
from libs.pg.halving import failing_places
from libs.pg.pool import Statements
from libs.pg.sql import Sql, all_of, bind, sql
from services.tiles.rendering.statement import chosen_statement, condition, identities, identity
from services.tiles.rendering.thinning import chosen_rows
from services.tiles.request.tile_request import TileRequest

_LOG = logging.getLogger("dams.tiles")

_MOST_ROWS = 50_000


async def exclude_invalid_rows(
    database: Statements, request: TileRequest, matched: int | None, until: float
) -> tuple[TileRequest, int]:
    """The request without the rows that fail its tile, and how many those are.

    `matched` rows are near the tile; None where that, too, cannot be worked out. Raises StoredValueError where the
    rows have no identity, or are not found until then, by the event loop's clock.
    """
    name = identity(request)
    if name is None or asyncio.get_running_loop().time() >= until:
        raise StoredValueError
    try:
        found = await database.fetch(_candidates(request, name, matched))
    except StoredValueError:
        # a condition fails on a row: each is tried
        nothing = replace(request, selection=replace(request.selection, conditions=()))
        found = await database.fetch(_candidates(nothing, name, None))
    rows = [str(row[0]) for row in found]

    async def draw(places: range) -> None:
        some = rows[places.start : places.stop]
        await database.fetch(chosen_statement(request, sql("SELECT unnest({rows})", rows=identities(request, some))))

    invalid = [rows[place] for place in await failing_places(len(rows), draw, until=until)]
    if not invalid:
        raise StoredValueError
    collection = request.selection.collection
    fields = {"collection": collection.id, "number": len(invalid), "rows": invalid[:10]}
    _LOG.warning("rows left out of a tile", extra={"fields": fields})
    # rows without an identity were not looked for
    valid = sql("(({name}) = ANY({rows})) IS NOT TRUE", name=name, rows=identities(request, invalid))
    selection = replace(request.selection, conditions=(*request.selection.conditions, valid))
    return replace(request, selection=selection), len(invalid)


def _candidates(request: TileRequest, name: Sql, matched: int | None) -> Sql:
    """Identities of the rows that the tile was made of, as text."""
    if matched is not None and matched > request.limit and not request.selection.sort:
        return sql("SELECT (feature)::text FROM ({chosen}) AS chosen", chosen=chosen_rows(request, matched))
    # what does not even have a box is looked for everywhere
    where = all_of(request.selection.conditions) if matched is None else condition(request)
    return sql(
        "SELECT ({name})::text FROM {table} WHERE {where} AND ({name}) IS NOT NULL LIMIT {most}",
        name=name,
        table=request.selection.table,
        where=where,
        most=bind(_MOST_ROWS, "int8"),
    )


class Unrepairable:
    """Remembers geometry columns for some seconds, so that not every tile pays for a useless search."""

    def __init__(self, *, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._until: dict[tuple[str, str], float] = {}

    def add(self, collection: str, column: str) -> None:
        """Add a column for some seconds."""
        self._until[collection, column] = time.monotonic() + self._seconds

    def __contains__(self, column: tuple[str, str]) -> bool:
        """Return whether the collection's column, both by name, was added in the last seconds."""
        return self._until.get(column, 0.0) > time.monotonic()
