"""The typed properties that a filter may use.

A caller fills a mapping of property name to `Queryable` from its catalogue. This module does not know the source of the
types, and a filter cannot use columns outside the mapping.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from libs.pg.column_types import Kind, base_type, column_type


@dataclass(frozen=True, slots=True)
class Queryable:
    """One property: its name, which is also its column's name, and its type.

    `sql_type` is the column's type as `format_type` writes it (`double precision`, `timestamp with time zone`,
    `character varying(24)[]`); for a domain, its base type. For a geometry or geography column, `srid` is its SRID: 0
    means that rows have no SRID and literals are used unchanged, None that rows differ or it is unknown. `enum` lists
    the labels of an enumerated type.
    """

    name: str
    kind: Kind
    sql_type: str
    srid: int | None = None
    geometry_type: str | None = None
    enum: tuple[str, ...] | None = None
    turns: tuple[int, ...] = ()
    """For a geometry in longitude and latitude: whole turns around the Earth by which rows lie beyond ±180."""
    crosses: bool = False
    """For a geography: whether edges may cross the antimeridian, the short way."""
    row_srids: tuple[int, ...] = ()
    """For a geometry without an SRID of all rows: the SRIDs of the rows; empty if unknown."""

    @property
    def is_geography(self) -> bool:
        """Whether it is a geography, whose edges are the shortest lines on the ellipsoid."""
        return column_type(self.sql_type).name == "geography"

    @property
    def base_type(self) -> str:
        """`sql_type` without a length or precision, so that a cast to it neither cuts nor rounds."""
        return base_type(self.sql_type)

    @property
    def element(self) -> Queryable | None:
        """For an array, a queryable with the type of its elements; else None."""
        if not self.sql_type.endswith("[]"):
            return None
        inner = self.sql_type.removesuffix("[]")
        return Queryable(self.name, kind_of(inner, enum=self.enum), inner, enum=self.enum)


def kind_of(sql_type: str, enum: tuple[str, ...] | None = None) -> Kind:
    """Return the kind of a column of this type (as `format_type` writes it, with any schema for extension types)."""
    if sql_type.endswith("[]"):
        return Kind.ARRAY
    if enum is not None:
        return Kind.ENUM
    return column_type(sql_type).kind


def queryable(
    name: str,
    sql_type: str,
    *,
    srid: int | None = None,
    geometry_type: str | None = None,
    enum: tuple[str, ...] | None = None,
    turns: tuple[int, ...] = (),
    crosses: bool = False,
    row_srids: tuple[int, ...] = (),
) -> Queryable:
    """Return a queryable whose kind follows from its type: see `Queryable` for the arguments."""
    return Queryable(
        name,
        kind_of(sql_type, enum),
        sql_type,
        srid=srid,
        geometry_type=geometry_type,
        enum=enum,
        turns=turns,
        crosses=crosses,
        row_srids=row_srids,
    )


def near_names(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to three of `names` that the client may have meant, the most likely first."""
    known = list(names)
    folded = name[:64].casefold()
    same = [candidate for candidate in known if candidate.casefold() == folded]
    # difflib compares each candidate in quadratic time: a few hundred are enough.
    close = get_close_matches(folded, [candidate.casefold() for candidate in known[:300]])
    by_folded = {candidate.casefold(): candidate for candidate in reversed(known)}
    return tuple(dict.fromkeys([*same, *(by_folded[candidate] for candidate in close)]))[:3]
