"""Run the statement of a plan. A geometry that PostGIS cannot encode is omitted; the others are returned."""

import asyncio
import logging

from libs.catalogue.model import Collection
from libs.ogc.errors import StoredValueError
from libs.pg.halving import failing_places
from libs.pg.pool import Statements
from libs.pg.snapshot import Snapshot
from libs.pg.sql import Sql
from services.features.rows.layout import OMITTED, GeometriesOf, Row, RowPlan

_LOG = logging.getLogger("dams.features")

SECONDS = 5.0
"""Maximum time to find the failing rows, in seconds; without a key, each attempt scans the table."""


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
        return await _fetch_apart(database, collection, without, geometries_of, has_id=plan.layout.has_id)


async def _fetch_apart(
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
