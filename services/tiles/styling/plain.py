"""A style without colour expressions: one layer per colour, for programs that read few expressions, such as QGIS."""

from typing import Any

from services.tiles.styling.palette import Expression

Layer = dict[str, Any]

_COLORS = {"circle": "circle-color", "line": "line-color", "fill": "fill-color"}
_NEGATED = {">=": "<", "==": "!=", "!=": "=="}


def plain_layers(layers: list[Layer]) -> list[Layer]:
    """Return the layers with one colour, opacity and size each, the most important classes last.

    It supports the expressions that palette.py and hazard.py make.
    """
    return [plain for layer in layers for plain in _of_each_color(layer)]


def _of_each_color(layer: Layer) -> list[Layer]:
    paint = {name: value for name, value in layer.get("paint", {}).items() if _is_plain(value)}
    paint |= {
        name: number
        for name, value in layer.get("paint", {}).items()
        if not _is_plain(value) and (number := _middle(value)) is not None
    }
    name = _COLORS.get(layer["type"])
    if name is None or _is_plain(layer["paint"].get(name)):
        return [{**layer, "paint": paint}]
    made = []
    for number, (conditions, color) in enumerate(_branches(layer["paint"][name])):
        same = {other: color for other, value in layer["paint"].items() if value == layer["paint"][name]}
        own = [layer["filter"]] if "filter" in layer else []
        made.append(
            {
                **layer,
                "id": f"{layer['id']}:{number}",
                "filter": ["all", *own, *conditions],
                "layout": {
                    key: value for key, value in layer.get("layout", {}).items() if not key.endswith("sort-key")
                },
                "paint": {**paint, **same},
            }
        )
    return made[::-1]


def _is_plain(value: Expression) -> bool:
    """Return whether the value is constant, or depends only on the zoom."""
    if not isinstance(value, list):
        return True
    if value[:3] == ["interpolate", ["linear"], ["zoom"]]:
        return all(not isinstance(stop, list) for stop in value[3:])
    return all(isinstance(member, int | float) for member in value)


def _middle(value: Expression) -> Any:
    """Return the middle value of an expression for numbers; None for one of colours."""
    if not isinstance(value, list):
        return value if isinstance(value, int | float) else None
    if value[0] == "interpolate":
        stops = [_middle(stop) for stop in value[4::2]]
        return [*value[:3], *_pair(value[3::2], stops)] if value[2] == ["zoom"] else stops[len(stops) // 2]
    return _middle(value[-1]) if value[0] in ("case", "match") else None


def _pair(places: list[Any], stops: list[Any]) -> list[Any]:
    return [part for pair in zip(places, stops, strict=True) for part in pair]


def _branches(expression: Expression, before: tuple[Any, ...] = ()) -> list[tuple[list[Any], str]]:
    """Return each colour of a `case` or `match` with the conditions that lead to exactly that colour."""
    if not isinstance(expression, list):
        return [(list(before), expression)]
    chosen = expression[1:-1] if expression[0] == "case" else _matches(expression)
    found = []
    for condition, color in zip(chosen[::2], chosen[1::2], strict=True):
        found.append(([*before, condition], color))
        before = (*before, _not(condition))
    return [*found, *_branches(expression[-1], before)]


def _matches(expression: list[Any]) -> list[Any]:
    """Return the branches of a `match` as those of a `case`, in order: the last is the most important."""
    labels, colors = expression[2:-1:2][::-1], expression[3:-1:2][::-1]
    conditions = [["any", *(["==", expression[1], label] for label in group)] for group in labels]
    return _pair(conditions, colors)


def _not(condition: list[Any]) -> list[Any]:
    operator, *rest = condition
    if operator in ("all", "any"):
        return ["any" if operator == "all" else "all", *map(_not, rest)]
    return ["!", condition] if operator == "has" else [_NEGATED[operator], *rest]
