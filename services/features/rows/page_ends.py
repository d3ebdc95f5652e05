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
        return replace(position, alike=alike) if not query.offset else None
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


def name_places(query: ItemsQuery, places: Sequence[int]) -> tuple[int, ...]:
    """Those of the places of sort values that tell a row apart."""
    identity = {term.column.name for term in row_identity(query.selection.collection)}
    return tuple(place for place, term in zip(places, query.order, strict=True) if term.column.name in identity)


def name_of(row: Row, places: Sequence[int]) -> RowName:
    """What tells the row apart; rows that are alike in all that they show have the same."""
    return str(row[places[0]]) if len(places) == 1 else tuple(str(row[place]) for place in places)


class RowsOfPage:
    """The rows that a page has, as they come: what was added meanwhile is left out."""

    def __init__(self, arrays: Sequence[Sequence[object]], number: int) -> None:
        """`arrays` are the columns of what tells the first `number` rows apart, as `name_of` has them."""
        self._arrays = arrays
        self._number = number
        self._come = 0
        # what is left, once rows were added or are gone
        self._left: Counter[RowName] | None = None
        # how many rows of the page are called the same, once somebody asks
        self._numbers: Counter[RowName] | None = None

    def only(self, found: Rows, places: Sequence[int]) -> Rows:
        """Those of the next rows that the page has."""
        end = self._come + len(found.rows)
        if not found.rows:
            return found
        if self._left is None and end <= self._number and name_of(found.rows[-1], places) == self._name(end - 1):
            # as many as there were up to this one
            self._come = end
            return found
        if self._left is None:
            self._left = Counter(map(self._name, range(self._come, self._number)))
        kept = []
        for place, row in enumerate(found.rows):
            name = name_of(row, places)
            if self._left[name] > 0:
                self._left[name] -= 1
                kept.append(place)
        features = None if found.features is None else [found.features[place] for place in kept]
        return replace(found, rows=[found.rows[place] for place in kept], features=features)

    def alike(self, row: Row, places: Sequence[int]) -> bool:
        """Whether the page has several rows that are called the same."""
        if self._numbers is None:
            self._numbers = Counter(map(self._name, range(self._number)))
        return self._numbers[name_of(row, places)] > 1

    def _name(self, at: int) -> RowName:
        return name_of([array[at] for array in self._arrays], range(len(self._arrays)))
