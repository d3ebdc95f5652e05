"""A second opinion on filters: another parser's tree, evaluated over GeoJSON features in plain Python."""

from __future__ import annotations

import math
import operator
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from itertools import product
from typing import Any

import cql2
import shapely
from shapely.geometry import shape

Feature = Mapping[str, Any]
EARLIEST, LATEST = datetime.fromisoformat("0001-01-01T00:00:00Z"), datetime.fromisoformat("9999-12-31T23:59:59Z")

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
ARITHMETIC: dict[str, Callable[[Any, Any], float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "%": math.fmod,
    "div": lambda a, b: math.trunc(a / b), "^": operator.pow,
}  # fmt: skip
SPATIAL = ("contains", "crosses", "disjoint", "equals", "intersects", "overlaps", "touches", "within")
# starts and ends of the first and of the second interval; each comparison is unknown where an end is
INTERVALS: dict[str, Callable[[Any, Any, Any, Any], bool | None]] = {
    "t_after": lambda s1, _e1, _s2, e2: _less(e2, s1),
    "t_before": lambda _s1, e1, s2, _e2: _less(e1, s2),
    "t_contains": lambda s1, e1, s2, e2: _all(_less(s1, s2), _less(e2, e1)),
    "t_disjoint": lambda s1, e1, s2, e2: _any([_less(e1, s2), _less(e2, s1)]),
    "t_during": lambda s1, e1, s2, e2: _all(_less(s2, s1), _less(e1, e2)),
    "t_equals": lambda s1, e1, s2, e2: _all(_same(s1, s2), _same(e1, e2)),
    "t_finishedby": lambda s1, e1, s2, e2: _all(_less(s1, s2), _same(e1, e2)),
    "t_finishes": lambda s1, e1, s2, e2: _all(_less(s2, s1), _same(e1, e2)),
    "t_intersects": lambda s1, e1, s2, e2: _not(_any([_less(e2, s1), _less(e1, s2)])),
    "t_meets": lambda _s1, e1, s2, _e2: _same(e1, s2),
    "t_metby": lambda s1, _e1, _s2, e2: _same(s1, e2),
    "t_overlappedby": lambda s1, e1, s2, e2: _all(_less(s2, s1), _less(s1, e2), _less(e2, e1)),
    "t_overlaps": lambda s1, e1, s2, e2: _all(_less(s1, s2), _less(s2, e1), _less(e1, e2)),
    "t_startedby": lambda s1, e1, s2, e2: _all(_same(s1, s2), _less(e2, e1)),
    "t_starts": lambda s1, e1, s2, e2: _all(_same(s1, s2), _less(e1, e2)),
}


def _less(a: Any, b: Any) -> bool | None:
    return None if None in (a, b) else bool(operator.lt(*_aligned(a, b)))


def _same(a: Any, b: Any) -> bool | None:
    return None if None in (a, b) else bool(operator.eq(*_aligned(a, b)))


def _not(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _all(*truths: bool | None) -> bool | None:
    return False if False in truths else None if None in truths else True


def matching(text: str, features: Sequence[Feature]) -> list[int]:
    """Ids of the features of which the CQL2 text filter is true."""
    tree = cql2.parse_text(text).to_json()
    return [feature["id"] for feature in features if _value(tree, feature)]


def _value(node: Any, feature: Feature) -> Any:
    if isinstance(node, list):
        return [_value(member, feature) for member in node]
    if not isinstance(node, dict):
        return node
    read = next((read for member, read in _OBJECTS.items() if member in node), None)
    return read(node, feature) if read else _instant(next(iter(node.values())), None)


def _interval(node: Any, feature: Feature) -> tuple[Any, ...]:
    ends = [_value(end, feature) for end in node["interval"]]
    return tuple(_instant(end, limit) for end, limit in zip(ends, (EARLIEST, LATEST), strict=True))


def _property(name: str, feature: Feature) -> Any:
    if name == "geom":
        return shape(feature["geometry"])
    value = feature["properties"][name]
    return _instant(value, None) if name in ("date", "start", "end") and value is not None else value


def _instant(value: Any, open_end: datetime | None) -> Any:
    if value == "..":
        return open_end
    if not isinstance(value, str):
        return value
    return date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)


def _box(west: float, south: float, east: float, north: float) -> Any:
    if west <= east:
        return shapely.box(west, south, east, north)
    return shapely.union(shapely.box(west, south, 180, north), shapely.box(-180, south, east, north))


def _operation(node: Any, feature: Feature) -> Any:
    name = node["op"].lower()
    args = [_value(arg, feature) for arg in node["args"]]
    if name in ("and", "or"):
        decisive = name == "or"
        return decisive if decisive in args else None if None in args else not decisive
    if name == "isnull":
        return args[0] is None
    return None if None in args else _FUNCTIONS[name](*args)


def _related(holds: Callable[..., bool | None]) -> Callable[[Any, Any], bool | None]:
    def related(a: Any, b: Any) -> bool | None:
        (s1, e1), (s2, e2) = (arg if isinstance(arg, tuple) else (arg, arg) for arg in (a, b))
        return holds(s1, e1, s2, e2)

    return related


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """A timestamp beside a date is its day."""
    if isinstance(a, date) and isinstance(b, date) and isinstance(a, datetime) is not isinstance(b, datetime):
        return tuple(value.date() if isinstance(value, datetime) else value for value in (a, b))  # type: ignore[return-value]
    return a, b


_STROKES = str.maketrans({**dict(zip("ØøĐđŁłıŦŧ", "OoDdLliTt", strict=True)), "Æ": "AE", "æ": "ae", "ß": "ss"})


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).translate(_STROKES)


