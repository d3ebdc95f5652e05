"""The correlation identifier of an event, by the rule of the Monty extension. Pure.

It consists of the day, the first country, the block of the grid in which the middle of the event's box lies, the hazard
code and the number of the episode.
"""

from bisect import bisect_right
from collections.abc import Sequence

EPISODE = 1
"""Number of the episode: this service has one item for each event, which follows the newest report."""
AT_SEA = "XYZ"
"""Code that the extension uses for international waters."""

_COLUMNS = 1800


def own_countries(listed: str | None) -> list[str]:
    """Return the codes that an event lists, separated by commas; that of international waters if it lists none."""
    return [code.strip() for code in (listed or "").split(",") if code.strip()] or [AT_SEA]


def _edges(start: float, number: int) -> tuple[float, ...]:
    # the edges of the published grid: its step is the difference of the first two
    step = (start + 0.2) - start
    return tuple(start + step * place for place in range(number + 1))


_SOUTH, _WEST = _edges(-90.0, 900), _edges(-180.0, _COLUMNS)


def block(box: Sequence[float] | None) -> int:
    """Return the number of the cell of 0.2 degrees around the middle of a box; 0 without a box, or outside the grid."""
    if box is None:
        return 0
    longitude, latitude = round((box[0] + box[2]) / 2, 1), round((box[1] + box[3]) / 2, 1)
    row, column = bisect_right(_SOUTH, latitude) - 1, bisect_right(_WEST, longitude) - 1
    inside = 0 <= row < len(_SOUTH) - 1 and 0 <= column < _COLUMNS
    return row * _COLUMNS + column + 1 if inside else 0


def correlation_id(moment: str, countries: Sequence[str], box: Sequence[float] | None, hazard: str) -> str:
    """Return the identifier of an event that began at a time in RFC 3339."""
    return f"{moment[:10].replace('-', '')}-{countries[0]}-{block(box)}-{hazard}-{EPISODE}-GCDB"
