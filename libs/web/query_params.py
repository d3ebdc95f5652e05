"""Check query parameters against their OpenAPI declaration, with all faults in one response; know those of trackers."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from types import MappingProxyType
from typing import Any, Self, cast

from libs.ogc.errors import Fault, InvalidParameters
from libs.ogc.numbers import INTEGER, NUMBER

_DIGITS = re.compile(r"[+-]?\d+\Z", re.ASCII)
_LARGEST = 10**18 - 1

Value = Any
"""A value in its parameter's schema type: int, float, bool, str or a list of these."""


@dataclass(frozen=True, slots=True)
class QueryParameter:
    """A declared query parameter."""

    name: str
    default: Value
    parse: Callable[[str], Value]
    """Converts text to a value; raises _MalformedError."""
    required: bool = False


@dataclass(frozen=True, slots=True)
class QueryValues:
    """The checked parameters of a request. It never changes.

    `values` has every declared parameter (its default, or None, if absent); `given` the names that the client sent;
    `extra` the members of the operation's free-form parameter. `faults` collects the errors, also those found later.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    extra: Mapping[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", MappingProxyType(self.values))
        object.__setattr__(self, "extra", MappingProxyType(self.extra))

    def with_values(self, changed: Mapping[str, Value]) -> Self:
        """Return a copy with other values of some declared parameters."""
        # copy() keeps the default of a defaultdict
        values = cast("MappingProxyType[str, Value]", self.values).copy()
        values.update(changed)
        return replace(self, values=values)

    def with_extra(self, extra: Mapping[str, str]) -> Self:
        """Return a copy with other free-form members."""
        return replace(self, extra=extra)

    def fault(self, name: str, msg: str, kind: str = "value_error", value: object = None) -> None:
        """Add a fault of the query parameter `name`."""
        self.faults.append(Fault(("query", name), msg, value, kind))

    def check(self) -> None:
        """Raise InvalidParameters if there are any faults."""
        if self.faults:
            raise InvalidParameters(self.faults)


class _MalformedError(ValueError):
    def __init__(self, kind: str, msg: str) -> None:
        super().__init__(msg)
        self.kind = kind


def read_query(
    declared: Mapping[str, QueryParameter], extra: str | None, query: Iterable[tuple[str, str]]
) -> QueryValues:
    """Check `query` (decoded name and value pairs in the order sent) against the declared parameters."""
    values = {name: parameter.default for name, parameter in declared.items()}
    given: set[str] = set()
    others: dict[str, str] = {}
    result = QueryValues(values, extra=others)
    repeated: set[str] = set()
    for name, text in query:
        if name in given or name in others:
            if name not in repeated:
                repeated.add(name)
                result.fault(name, f"{name} is given more than once", "repeated", text)
            continue
        if "\x00" in text or "\x00" in name:
            given.add(name)
            shown = name.replace("\x00", "?")
            result.fault(shown, f"{shown} must not hold a NUL character", "string_type")
        elif name in declared:
            given.add(name)
            try:
                values[name] = declared[name].parse(text)
            except _MalformedError as error:
                result.fault(name, f"{name} {error}", error.kind, text)
        elif extra is not None:
            others[name] = text
        else:
            given.add(name)
            known = f"; this resource knows {', '.join(declared)}" if declared else "; this resource knows none"
            shown = name or "A parameter without a name"
            result.fault(name, f"{shown} is not a parameter{known}", "extra_forbidden", text)
    for name, parameter in declared.items():
        if parameter.required and name not in given:
            result.fault(name, f"{name} is missing", "missing")
    return replace(result, values=values, given=frozenset(given), extra=others)


def query_parameter(declaration: Mapping[str, Any], *, to_maximum: bool = False) -> QueryParameter:
    """Return the parameter of an OpenAPI declaration; with `to_maximum`, a value above its maximum means the maximum.

    Raises ValueError if the schema uses a keyword that is not checked here, so that everything documented is checked.
    """
    name, schema = declaration["name"], declaration["schema"]
    if schema["type"] == "array" and declaration.get("explode", True):
        raise ValueError(f"{name}: lists are comma-separated here (explode: false)")
    parse = _parser(name, schema)
    if to_maximum and "maximum" in schema:
        parse = _to_maximum(parse, schema["maximum"])
    return QueryParameter(name, schema.get("default"), parse, declaration.get("required", False))


def _to_maximum(parse: Callable[[str], Value], maximum: float) -> Callable[[str], Value]:
    def parse_bounded(text: str) -> Value:
        try:
            return parse(text)
        except _MalformedError as error:
            if error.kind != "less_than_equal":
                raise
            return maximum

    return parse_bounded


_ANNOTATIONS = {"type", "default", "description", "example", "format", "nullable"}


def _parser(name: str, schema: Mapping[str, Any]) -> Callable[[str], Value]:
    kinds: dict[str, tuple[set[str], Callable[[Mapping[str, Any], str], Value]]] = {
        "integer": ({"minimum", "maximum"}, _integer),
        "number": ({"minimum", "maximum"}, _number),
        "boolean": (set(), _boolean),
        "string": ({"enum", "minLength", "maxLength"}, _string),
        "array": ({"items", "minItems", "maxItems"}, _array),
    }
    keywords, parse = kinds[schema["type"]]
    unchecked = set(schema) - keywords - _ANNOTATIONS
    if unchecked:
        raise ValueError(f"{name}: {', '.join(sorted(unchecked))} would not be checked")
    return lambda text: parse(schema, text)


def _integer(schema: Mapping[str, Any], text: str) -> int:
    if not INTEGER.match(text):
        if not _DIGITS.match(text):
            raise _MalformedError("int_parsing", "must be a whole number")
        if text.startswith("-"):
            raise _MalformedError("greater_than_equal", f"must be at least {schema.get('minimum', -_LARGEST)}")
        raise _MalformedError("less_than_equal", f"must be at most {schema.get('maximum', _LARGEST)}")
    return int(_check_limits(schema, int(text)))


def _number(schema: Mapping[str, Any], text: str) -> float:
    if not NUMBER.match(text):
        raise _MalformedError("float_parsing", "must be a number")
    if not isfinite(float(text)):
        raise _MalformedError("float_parsing", "must be a number below 1.8e308")
    return _check_limits(schema, float(text))


def _check_limits(schema: Mapping[str, Any], value: float) -> float:
    if "minimum" in schema and value < schema["minimum"]:
        raise _MalformedError("greater_than_equal", f"must be at least {schema['minimum']}")
    if "maximum" in schema and value > schema["maximum"]:
        raise _MalformedError("less_than_equal", f"must be at most {schema['maximum']}")
    return value


def _boolean(_: Mapping[str, Any], text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise _MalformedError("bool_parsing", "must be true or false")
    return text.lower() == "true"


def _string(schema: Mapping[str, Any], text: str) -> str:
    if "enum" in schema and text not in schema["enum"]:
        raise _MalformedError("enum", f"must be one of {', '.join(schema['enum'])}")
    if len(text) < schema.get("minLength", 0):
        raise _MalformedError("string_too_short", "must not be empty")
    if len(text) > schema.get("maxLength", len(text)):
        raise _MalformedError("string_too_long", f"must have {schema['maxLength']} characters at most")
    return text


def _array(schema: Mapping[str, Any], text: str) -> list[Value]:
    items = schema["items"]
    parse = {"number": _number, "integer": _integer, "string": _string}[items["type"]]
    values: list[Value] = []
    for position, part in enumerate(text.split(","), start=1):
        try:
            values.append(parse(items, part.strip()))
        except _MalformedError as error:
            raise _MalformedError(error.kind, f"item {position} ('{part}') {error}") from None
    for bound, wrong in (
        ("minItems", len(values) < schema.get("minItems", 0)),
        ("maxItems", len(values) > schema.get("maxItems", len(values))),
    ):
        if wrong:
            raise _MalformedError(bound, f"has {len(values)} items, {bound[:3]}imum is {schema[bound]}")
    return values


_TRACKERS = frozenset({"fbclid", "gclid", "mc_cid", "mc_eid", "msclkid"})


_ADDED_TO_TILES = frozenset({"_", "access_token"})
"""Parameters that map libraries add to each address of a tileset: against caches, and for servers that need a key."""


def is_added_to_tiles(name: str) -> bool:
    """Return whether map libraries add a parameter of this name to addresses of tiles and their metadata."""
    return name in _ADDED_TO_TILES or is_tracking(name)


def is_tracking(name: str) -> bool:
    """Return whether a parameter of this name belongs to a tracker."""
    return name.startswith("utm_") or name in _TRACKERS
