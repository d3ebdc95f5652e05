"""A selection of a collection's rows and columns: one frozen value, parsed and checked before any SQL."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache

from libs.catalogue.history import SCHEMA
from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.cql import (
    CqlError,
    FilterLang,
    bbox_predicate,
    datetime_predicate,
    filter_sql,
    height_predicate,
    lasting_predicate,
    value_predicate,
)
from libs.geo.crs import CRS84, Crs, box_of
from libs.ogc.temporal import parse_instant, parse_interval
from libs.pg.column_types import client_value, limits
from libs.pg.sql import Sql, all_of, bind, ident, join, sql
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.selection.arguments import call_arguments
from libs.selection.columns import column_queryable, geometry_queryable, queryables
from libs.selection.coords import coords_conditions
from libs.selection.ids import has_odd_id, keys_condition, unescape_id
from libs.selection.request import FaultCollector, requested_crs
from libs.selection.text_search import rank, search_condition, text_filter

_PYTHON_TEXT = re.compile(r"'([^']*)'|\"([^\"]*)\"")
# clients such as OWSLib send a list in Python's notation
_PYTHON_LIST = re.compile(rf"\[\s*(?:{_PYTHON_TEXT.pattern})(?:\s*,\s*(?:{_PYTHON_TEXT.pattern}))*\s*\]")
_LONGEST_QUOTED = 500
_LONGEST_KEPT = 1000
"""Maximum length of a filter whose condition is cached, in characters."""
_LONGEST_NAME = 64
_EXTRA = "extra_forbidden"


@dataclass(frozen=True, slots=True)
class SortTerm:
    """One column of an order; the next term decides between equal values."""

    column: Column
    descending: bool = False
    expression: Sql | None = None
    """Sort expression, if not a plain column; `column` gives its name and type."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The rows and columns of a collection that a request selects.

    `geometry` is None if the collection has none or the request omits it (`geom-column=none`); `conditions` are
    connected by AND; `sort` is the order in the request, without the key that breaks ties.
    """

    collection: Collection
    geometry: GeometryColumn | None
    conditions: tuple[Sql, ...]
    properties: tuple[Column, ...]
    sort: tuple[SortTerm, ...]
    arguments: tuple[Sql, ...] = ()
    """Arguments of a function, each as `name => value`."""
    failing: int = 0
    """Number of rows that `conditions` exclude because other conditions fail on them."""
    rank: Sql | None = None
    """How well a row matches `q`, an integer; None if the request has another order."""

    @property
    def table(self) -> Sql:
        """The relation to select from, or the function call."""
        collection = self.collection
        if collection.past is not None and collection.history is not None:
            moment = bind(parse_instant(collection.past), "timestamptz")
            return sql("{name}({moment})", name=ident(SCHEMA, collection.history.name), moment=moment)
        name = ident(self.collection.schema, self.collection.name)
        if self.collection.kind != "function":
            return name
        return sql("{name}({arguments})", name=name, arguments=join(", ", self.arguments))

    @property
    def where(self) -> Sql:
        """All conditions as a WHERE clause."""
        return all_of(self.conditions)


def select(collection: Collection, query: FaultCollector, *, folding: TextFolding = UNTRIED) -> Selection:
    """Return the selection for the query parameters.

    Reads `geom-column`, `datetime-column`, `ids`, `bbox`, `bbox-crs`, `datetime`, `filter`, `filter-lang`,
    `filter-crs`, `q`, `properties`, `sortby`, the parameters of a data query (`coords`, its distance, `parameter-name`)
    and the extra parameters (each a property that must equal the value).
    `folding` is the database's support for CASEI and ACCENTI; using an unsupported one is a fault. Faults are added to
    the query, not raised, so that one response lists them all; the selection leaves out faulty parts.
    """
    geometry = chosen_geometry(collection, query)
    arguments = call_arguments(collection, query)
    conditions = [
        *_ids(collection, query),
        *_bbox(collection, geometry, query),
        *coords_conditions(collection, geometry, query),
        *_datetime(collection, query),
        *_filter(collection, query, folding),
        *_text(collection, query, folding),
        *_property_queries(collection, query),
    ]
    properties, sort, terms = _properties(collection, query), _sort(collection, query), _terms(query)
    return Selection(
        collection,
        geometry,
        tuple(conditions),
        properties,
        sort,
        arguments,
        rank=rank(collection, terms, folding) if terms and not sort else None,
    )


def unknown_name(name: str, known: Iterable[str]) -> str:
    """Return a sentence about an unknown name, with the nearest known one."""
    names = list(known)
    near = get_close_matches(name, names, 3, 0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names[:30]) or 'none'}"
    return f"'{name}' is not a property of this collection; {hint}"


def chosen_geometry(collection: Collection, query: FaultCollector) -> GeometryColumn | None:
    """Return the geometry column that `geom-column` names, else the default; None for `none`.

    Adds a fault if it is invalid.
    """
    name = query.values.get("geom-column")
    if name is None:
        return collection.geometry()
    if name == "none":
        return None
    found = collection.geometry(name)
    if found is None:
        names = ", ".join(column.name for column in collection.geometries) or "no geometry columns"
        wrong = "is no geometry" if collection.column(name) else "does not exist"
        query.fault("geom-column", f"geom-column '{name}' {wrong}; there are {names}", value=name)
    return found


def _time(collection: Collection, query: FaultCollector) -> TimeColumn | None:
    name = query.values.get("datetime-column")
    found = collection.time(name)
    if found is None and name is not None:
        names = ", ".join(column.name for column in collection.times) or "no datetime columns"
        wrong = "is no time" if collection.column(name) or collection.geometry(name) else "does not exist"
        query.fault("datetime-column", f"datetime-column '{name}' {wrong}; there are {names}", value=name)
    return found


def _ids(collection: Collection, query: FaultCollector) -> list[Sql]:
    text = query.values.get("ids")
    if text is None:
        return []
    columns = collection.id_columns
    if not columns:
        query.fault("ids", "ids cannot be used: this collection has no identifiers", value=text)
        return []
    names: list[str] = []
    is_odd = has_odd_id(collection)
    for part in text.split(","):
        id_ = part.strip()
        # only the database reads such an id, so that it must be valid: try one form only
        names += (unescape_id(id_),) if is_odd and len(columns) == 1 else (id_, unescape_id(id_))
        try:
            if len(columns) == 1 and not is_odd:
                value_predicate(column_queryable(columns[0]), id_)
        except CqlError as error:
            query.fault("ids", f"ids: {error.message}", value=part)
    # as in the address of a feature: "049" is not an id of 49
    return [keys_condition(collection, names)]


def _bbox(collection: Collection, geometry: GeometryColumn | None, query: FaultCollector) -> list[Sql]:
    numbers = query.values.get("bbox")
    if numbers is None:
        return []
    geometry = geometry or collection.geometry()
    crs = requested_crs(collection, query, "bbox-crs")
    if crs is None:
        # unknown CRS: the numbers cannot be interpreted
        return []
    try:
        box = box_of(numbers, crs)
        if geometry is None:
            # features without geometry all match
            return []
        column = geometry_queryable(geometry)
        # the third and the sixth, for any order of the other axes
        heights = (numbers[2], numbers[5]) if len(numbers) == 6 and geometry.may_have_heights else None
        return [
            bbox_predicate(column, box, crs, not_null=geometry.not_null),
            *([height_predicate(column, *heights)] if heights is not None else []),
        ]
    except (CqlError, ValueError) as error:
        query.fault("bbox", f"bbox {error}".replace("bbox the geometry ", "bbox "), value=numbers)
        return []


def _datetime(collection: Collection, query: FaultCollector) -> list[Sql]:
    time = _time(collection, query)
    text = query.values.get("datetime")
    if text is None:
        return []
    try:
        interval = parse_interval(text)
    except ValueError as error:
        query.fault("datetime", f"datetime {error}", value=text)
        return []
    column = collection.column(time.name) if time else None
    if column is None:
        # its features have no time, and so all match; or the column's name has been reported as a fault
        return []
    pair = collection.period_columns() if query.values.get("datetime-column") is None else None
    end = collection.column(pair[1].name) if pair else None
    if end is None:
        return [datetime_predicate(column_queryable(column), interval, not_null=column.not_null)]
    return [
        lasting_predicate(
            column_queryable(column),
            column_queryable(end),
            interval,
            start_not_null=column.not_null,
            end_not_null=end.not_null,
        )
    ]


def _filter(collection: Collection, query: FaultCollector, folding: TextFolding) -> list[Sql]:
    text = query.values.get("filter")
    lang: FilterLang = "cql2-json" if query.values.get("filter-lang") == "cql2-json" else "cql2-text"
    crs = requested_crs(collection, query, "filter-crs")
    if text is None or crs is None:
        return []
    try:
        if len(text) > _LONGEST_KEPT:
            return [_condition(collection, text, lang, folding, crs)]
        return [_often(collection, text, lang, folding, crs)]
    except CqlError as error:
        query.fault("filter", f"filter: {error}", value=text if len(text) <= _LONGEST_QUOTED else None)
        return []


def _text(collection: Collection, query: FaultCollector, folding: TextFolding) -> list[Sql]:
    terms = _terms(query)
    if not terms:
        return []
    text = text_filter(collection, terms, folding)
    if text is None:
        query.fault("q", "q cannot be used: this collection has no text to search", value=",".join(terms))
        return []
    try:
        exact = _often(collection, text, "cql2-text", folding, CRS84)
        return [search_condition(collection, terms, folding, exact).merge_texts()]
    except CqlError as error:
        query.fault("q", f"q: {error.message}", value=",".join(terms))
        return []


def _terms(query: FaultCollector) -> list[str]:
    return [term for term in query.values.get("q") or () if term.strip()]


def _condition(collection: Collection, text: str, lang: FilterLang, folding: TextFolding, crs: Crs) -> Sql:
    return filter_sql(text, lang, queryables(collection), folding=folding, crs=crs).merge_texts()


_often = lru_cache(maxsize=512)(_condition)
"""Cached: map tiles and list pages repeat the same filter."""


def _property_queries(collection: Collection, query: FaultCollector) -> list[Sql]:
    conditions = []
    arguments = {argument.name for argument in collection.arguments}
    for name, text in query.extra.items():
        if name in arguments:
            continue
        column = collection.column(name)
        if column is None:
            query.fault(name, f"'{name}' is not a parameter here{_suggest(collection, query, name)}", _EXTRA, text)
            continue
        try:
            conditions.append(value_predicate(column_queryable(column), text))
        except CqlError as error:
            query.fault(name, f"{name}: {error.message}", value=text)
    return conditions


def _suggest(collection: Collection, query: FaultCollector, name: str) -> str:
    """Return a suggestion for an unknown parameter."""
    # an operation may set a value under a name that is not one of its parameters
    declared = [known for known in query.values if known not in query.extra]
    near = get_close_matches(name.casefold()[:_LONGEST_NAME], declared, 1, 0.6)
    return f"; did you mean {near[0]}?" if near else f", and {unknown_name(name, _names(collection))}"


def _properties(collection: Collection, query: FaultCollector) -> tuple[Column, ...]:
    # data queries of EDR have another name for it
    name_of_list = "parameter-name" if "parameter-name" in query.values else "properties"
    text = query.values.get(name_of_list)
    if text is None:
        return collection.columns
    chosen = []
    for name in dict.fromkeys(listed_names(text)) if text else ():
        column = _listed_column(collection, name)
        if column is None:
            sentence = f"{name_of_list}: {unknown_name(name, _names(collection))}"
            query.fault(name_of_list, sentence, value=name)
        elif column not in chosen:
            chosen.append(column)
    return tuple(chosen)


def listed_names(text: str) -> list[str]:
    """Return the members of a comma-separated list of names; also of one in Python's notation: `['a', 'b']`."""
    if text == "[]":
        return []
    if _PYTHON_LIST.fullmatch(text):
        return [single or double for single, double in _PYTHON_TEXT.findall(text)]
    return [part.strip() for part in text.split(",")]


