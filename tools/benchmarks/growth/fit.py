"""Fit the growth of a cost: the exponent of the power law through its points, and a picture of several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH, _HEIGHT, _EDGE = 360, 260, 44
_ACROSS = 3


@dataclass(frozen=True, slots=True)
class Series:
    """A cost in `unit` at several sizes of `of`."""

    title: str
    of: str
    unit: str
    points: tuple[tuple[float, float], ...]

    @property
    def exponent(self) -> float:
        """Exponent of the best power law (least squares of the logarithms): 0 is constant, 1 is proportional."""
        return _slope([(math.log(size), math.log(cost)) for size, cost in self.points])

    @property
    def last(self) -> float:
        """Exponent between the last two sizes, where constant parts weigh least."""
        return _slope([(math.log(size), math.log(cost)) for size, cost in self.points[-2:]])

    def extrapolate(self, size: float) -> float:
        """Extrapolate the cost to a larger size from the last step."""
        last, cost = self.points[-1]
        return cost * math.pow(size / last, self.last)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope: float = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    return slope


def table(series: Sequence[Series]) -> str:
    """Return the figures as a table in Markdown."""
    lines = ["| what grows | cost | at | exponent | of the last step |", "|---|---|---|---|---|"]
    for each in series:
        at = ", ".join(f"{size:,.0f}: {figure(cost)}" for size, cost in each.points)
        lines.append(f"| {each.of} | {each.title}, {each.unit} | {at} | {each.exponent:.2f} | {each.last:.2f} |")
    return "\n".join(lines)


def picture(series: Sequence[Series]) -> str:
    """Return the same as SVG: one panel each, both axes by powers of ten, the fitted line dashed."""
    rows = math.ceil(len(series) / _ACROSS)
    panels = "".join(
        f'<g transform="translate({number % _ACROSS * _WIDTH} {number // _ACROSS * _HEIGHT})">{_panel(each)}</g>'
        for number, each in enumerate(series)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_ACROSS * _WIDTH} {rows * _HEIGHT}" '
        f'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#fff"/>{panels}</svg>\n'
    )


def _panel(series: Series) -> str:
    xs, ys = ([math.log10(value) for value in values] for values in zip(*series.points, strict=True))
    left, right = math.floor(min(xs)), max(math.ceil(max(xs)), math.floor(min(xs)) + 1)
    low, high = math.floor(min(ys)), max(math.ceil(max(ys)), math.floor(min(ys)) + 1)

    def at(x: float, y: float) -> str:
        across = _EDGE + (x - left) / (right - left) * (_WIDTH - 2 * _EDGE)
        down = _HEIGHT - _EDGE - (y - low) / (high - low) * (_HEIGHT - _EDGE - 40)
        return f"{across:.1f},{down:.1f}"

    mean_x, mean_y, slope = sum(xs) / len(xs), sum(ys) / len(ys), series.exponent
    ends = " ".join(at(x, min(high, max(low, mean_y + slope * (x - mean_x)))) for x in (min(xs), max(xs)))
    marks = [f'<text x="{_EDGE}" y="16" font-weight="bold">{series.title}, {series.unit}</text>']
    marks.append(f'<text x="{_WIDTH - _EDGE}" y="30" text-anchor="end" fill="#555">exponent {slope:.2f}</text>')
    for power in range(left, right + 1):
        across, down = at(power, low).split(",")
        marks.append(f'<path d="M{at(power, low)}L{at(power, high)}" stroke="#ddd"/>')
        marks.append(f'<text x="{across}" y="{float(down) + 14}" text-anchor="middle">{10**power:,}</text>')
    for power in range(low, high + 1):
        across, down = at(left, power).split(",")
        marks.append(f'<path d="M{at(left, power)}L{at(right, power)}" stroke="#ddd"/>')
        marks.append(f'<text x="{float(across) - 4}" y="{float(down) + 4}" text-anchor="end">{10.0**power:g}</text>')
    marks.append(f'<text x="{_WIDTH / 2}" y="{_HEIGHT - 12}" text-anchor="middle" fill="#555">{series.of}</text>')
    marks.append(f'<polyline points="{ends}" fill="none" stroke="#999" stroke-dasharray="4 3"/>')
    line = " ".join(at(x, y) for x, y in zip(xs, ys, strict=True))
    marks.append(f'<polyline points="{line}" fill="none" stroke="#0b62a4" stroke-width="2"/>')
    for x, y in zip(xs, ys, strict=True):
        across, down = at(x, y).split(",")
        marks.append(f'<circle cx="{across}" cy="{down}" r="3" fill="#0b62a4"/>')
    return "".join(marks)


def figure(value: float) -> str:
    """Format a number with about three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
