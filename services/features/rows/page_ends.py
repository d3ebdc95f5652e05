"""Where the pages beside a page start, and what its rows are called while it is streamed. Pure."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

from services.features.request.cursor import PageEnds, Position
from services.features.request.items_query import ItemsQuery
from services.features.request.row_identity import row_identity
from services.features.rows.layout import Row, Rows

RowName = Hashable
"""What tells a row from the others of its collection."""


def page_ends(query: ItemsQuery, rows: Sequence[Row], places: Sequence[int]) -> PageEnds:
    """Where the pages beside it start; `rows` are in the order in which they were read, one more than the page has.

    `places` are those of the sort values in a row.
    """
    backwards = query.after is not None and query.after.backwards
    page, more = rows[: query.limit], len(rows) > query.limit
    if not page or not places or not query.resumable:
        return PageEnds(more=more)
    ahead = _beside(query, rows, places, len(page) - 1, backwards=backwards) if more else None
    behind = None
    if query.after is not None or query.offset > 0:
        behind = _beside(query, rows[::-1], places, len(rows) - 1, backwards=not backwards)
    return PageEnds(behind, ahead, more) if backwards else PageEnds(ahead, behind, more)


def _beside(
    query: ItemsQuery, rows: Sequence[Row], places: Sequence[int], at: int, *, backwards: bool
) -> Position | None:
    """The position of the row at `at`, that comes last before the page beside.

    None where rows are alike, and nobody knows how many of those come before.
    """
    position = position_of(rows[at], places, backwards=backwards)
    if not query.by_content:
        return position
    start = query.after
    if at + 1 < len(rows):
        beyond = position_of(rows[at + 1], places).values
    else:
        beyond = start.values if start is not None else position.values
    if beyond != position.values:
        return position
    alike = number_alike(rows[: at + 1], places)
    if alike <= at or (at + 1 == len(rows) <= query.limit):
        # those that are alike begin within what was read, or end with the collection
        return replace(position, alike=alike)
    if start is None:
        return replace(position, alike=alike) if not query.offset and not backwards else None
    if start.backwards != backwards:
        return None
    return replace(position, alike=alike + (start.alike if start.values == position.values else 0))


def number_alike(rows: Sequence[Row], places: Sequence[int]) -> int:
    """How many rows at the end have the same sort values."""
    last = position_of(rows[-1], places)
    return next(
        (number for number, row in enumerate(reversed(rows)) if position_of(row, places) != last),
        len(rows),
    )


def position_of(row: Row, places: Sequence[int], *, backwards: bool = False) -> Position:
    """The position of a row."""
    values = (row[place] for place in places)
    return Position(tuple(None if value is None else str(value) for value in values), backwards)


def row_names(query: ItemsQuery, rows: Sequence[Row], places: Sequence[int]) -> list[RowName]:
    """What tells each of the rows apart; rows that are alike in all that they show have the same."""
    identity = {term.column.name for term in row_identity(query.selection.collection)}
    chosen = [place for place, term in zip(places, query.order, strict=True) if term.column.name in identity]
    if len(chosen) == 1:
        return [str(row[chosen[0]]) for row in rows]
    return [tuple(str(row[place]) for place in chosen) for row in rows]


def only_named(found: Rows, names: Sequence[RowName], wanted: Counter[RowName]) -> Rows:
    """The rows that are wanted, which have come then; what was added meanwhile is not among them."""
    kept = []
    for place, name in enumerate(names):
        if wanted[name] > 0:
            wanted[name] -= 1
            kept.append(place)
    if len(kept) == len(names):
        return found
    features = None if found.features is None else [found.features[place] for place in kept]
    return replace(found, rows=[found.rows[place] for place in kept], features=features)
