"""Derive a view's row identity from its definition: source columns and joins. Pure.

PostgreSQL stores the definition as a tree of nodes in text (`pg_rewrite.ev_action`, nodes/readfuncs.c). If a part is
not understood, the view's keys stay unknown.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Place = tuple[int, int]
"""Number of a source within a definition, and number of its column."""

_TOKEN = re.compile(r"[(){}]|(?:\\.|[^\s(){}\\])+", re.DOTALL)
_INNER, _LEFT, _RIGHT = "0", "1", "3"
_RELATION, _SUBQUERY, _JOIN = "0", "1", "2"


@dataclass(frozen=True, slots=True)
class Equal:
    """Two columns that a condition makes equal."""

    left: Place
    right: Place
    within: frozenset[int] | None = None
    """The sources that an outer join's condition restricts; None: it applies to all rows."""


@dataclass(slots=True)
class Definition:
    """A query over sources: relations (their oids) or queries of their own."""

    sources: dict[int, "int | Definition"] = field(default_factory=dict)
    nullable: set[int] = field(default_factory=set)
    """Sources for which an outer join may have no row."""
    columns: dict[int, Place] = field(default_factory=dict)
    """The source's column for each column of the result that is one."""
    equal: list[Equal] = field(default_factory=list)
    grouped_by: tuple[int, ...] | None = None
    """Columns of the result with one row per combination of values."""

    def relations(self) -> Iterator[int]:
        """Yield the oids of all relations, including those of inner queries."""
        for source in self.sources.values():
            yield from [source] if isinstance(source, int) else source.relations()


def read_definition(text: str) -> Definition | None:
    """Return the definition in `ev_action`; None if its form says nothing about its rows."""
    tokens = iter(_TOKEN.findall(text))
    try:
        (query,) = _value(tokens, next(tokens))
        return _definition(query)
    except (KeyError, IndexError, TypeError, ValueError, StopIteration, RecursionError):
        return None


def _value(tokens: Iterator[str], first: str) -> Any:
    if first == "(":
        found = []
        for entry in tokens:
            if entry == ")":
                break
            found.append(_value(tokens, entry))
        return found
    if first != "{":
        return None if first == "<>" else first
    node: dict[str, Any] = {"": next(tokens)}
    name = ""
    for entry in tokens:
        if entry == "}":
            break
        if entry.startswith(":"):
            name = entry[1:]
        elif name not in node:
            node[name] = _value(tokens, entry)
        else:
            # the bytes of a constant
            _value(tokens, entry)
    return node


def _definition(query: Mapping[str, Any]) -> Definition | None:
    if query["commandType"] != "1" or query["setOperations"] is not None or query["hasTargetSRFs"] != "false":
        return None
    if query["groupingSets"] is not None or (query["hasAggs"] == "true" and not query["groupClause"]):
        return None
    found, ranges = Definition(), query["rtable"]
    for entry in query["jointree"]["fromlist"]:
        _join(found, ranges, entry)
    _conditions(found, ranges, query["jointree"]["quals"], None)
    entries = [entry for entry in query["targetList"] if entry["resjunk"] == "false"]
    for entry in entries:
        place = _place(ranges, entry["expr"])
        if place is not None:
            found.columns[int(entry["resno"])] = place
    if query["groupClause"]:
        by_number = {entry["ressortgroupref"]: int(entry["resno"]) for entry in entries}
        found.grouped_by = tuple(by_number[group["tleSortGroupRef"]] for group in query["groupClause"])
    return found


def _join(found: Definition, ranges: list[Any], node: Mapping[str, Any]) -> frozenset[int]:
    """Add the joins of a node of FROM; return the numbers of its sources."""
    if node[""] == "RANGETBLREF":
        number = int(node["rtindex"])
        entry = ranges[number - 1]
        if entry["rtekind"] == _RELATION:
            found.sources[number] = int(entry["relid"])
        elif entry["rtekind"] == _SUBQUERY and (query := _definition(entry["subquery"])) is not None:
            found.sources[number] = query
        else:
            raise ValueError("a source whose rows nothing is known of")
        return frozenset([number])
    left, right = _join(found, ranges, node["larg"]), _join(found, ranges, node["rarg"])
    # not for FULL joins, where each side may have no row
    within = {_INNER: None, _LEFT: right, _RIGHT: left}[node["jointype"]]
    found.nullable |= within or set()
    _conditions(found, ranges, node["quals"], within)
    return left | right


def _conditions(found: Definition, ranges: list[Any], node: Any, within: frozenset[int] | None) -> None:
    for condition in node if isinstance(node, list) else [node] if node is not None else []:
        if condition[""] == "BOOLEXPR" and condition["boolop"] == "and":
            _conditions(found, ranges, condition["args"], within)
        elif condition[""] == "OPEXPR" and condition["opno"] in _EQUALITIES and len(condition["args"]) == 2:
            left, right = (_place(ranges, argument) for argument in condition["args"])
            if left is not None and right is not None:
                found.equal.append(Equal(left, right, within))


def _place(ranges: list[Any], node: Mapping[str, Any]) -> Place | None:
    while node[""] == "RELABELTYPE":
        node = node["arg"]
    if node[""] != "VAR" or node["varlevelsup"] != "0":
        return None
    number, column = int(node["varno"]), int(node["varattno"])
    entry = ranges[number - 1]
    if entry["rtekind"] == _JOIN:
        return _place(ranges, entry["joinaliasvars"][column - 1])
    return (number, column) if column > 0 else None


_EQUALITIES = frozenset(
    # operators of one type or of two sizes of integers: bool, "char", name, int2 to int8, oid, text, bpchar, uuid,
    # date, timestamp, timestamptz, numeric; these numbers are the same in all versions of PostgreSQL (pg_operator.dat)
    str(number)
    for number in (91, 92, 93, 94, 96, 410, 532, 533, 416, 15, 1862, 1868, 607, 98, 1054, 2972, 1093, 2060, 1320, 1752)
)
