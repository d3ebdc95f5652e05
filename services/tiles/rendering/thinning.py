"""Which features a tile holds where there are too many: the most important, and others spread over the tile. Pure.

Half of them are the first in the collection's order of importance. The other half, all where there is no such order,
are a sample of what is near: of each cell of a grid over the tile the most important first, so that quiet places show
something too. The same rows give the same tile.
"""

from math import ceil, isqrt, sqrt

from libs.pg.column_types import NUMERIC, TEMPORAL, column_type
from libs.pg.sql import EMPTY, Sql, all_of, bind, ident, join, sql
from libs.selection.selection import SortTerm, configured_order
from services.tiles.rendering.shape import middle
from services.tiles.rendering.statement import chosen_statement, condition, identity, order_by, rows_statement
from services.tiles.request.tile_request import TileRequest

_SAMPLED = 2
"""Rows of the sample for each feature that the tile may have."""
_LEAST_SAMPLED = 5_000
_LEAST_FROM_BLOCKS = 20_000
"""A block holds rows that were stored together, which often lie together: some hundred blocks are wanted."""
_BLOCK_ROWS = 4
"""Rows of blocks that are read one after the other, for each that an index finds somewhere in the table: as dear."""
_MANY = 200_000
_SOON = 20_000
"""Rows that may be read in the order of importance until enough of them lie near."""
_WORTH_A_FLOOR = 40_000
"""Rows near; fewer are read and sorted in the time that the sample takes."""
_FLOOR_SAMPLED = 500
_FINEST = 64
"""Cells across the tile."""
_SHARES = 65_536


def thinned_statement(request: TileRequest, matched: int, floor: object = None) -> Sql:
    """The tile of as many features as its limit allows, of about `matched` that are near.

    It may hold fewer where `matched` is too high; a lower number, 0 at last, reads more rows. `floor`, as
    `floor_statement` finds it, changes nothing but how soon the most important are found.
    """
    where = condition(request)
    if identity(request) is None:
        return rows_statement(request, _select_first(request, where))
    return chosen_statement(request, _choose(request, where, matched, floor), matched)


def floor_statement(request: TileRequest, matched: int) -> Sql | None:
    """Return the least value of the most important half in the first column of their order, by a small sample.

    With it the database intersects two indexes, of place and of importance, and reads few rows in vain. None where they
    are found soon without it: where what is near is a large part of the table, or few rows.
    """
    collection, importance = request.selection.collection, _importance(request)
    half = (request.limit + 1) // 2
    if not (importance and collection.row_address and matched > _WORTH_A_FLOOR):
        return None
    if (collection.rows or 0) * half <= _SOON * matched:
        return None
    first = importance[0]
    if column_type(first.column.sql_type).kind not in NUMERIC | TEMPORAL:
        return None
    expected = half * _FLOOR_SAMPLED / matched
    return sql(
        "SELECT {name} FROM {table} TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)"
        " WHERE {where} AND {name} IS NOT NULL ORDER BY {order} OFFSET {rank} LIMIT 1",
        name=ident(collection.name, first.column.name),
        table=request.selection.table,
        percent=bind(_FLOOR_SAMPLED / matched * 100, "float4"),
        where=condition(request),
        order=order_by(request, importance[:1], nulls=False),
        # so low that there are hardly ever too few above it
        rank=bind(ceil(expected + 4 * sqrt(expected) + 4), "int8"),
    )


def chosen_rows(request: TileRequest, matched: int) -> Sql:
    """Identities, as `feature`, of the rows of that tile; for requests whose rows have an identity."""
    return _choose(request, condition(request), matched)


def _importance(request: TileRequest) -> tuple[SortTerm, ...]:
    collection = request.selection.collection
    return tuple(term for term in configured_order(collection, collection.importance) if term.column.ordered)


def _select_first(request: TileRequest, where: Sql) -> Sql:
    """Return the first rows by importance, or by a hash of the geometry; for rows without an identity."""
    order = order_by(request, _importance(request)) or sql(
        "hashtextextended({shape}::text, 0)", shape=ident(request.geometry.name)
    )
    return sql(
        "SELECT * FROM {table} WHERE {where} ORDER BY {order} LIMIT {limit}",
        table=request.selection.table,
        where=where,
        order=order,
        limit=bind(request.limit, "int8"),
    )


