"""The table of each kind of row, and the columns that identify a row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A table of schema hazard that rows of one NamedTuple fill; its fields are columns, `geom` the last.

    key: the columns that identify a row; the table has a unique index of them, and none of them is empty.
    revision: the column that grows with every revision. A row with a smaller value than the stored one is ignored:
        feeds overlap, and an older one may arrive later.
    scope: for batches that replace a part of the table, the columns that name the part: rows of that part that are not
        in the batch are deleted. Empty: they stay.
    withdrawn: the column with the time when the source withdrew the row. Empty: such rows are deleted. A withdrawn row
        that the source lists again becomes valid again. With a `revision` it must be newer; the same one suffices if
        the table `returns`: then the source does not announce withdrawals, but omits the rows.
    ends: the column with the end of a row's validity; a withdrawal ends it earlier.
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
        """The columns that the rows fill; others keep their values."""
        return self.row._fields


class Latest(NamedTuple):
    """Tables of a batch with only the latest data of a storm, while another table has all data.

    targets: the former. Rows for a key of `times` are not written if `kept` has a row with that key in its column
        `column` whose `time_column` is after the time of the key. Keys are the first values of rows.
    """

    targets: frozenset[Target]
    kept: Target
    column: str
    time_column: str
    times: Mapping[Any, Any]


Pairs = Sequence[tuple[Target, tuple[Any, ...]]]
"""Rows, keys or parts of tables, each with its target."""


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
    """A further part of a batch, made from rows that its transaction finds.

    target: the table of these rows; where: the allowed values of some columns; after: lower bounds of others.
    make: returns rows, withdrawn, parts, latest, renames and recalls for the rows that are found, which have shapely
        geometries.
    absence: whether `make` withdraws rows that are missing from a document. A document may be incomplete: if an unusual
        share of the rows is missing, they are withdrawn only if they are also missing from a later document.
    """

    target: Target
    where: Mapping[str, Sequence[Any]]
    make: "Callable[[list[Any]], Batch]"
    after: Mapping[str, Any] = MappingProxyType({})
    absence: bool = False


class Batch(NamedTuple):
    """The content of one transaction: readers see all of it or nothing.

    rows: instances of the targets' NamedTuples, times with a zone, shapely geometries in WGS 84.
    withdrawn: rows that their source withdrew.
    parts: replaced parts of tables, as (target, scope values), also if no row of them remains.
    latest: rules for the parts to skip if newer data are known.
    recalls: further parts, which depend on stored rows.
    renames: events that got another identifier; they are merged before the rows are written.
    """

    rows: Pairs
    withdrawn: Sequence[Withdrawal] = ()
    parts: Pairs = ()
    latest: tuple[Latest, ...] = ()
    recalls: tuple[Recall, ...] = ()
    renames: Sequence[Rename] = ()