def contains(whole: Sequence[Any] | None, part: Sequence[Any] | None) -> bool | None:
    """Every member of `part` equals some member of `whole`, in three-valued logic."""
    if whole is None or part is None:
        return None
    found = [_any(None if None in (one, other) else one == other for other in whole) for one in part]
    return False if False in found else None if None in found else True


def overlaps(a: Sequence[Any] | None, b: Sequence[Any] | None) -> bool | None:
    """Some member of one equals some member of the other."""
    if a is None or b is None:
        return None
    return _any(None if None in (one, other) else one == other for one, other in product(a, b))


def equal(a: Sequence[Any] | None, b: Sequence[Any] | None) -> bool | None:
    """Each contains the other."""
    both = (contains(a, b), contains(b, a))
    return False if False in both else None if None in both else True


def _any(found: Iterable[bool | None]) -> bool | None:
    truths = list(found)
    return True if True in truths else None if None in truths else False


def _like(text: str, pattern: str) -> bool:
    signs = re.findall(r"\\.|.", pattern, re.DOTALL)
    wild = {"%": ".*", "_": "."}
    return re.fullmatch("".join(wild.get(sign) or re.escape(sign[-1]) for sign in signs), text, re.DOTALL) is not None


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: lambda a, b, compare=compare: compare(*_aligned(a, b)) for name, compare in COMPARISONS.items()},
    **{name: _related(holds) for name, holds in INTERVALS.items()},
    **{f"s_{name}": getattr(shapely, name) for name in SPATIAL},
    **ARITHMETIC,
    "not": operator.not_,
    "in": lambda value, members: any(operator.eq(*_aligned(value, member)) for member in members),
    "between": lambda value, low, high: low <= value <= high,
    "like": _like,
    "a_contains": contains,
    "a_containedby": lambda a, b: contains(b, a),
    "a_equals": equal,
    "a_overlaps": overlaps,
    "casei": str.casefold,
    "accenti": _without_accents,
}
_OBJECTS: dict[str, Callable[[Any, Feature], Any]] = {
    "op": _operation,
    "property": lambda node, feature: _property(node["property"], feature),
    "interval": _interval,
    "bbox": lambda node, _: _box(*node["bbox"]),
    "type": lambda node, _: shape(node),
}
