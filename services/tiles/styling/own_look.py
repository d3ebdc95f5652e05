"""The look that an operator configured for a collection, over the one that follows from its properties."""

from dataclasses import replace
from itertools import pairwise

from libs.catalogue.own_look import OwnLook
from services.tiles.styling.layers import Look
from services.tiles.styling.palette import WIND, Class, Scale, Symbol, dark_color, single_class

_LEAST = -1e8
"""Start of the first class: below it are only values that are not numbers."""
_SHAPES = {"circle": "●", "square": "■", "triangle": "▲", "diamond": "◆"}


def with_own_look(look: Look, own: OwnLook, symbol: Symbol) -> Look:
    """Return the look with the configured colour, label, symbol and classes."""
    scale = _scale(own)
    if scale is not None:
        look = replace(look, color=scale.color(), sort_key=scale.rank(), legend=(scale.legend(symbol),))
    elif own.color is not None:
        look = replace(look, color=own.color, sort_key=None, legend=(single_class("Feature", own.color, symbol),))
    mark = _SHAPES[own.symbol] if own.symbol else look.mark if scale is None and own.color is None else None
    return replace(look, mark=mark, label=own.label or look.label)


def _scale(own: OwnLook) -> Scale | None:
    if own.column is None:
        return None
    if own.values:
        classes = [Class(text, color, dark_color(color), values=(text,)) for text, color in own.values]
    else:
        starts = (_LEAST, *own.breaks)
        pairs = [(color, dark_color(color)) for color in own.colors] or _sequence(len(starts))
        classes = [
            Class(label, *pair, start) for label, pair, start in zip(_labels(own.breaks), pairs, starts, strict=True)
        ]
    return Scale(own.title or own.column, (own.column,), tuple(classes))


def _sequence(number: int) -> list[tuple[str, str]]:
    """Return this number of colours, at equal distances from yellow to purple."""
    colors = [(item.color, item.dark) for item in WIND.classes]
    return [colors[round(at * (len(colors) - 1) / (number - 1))] for at in range(number)]


def _labels(breaks: tuple[float, ...]) -> list[str]:
    texts = [f"{each:.15g}" for each in breaks]
    between = [f"{low} – {high}" for low, high in pairwise(texts)]
    return [f"< {texts[0]}", *between, f"≥ {texts[-1]}"]
