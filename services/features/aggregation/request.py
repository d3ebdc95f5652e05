"""Parse the `facets` parameter (draft OGC API Records Part 2, /req/advanced/query_facets_definition)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from math import inf, isinf
from typing import Any, TypeVar

from libs.catalogue.model import Collection, Column
from libs.ogc.numbers import NUMBER
from libs.ogc.temporal import parse_interval
from libs.pg.column_types import NUMERIC, TEMPORAL, Kind
from libs.selection.columns import column_queryable
from libs.selection.request import FaultCollector
from libs.selection.selection import unknown_name
from services.features.aggregation.edges import UNITS
from services.features.aggregation.facet import (
    MOST_BUCKETS,
    MOST_FACETS,
    Facet,
    NumberFacet,
    PlaceFacet,
    TermFacet,
    TimeFacet,
)

DATETIME = "datetime"
"""Name of the facet of the time that `datetime` tests: a moment, or a start and an end."""
_SORTINGS = ("value_asc", "value_desc", "count_asc", "count_desc")
_TERMS = frozenset({Kind.STRING, Kind.UUID, Kind.ENUM, Kind.BOOLEAN, *NUMERIC, *TEMPORAL})
_WHOLE = re.compile(r"\d{1,6}\Z", re.ASCII)
_CELL = (0.001, 90.0)
Edge = TypeVar("Edge", str, datetime)


class _FacetError(ValueError):
    """A fault of one facet; the message completes the sentence."""


def parse_facets(collection: Collection, query: FaultCollector) -> tuple[Facet, ...]:
    """Return the facets in `facets`: `property`, `property:size:sorting`, `property:way:size`.

    Reads `facets`, `min-count` and `datetime-column`. Adds a fault to the query for each error.
    """
    tokens = [token for token in query.values.get("facets") or () if token]
    if len(tokens) > MOST_FACETS:
        query.fault("facets", f"facets has {len(tokens)} of them, maximum is {MOST_FACETS}")
        tokens = tokens[:MOST_FACETS]
    found: dict[str, Facet] = {}
    for token in tokens:
        if token in found:
            query.fault("facets", f"facets: '{token}' is given more than once", value=token)
            continue
        try:
            facet = _parse_facet(collection, token, query)
        except _FacetError as error:
            query.fault("facets", f"facets: '{token[:200]}' {error}", value=token[:200])
            continue
        # the draft names a facet by its property; a second facet of the same property is named by its whole token
        name = facet.name if facet.name not in {other.name for other in found.values()} else token
        found[token] = replace(facet, name=name)
    return tuple(found.values())


def facets_of(collection: Collection) -> Iterator[Facet]:
    """Yield the default facet of each property."""
    time = collection.time()
    if time is not None and not time.is_period:
        yield _time(collection, None, DATETIME)
    for column in collection.columns:
        kind = column_queryable(column).kind
        if kind in _TERMS and column.name not in (DATETIME, collection.key):
            yield _column_facet(column, ())
    for geometry in collection.geometries:
        yield PlaceFacet(geometry.name, geometry)


def _parse_facet(collection: Collection, token: str, query: FaultCollector) -> Facet:
    names = [column.name for column in collection.columns] + [geometry.name for geometry in collection.geometries]
    # a name may contain colons: take the longest name that matches
    own = [name for name in names if token == name or token.startswith(f"{name}:")]
    name = max(own, key=len) if own else token.partition(":")[0]
    rest = token[len(name) + 1 :]
    words = tuple(rest.split(":")) if rest else ()
    column, geometry = collection.column(name), collection.geometry(name)
    if column is not None:
        facet = _column_facet(column, words)
    elif geometry is not None:
        facet = _place_facet(PlaceFacet(name, geometry), words)
    elif name == DATETIME:
        facet = _time_facet(_time(collection, query.values.get("datetime-column"), name), words)
    else:
        raise _FacetError(f"cannot be counted: {unknown_name(name, names)}")
    least = query.values.get("min-count")
    return replace(facet, least=least) if isinstance(facet, TermFacet) and least else facet


def _time(collection: Collection, name: str | None, facet: str) -> TimeFacet:
    time = collection.time(name)
    column = collection.column(time.name) if time else None
    if column is None or column_queryable(column).kind not in TEMPORAL:
        raise _FacetError("cannot be counted: this collection has no time that is a moment")
    pair = collection.period_columns() if name is None else None
    return TimeFacet(facet, column, collection.column(pair[1].name) if pair else None)


def _column_facet(column: Column, words: tuple[str, ...]) -> Facet:
    kind = column_queryable(column).kind
    if words[:1] == ("term",):
        return _term_facet(TermFacet(column.name, column), words[1:], kind)
    if kind in NUMERIC:
        return _number_facet(NumberFacet(column.name, column), words)
    if kind in TEMPORAL:
        return _time_facet(TimeFacet(column.name, column), words)
    return _term_facet(TermFacet(column.name, column), words, kind)


def _term_facet(facet: TermFacet, words: tuple[str, ...], kind: Kind) -> TermFacet:
    if kind not in _TERMS:
        raise _FacetError(f"cannot be counted: a property of type {facet.column.sql_type} has no terms")
    size, sorting, *more = (*words, "", "")[: max(2, len(words))]
    if more or (sorting and sorting not in _SORTINGS):
        raise _FacetError(f"must be property:size:sorting, with one of {', '.join(_SORTINGS)}")
    facet = replace(facet, sorting=sorting or facet.sorting)
    return replace(facet, size=_parse_integer(size, "size")) if size else facet


def _number_facet(facet: NumberFacet, words: tuple[str, ...]) -> NumberFacet:
    way, rest = (words[0], ":".join(words[1:])) if words else ("", "")
    if not way:
        return replace(facet, bins=10)
    if _WHOLE.match(way) and not rest:
        return replace(facet, bins=_parse_integer(way, "number of ranges"))
    if way == "quantile":
        return replace(facet, quantiles=_parse_integer(rest, "number of quantiles", least=2))
    if way == "width":
        if not NUMBER.match(rest) or not 0 < float(rest) < inf:
            raise _FacetError("must have a width above 0, such as width:0.5")
        return replace(facet, width=rest)
    if way == "edges":
        return replace(facet, edges=_edges(rest, _number, float))
    raise _FacetError("must be a number of ranges, or one of term, quantile:n, width:w, edges:a/b/c")


def _time_facet(facet: TimeFacet, words: tuple[str, ...]) -> TimeFacet:
    way, rest = (words[0], ":".join(words[1:])) if words else ("", "")
    if not way:
        return facet
    if way in UNITS and not rest:
        return replace(facet, unit=way)
    if _WHOLE.match(way) and not rest:
        return replace(facet, bins=_parse_integer(way, "number of ranges"))
    if way == "quantile" and facet.end is None:
        return replace(facet, quantiles=_parse_integer(rest, "number of quantiles", least=2))
    if way == "edges":
        return replace(facet, edges=_edges(rest, _moment, lambda moment: moment))
    raise _FacetError(f"must be a number of ranges, or one of {', '.join(UNITS)}, quantile:n, edges:a/b/c")


def _place_facet(facet: PlaceFacet, words: tuple[str, ...]) -> PlaceFacet:
    way, size, *more = (*words, "", "")[: max(2, len(words))]
    if way not in ("", "grid", "hexagon") or more:
        raise _FacetError("must be grid:degrees or hexagon:degrees")
    facet = replace(facet, hexagons=way == "hexagon")
    if not size:
        return facet
    if not NUMBER.match(size) or not _CELL[0] <= float(size) <= _CELL[1]:
        raise _FacetError(f"must have cells of {_CELL[0]:g} to {_CELL[1]:g} degrees")
    return replace(facet, size=float(size))


def _parse_integer(text: str, what: str, *, least: int = 1) -> int:
    if not _WHOLE.match(text) or not least <= int(text) <= MOST_BUCKETS:
        raise _FacetError(f"must have a {what} of {least} to {MOST_BUCKETS}")
    return int(text)


def _edges(text: str, read: Callable[[str], Edge], order: Callable[[Edge], Any]) -> tuple[Edge, ...]:
    edges = tuple(read(part) for part in text.split("/"))
    if len(edges) >= MOST_BUCKETS:
        raise _FacetError(f"has {len(edges)} edges, maximum is {MOST_BUCKETS - 1}")
    if any(not order(a) < order(b) for a, b in pairwise(edges)):
        raise _FacetError("must have edges that grow")
    return edges


def _number(text: str) -> str:
    if not NUMBER.match(text) or isinf(float(text)):
        raise _FacetError(f"has an edge that is no number: '{text[:40]}'")
    return text


def _moment(text: str) -> datetime:
    try:
        start = parse_interval(text).start
    except ValueError as error:
        raise _FacetError(f"has an edge that is no time: {error}") from None
    if start is None:
        raise _FacetError("has an edge that is no time")
    return start