def _choose(request: TileRequest, where: Sql, matched: int, floor: object = None) -> Sql:
    importance = _importance(request)
    limit = bind(request.limit, "int8")
    spread = _spread(request, where, matched, importance, limit)
    if not importance:
        return sql("SELECT feature FROM ({spread}) AS spread", spread=spread)
    best = _best(request, where, importance)
    if floor is not None:
        # those below it are looked for only where too few are above
        best = sql(
            "WITH likely AS MATERIALIZED ({likely}) SELECT feature FROM likely UNION ALL"
            " SELECT feature FROM ({best}) AS best WHERE (SELECT count(*) FROM likely) < {half}",
            likely=_best(request, where, importance, floor),
            best=best,
            half=bind((request.limit + 1) // 2, "int8"),
        )
    # grouped rather than anti-joined: a join goes wrong where the planner expects few rows and meets many
    return sql(
        "SELECT feature FROM (SELECT feature, 0 AS place FROM ({best}) AS best"
        " UNION ALL SELECT feature, row_number() OVER () FROM ({spread}) AS spread) AS chosen"
        " GROUP BY feature ORDER BY min(place) LIMIT {limit}",
        best=best,
        spread=spread,
        limit=limit,
    )


def _best(request: TileRequest, where: Sql, importance: tuple[SortTerm, ...], floor: object = None) -> Sql:
    """Identities of the most important rows, half of the limit of the tile; none below `floor`."""
    first = importance[0]
    name = ident(request.selection.collection.name, first.column.name)
    above = EMPTY
    if floor is not None:
        least = bind(floor, first.column.sql_type)
        above = sql("{name} >= {least}" if first.descending else "{name} <= {least}", name=name, least=least)
    # only plain columns, and an order that an index on the first has: left out rows cost no computation
    return sql(
        "SELECT {feature} AS feature FROM {table} WHERE {where} AND {name} IS NOT NULL ORDER BY {order} LIMIT {half}",
        feature=identity(request) or EMPTY,
        table=request.selection.table,
        where=all_of([where, above]),
        name=name,
        order=order_by(request, importance, nulls=False),
        half=bind((request.limit + 1) // 2, "int8"),
    )


def _spread(request: TileRequest, where: Sql, matched: int, importance: tuple[SortTerm, ...], limit: Sql) -> Sql:
    """Identities of a sample of the rows, the first of each cell before the second of any."""
    x, y = middle(request.geometry)
    boxes = request.region.near
    cells = max(1, min(_FINEST, isqrt(request.limit // 2)))
    wide = sum(right - left for left, _, right, _ in boxes) / (1 + len(request.region.turns)) / cells
    high = max(top - bottom for _, bottom, _, top in boxes) / cells
    ranks = [ident(f"importance_{position}") for position, _ in enumerate(importance)]
    order = join(
        ", ",
        [
            *(
                sql("{rank} DESC NULLS LAST" if term.descending else "{rank}", rank=rank)
                for rank, term in zip(ranks, importance, strict=True)
            ),
            sql("chance"),
        ],
    )
    table, sampled = _sample(request, matched)
    rows = sql(
        "SELECT {feature} AS feature, {chance} AS chance, floor({x} / {wide}) AS x, floor({y} / {high}) AS y{ranks}"
        " FROM {table} WHERE {where}",
        feature=identity(request) or EMPTY,
        chance=_chance(request),
        x=x,
        y=y,
        wide=bind(wide, "float8"),
        high=bind(high, "float8"),
        ranks=join(
            "",
            [
                sql(", {name} AS {rank}", name=ident(request.selection.collection.name, term.column.name), rank=rank)
                for rank, term in zip(ranks, importance, strict=True)
            ],
        ),
        table=table,
        where=all_of([where, sampled]),
    )
    return sql(
        "SELECT feature FROM (SELECT *, row_number() OVER (PARTITION BY x, y ORDER BY {order}) AS rank"
        " FROM ({rows}) AS sampled) AS ranked ORDER BY rank, {order} LIMIT {limit}",
        order=order,
        rows=rows,
        limit=limit,
    )


def _chance(request: TileRequest) -> Sql:
    """A number that has nothing to do with where or when a row was stored, always the same for the same row."""
    name = identity(request) or EMPTY
    if request.selection.collection.row_address == ("ctid",):
        return sql("hashtid(ctid)")
    return sql("hashtextextended(({name})::text, 0)", name=name)


def _sample(request: TileRequest, matched: int) -> tuple[Sql, Sql]:
    """The relation to read, and a further condition: a few times as many rows as are chosen, or all."""
    collection = request.selection.collection
    table = request.selection.table
    wanted = max(_SAMPLED * request.limit, _LEAST_SAMPLED)
    if matched <= wanted:
        return table, EMPTY
    from_blocks = max(wanted, _LEAST_FROM_BLOCKS) / matched
    read = (collection.rows or 0) * from_blocks
    if collection.row_address and matched > _MANY and read < _BLOCK_ROWS * matched:
        # a part of the table's blocks, rather than of its rows: most of it is never read
        percent = bind(from_blocks * 100, "float4")
        return sql("{table} TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)", table=table, percent=percent), EMPTY
    return table, sql(
        "({chance} & {all}) < {some}",
        chance=_chance(request),
        all=bind(_SHARES - 1, "int4"),
        some=bind(max(1, round(wanted / matched * _SHARES)), "int4"),
    )
