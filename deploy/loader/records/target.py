"""Where rows of a kind go, and what tells one from another."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A table of schema hazard that rows of one NamedTuple fill; its fields are columns, `geom` the last.

    key: the columns by which a row is found again; a unique index of the table has them, and none of them is empty.
    revision: the column that grows with every revision. A row whose value is smaller than the stored one's changes
        nothing: feeds overlap, and an older one may come later.
    scope: where a batch replaces a part of the table, the columns that name the part: rows of that part that
        the batch does not hold are deleted. Empty: rows that a batch does not hold stay.
    withdrawn: the column that says since when the source has taken the row back. Empty: such rows are deleted. A row
        that comes again stands again, where there is a `revision` only with a newer one; also with the same one where
        it `returns`: its source does not say that it takes rows back, but leaves them out.
    ends: the column that says until when a row is valid, which it is no longer than until it is taken back.
    keeps: columns whose stored value stays if it is null in a new row.
    """

    table: str
    row: type[NamedTuple]
    key: tuple[str, ...]
    revision: str | None = None
    scope: tuple[str, ...] = ()
    withdrawn: str | None = None
    returns: bool = False
    ends: str | None = None
    keeps: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """What the rows fill; the other columns keep what they have."""
        return self.row._fields


class Latest(NamedTuple):
    """Tables of a batch that hold only what is latest of something of which another keeps everything.

    targets: the former; what the batch has for a key of `times` is not written where `kept` has a row with that key in
        its column `column` whose `time_column` is after the time of the key. Keys are the first values of rows.
    """

    targets: frozenset[Target]
    kept: Target
    column: str
    time_column: str
    times: Mapping[Any, Any]


Pairs = Sequence[tuple[Target, tuple[Any, ...]]]
"""Rows, or keys or parts of tables, each with its target."""


class Withdrawal(NamedTuple):
    """A row that its source withdrew. It is not withdrawn if its stored revision is later than `revision`."""

    target: Target
    key: tuple[Any, ...]
    revision: Any = None


class Rename(NamedTuple):
    """An event with another identifier: the rows of `old` in these tables become rows of `new`.

    source: only rows of this source; None: all. revision: rows that were revised later stay. Without tables, `old`
    becomes an alias only.
    """

    targets: tuple[Target, ...]
    old: str
    new: str
    source: str | None = None
    revision: datetime | None = None


class Recall(NamedTuple):
    """More of a batch, which is made of rows that its transaction finds.

    target: their table; where: which of them, as the values that each of some columns may have; after: and the values
        that others are to be beyond.
    make: gives rows, withdrawn, parts, latest, renames and recalls for the rows that are found, whose geometries are of
        shapely.
    absence: whether `make` withdraws rows that are missing from a document. A document may be incomplete: if an unusual
        share of the rows is missing, they are withdrawn only if they are also missing from a later document.
    """

    target: Target
    where: Mapping[str, Sequence[Any]]
    make: "Callable[[list[Any]], Batch]"
    after: Mapping[str, Any] = MappingProxyType({})
    absence: bool = False


class Batch(NamedTuple):
    """What one transaction writes: readers see all of it or nothing.

    rows: instances of the targets' NamedTuples, times with a zone, geometries of shapely in WGS 84.
    withdrawn: rows that their source has taken back.
    parts: scopes that are replaced, as (target, scope values), also where no row of them is left.
    latest: which of all this is left undone where something newer is known.
    recalls: what else is written, which depends on rows that are there.
    renames: events that got another identifier; they are merged before the rows are written.
    """

    rows: Pairs
    withdrawn: Sequence[Withdrawal] = ()
    parts: Pairs = ()
    latest: tuple[Latest, ...] = ()
    recalls: tuple[Recall, ...] = ()
    renames: Sequence[Rename] = ()
