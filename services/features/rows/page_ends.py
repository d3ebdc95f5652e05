"""The starts of adjacent pages, and the names of a page's rows while it is streamed. Pure."""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

from services.features.request.cursor import PageEnds, Position
from services.features.request.items_query import ItemsQuery
from services.features.request.order import row_identity
from services.features.rows.layout import Row, Rows

RowName = Hashable
"""Identity of a row within its collection."""


def page_ends(query: ItemsQuery, rows: Sequence[Row], places: Sequence[int]) -> PageEnds:
    """Return the starts of the adjacent pages; `rows` are in reading order, one more than the page has.

    `places` are the indices of the sort values in a row.
    """
    backwards = query.after is not None and query.after.backwards
    page, more = rows[: query.limit], len(rows) > query.limit
    if not page or not places or not query.resumable:
        return PageEnds(more=more)
    ahead = _position_at(query, rows, places, len(page) - 1, backwards=backwards) if more else None
    behind = None
    if query.after is not None or query.offset > 0:
        behind = _position_at(query, rows[::-1], places, len(rows) - 1, backwards=not backwards)
    return PageEnds(behind, ahead, more) if backwards else PageEnds(ahead, behind, more)


def _position_at(
    query: ItemsQuery, rows: Sequence[Row], places: Sequence[int], at: int, *, backwards: bool
) -> Position | None:
    """Return the position of the row at `at`, the last one before the adjacent page.

    Returns None if rows are equal and the number of equal rows before it is unknown.
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
        # all equal rows are within the rows read, or end with the collection
        return replace(position, alike=alike)
    if start is None:
        return replace(position, alike=alike) if not query.offset else None
    if start.backwards != backwards:
        return None
    return replace(position, alike=alike + (start.alike if start.values == position.values else 0))


def number_alike(rows: Sequence[Row], places: Sequence[int]) -> int:
    """Return how many rows at the end have the same sort values."""
    last = position_of(rows[-1], places)
    return next(
        (number for number, row in enumerate(reversed(rows)) if position_of(row, places) != last),
        len(rows),
    )


def position_of(row: Row, places: Sequence[int], *, backwards: bool = False) -> Position:
    """Return the position of a row."""
    values = (row[place] for place in places)
    return Position(tuple(None if value is None else str(value) for value in values), backwards)


def name_places(query: ItemsQuery, places: Sequence[int]) -> tuple[int, ...]:
    """Return the indices of the sort values that identify a row."""
    identity = {term.column.name for term in row_identity(query.selection.collection)}
    return tuple(place for place, term in zip(places, query.order, strict=True) if term.column.name in identity)


def name_of(row: Row, places: Sequence[int]) -> RowName:
    """Return the identity of the row; rows with equal content have the same."""
    return str(row[places[0]]) if len(places) == 1 else tuple(str(row[place]) for place in places)


class RowsOfPage:
    """Filters a page's rows while they are streamed: rows inserted later are left out."""

    def __init__(self, arrays: Sequence[Sequence[object]], number: int) -> None:
        """`arrays` are the identity columns of the first `number` rows, as in `name_of`."""
        self._arrays = arrays
        self._number = number
        self._come = 0
        # the rows still expected, once rows were inserted or deleted
        self._left: Counter[RowName] | None = None
        # the number of rows of each name, computed on first use
        self._numbers: Counter[RowName] | None = None

    def from_start(self) -> "RowsOfPage":
        """Return a filter of the same page that expects its first row: a file may be written twice."""
        return RowsOfPage(self._arrays, self._number)

    def select(self, found: Rows, places: Sequence[int]) -> Rows:
        """Return those of the next rows that belong to the page."""
        end = self._come + len(found.rows)
        if not found.rows:
            return found
        if self._left is None and end <= self._number and name_of(found.rows[-1], places) == self._name(end - 1):
            # no row was inserted or deleted up to this one
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

    def repeats(self, row: Row, places: Sequence[int]) -> bool:
        """Return whether the page has several rows of this name."""
        if self._numbers is None:
            self._numbers = Counter(map(self._name, range(self._number)))
        return self._numbers[name_of(row, places)] > 1

    def _name(self, at: int) -> RowName:
        return name_of([array[at] for array in self._arrays], range(len(self._arrays)))