def _listed_column(collection: Collection, name: str) -> Column | None:
    """Return the column of a list member, in which `%2C` is a comma and `%25` a `%`."""
    return collection.column(name) or collection.column(unescape_id(name))


def _sort(collection: Collection, query: FaultCollector) -> tuple[SortTerm, ...]:
    terms: dict[str, SortTerm] = {}
    for part in query.values.get("sortby") or ():
        descending = part.startswith("-")
        name = part[1:] if part[:1] in ("+", "-") else part
        column = _listed_column(collection, name)
        name = column.name if column is not None else name
        if not name:
            query.fault("sortby", "sortby: the name of a property is missing", value=part)
        elif column is None:
            query.fault("sortby", f"sortby: {unknown_name(name, _names(collection))}", value=part)
        elif not column.ordered:
            kind = column.type if column.type in ("object", "array") else column.sql_type
            query.fault("sortby", f"sortby: '{name}' is of type {kind}, which has no order", value=part)
        elif name in terms:
            query.fault("sortby", f"sortby: '{name}' is given more than once", value=part)
        else:
            terms[name] = _term(column, descending)
    return tuple(terms.values())


# one object for each: expressions are compared by identity, and orders are keys of caches
@lru_cache(maxsize=1024)
def _term(column: Column, descending: bool) -> SortTerm:
    """Sort by what clients see: NaN and infinity, which they see as null, come last, too.

    An indexed column is sorted as it is stored: no index serves an expression.
    """
    if column.indexed or limits(column.sql_type) is None:
        return SortTerm(column, descending)
    return SortTerm(replace(column, not_null=False), descending, client_value(ident(column.name), column.sql_type))


def configured_order(collection: Collection, names: Iterable[str]) -> tuple[SortTerm, ...]:
    """Return an order from the catalogue, such as `("-magnitude",)`; columns that do not exist are ignored."""
    terms = ((collection.column(name.removeprefix("-")), name.startswith("-")) for name in names)
    return tuple(_term(column, descending) for column, descending in terms if column is not None)


def _names(collection: Collection) -> list[str]:
    return [column.name for column in collection.columns]
