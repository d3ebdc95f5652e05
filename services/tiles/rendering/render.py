"""A tile from the database: within its limits on features and bytes, and how many features that leaves out."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from json import loads
from typing import Any

from libs.ogc.errors import StoredValueError
from libs.pg.pool import Statements
from libs.pg.sql import Sql
from services.tiles.rendering.invalid_rows import exclude_invalid_rows
from services.tiles.rendering.statement import (
    count_statement,
    estimate_statement,
    is_probably_full,
    nowhere_statement,
    tile_statement,
)
from services.tiles.rendering.thinning import floor_statement, thinned_statement
from services.tiles.request.tile_request import TileRequest

_CHEAP_TO_COUNT = 20_000
_CHEAP_TIMES = 5
"""Rows that are counted rather than estimated, for each feature that the tile may have."""
_MARGIN = 0.93
"""The part of the byte budget to fill, as some features are larger than the average."""

SEARCH_SECONDS = 8.0
"""In which rows that cannot be drawn have to be found."""
_ATTEMPTS = 5
"""The rows that take the place of invalid ones may be invalid themselves."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """An encoded tile; empty if it shows no feature."""

    encoded: bytes
    rows: int = 0
    """The least number of rows near the tile; 0 means that there are none."""
    left_out: int = 0
    """Features that are near the tile but beyond its limits, or cannot be drawn, or are nowhere."""
    estimated: bool = False
    """Whether the number left out is the planner's estimate."""
    simplified: int = 0
    """Features that are drawn differently from how they are stored, by more than half a unit of the tile."""


async def render(
    database: Statements, request: TileRequest, max_bytes: int, *, search_seconds: float = SEARCH_SECONDS
) -> Rendered:
    """The tile. Where it would have more bytes, it has fewer features, but at least one.

    Rows that cannot be drawn are left out, if they are found in time. Raises Unavailable, and StoredValueError where
    they are not.
    """
    until = asyncio.get_running_loop().time() + search_seconds
    invalid = 0
    for _ in range(_ATTEMPTS):
        try:
            found = await _render(database, request, max_bytes)
        except StoredValueError:
            request, number = await exclude_invalid_rows(
                database, request, await _count_valid(database, request) if search_seconds else None, until
            )
            invalid += number
        else:
            lost = invalid + await _nowhere(database, request)
            if not lost:
                return found
            return replace(found, rows=max(found.rows, lost), left_out=found.left_out + lost)
    raise StoredValueError


async def _nowhere(database: Statements, request: TileRequest) -> int:
    """How many rows are in no tile at all: each tile says so."""
    statement = nowhere_statement(request)
    return 0 if statement is None else int(await database.fetchval(statement))


async def _count_valid(database: Statements, request: TileRequest) -> int | None:
    try:
        return (await _count_near(database, request))[0]
    except StoredValueError:
        return None


async def _render(database: Statements, request: TileRequest, max_bytes: int) -> Rendered:
    if not request.region.near:
        return Rendered(b"")
    tile, matched, estimated = await _render_limited(database, request)
    rows = tile.rows
    held = min(rows, request.limit)
    while len(tile.encoded) > max_bytes and held > 1:
        limit = max(1, int(held * _MARGIN * max_bytes / len(tile.encoded)))
        tile = await _render_first(database, replace(request, limit=limit), matched)
        held = tile.rows
    return Rendered(tile.encoded, max(rows, matched), max(0, matched - held), estimated, tile.simplified)


async def _render_limited(database: Statements, request: TileRequest) -> tuple[Rendered, int, bool]:
    """Return the tile within its limit on features, the number of rows near it, and whether that is an estimate."""
    if is_probably_full(request):
        estimate = await _estimate(database, request)
        if estimate > request.limit:
            matched, estimated = await _count_if_cheap(database, request, estimate)
            if matched > request.limit:
                tile = await _render_sample(database, request, matched)
                # otherwise the estimate was too high
                if tile.rows >= request.limit:
                    return tile, matched, estimated
    tile = await _run(database, tile_statement(request))
    if tile.rows <= request.limit:
        return tile, tile.rows, False
    matched, estimated = await _count_near(database, request)
    if not request.selection.sort:
        tile = await _render_sample(database, request, matched)
    return tile, matched, estimated


async def _render_first(database: Statements, request: TileRequest, matched: int) -> Rendered:
    """The tile of as many features as its limit says."""
    if not request.selection.sort:
        return await _render_sample(database, request, matched)
    return replace(await _run(database, tile_statement(request)), rows=request.limit)


async def _render_sample(database: Statements, request: TileRequest, matched: int) -> Rendered:
    """The same for a tile that the request does not order; an estimate of what is near may have been too high."""
    while True:
        look = floor_statement(request, matched)
        floor = None if look is None else await database.fetchval(look)
        text, args = thinned_statement(request, matched, floor).render()
        async with database.connection(transaction=True) as connection:
            # one plan for every tile would cost a millisecond less, and be a bad one for most; and what two indexes
            # find of some hundred thousand blocks has to fit into memory, or whole blocks are read for a row
            await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL work_mem = '32MB'")
            tile = _tile(await connection.fetchrow(text, *args))
        if tile.rows >= request.limit or not matched:
            return tile
        matched = matched // 8 if matched > 16 * request.limit else 0


async def _count_near(database: Statements, request: TileRequest) -> tuple[int, bool]:
    """How many rows are near, and whether that is an estimate."""
    return await _count_if_cheap(database, request, await _estimate(database, request))


async def _estimate(database: Statements, request: TileRequest) -> int:
    plan = await database.fetchval(estimate_statement(request))
    return int(loads(plan)[0]["Plan"]["Plan Rows"])


async def _count_if_cheap(database: Statements, request: TileRequest, estimate: int) -> tuple[int, bool]:
    """Return the number of rows near if they are cheap to count, otherwise the estimate and True."""
    if estimate > max(_CHEAP_TO_COUNT, _CHEAP_TIMES * request.limit):
        return estimate, True
    return int(await database.fetchval(count_statement(request))), False


async def _run(database: Statements, statement: Sql) -> Rendered:
    return _tile(await database.fetchrow(statement))


def _tile(row: Mapping[str, Any] | None) -> Rendered:
    if row is None:
        return Rendered(b"")
    return Rendered(bytes(row["tile"] or b""), int(row["rows"]), simplified=int(row["simplified"]))
