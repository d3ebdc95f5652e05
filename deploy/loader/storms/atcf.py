"""Numbers of storms from warning centres: ATCF, such as AL112017."""

import re
from datetime import datetime

BASINS = {
    "AL": "NA", "EP": "EP", "CP": "EP", "WP": "WP", "IO": "NI", "SH": "SI", "SL": "SA", "LS": "SA",
}  # fmt: skip
"""IBTrACS's basin for the basin in a number; if it depends on the position, see `basin_of`."""

_NUMBER = re.compile(r"(AL|EP|CP|WP|IO|SH|SL|LS)(\d{2})(\d{4})\Z")


def is_number(text: str) -> bool:
    """Return whether the text is a number such as AL112017."""
    return _NUMBER.match(text) is not None


_LETTERS = {
    "W": "WP",
    "A": "IO",
    "B": "IO",
    "S": "SH",
    "P": "SH",
    "U": "SH",
    "L": "AL",
    "E": "EP",
    "C": "CP",
    "Q": "SL",
}
"""Basins by the letter after a number in texts, such as 27W: Arabian Sea, Bay of Bengal and so on."""
_SOUTHERN_SEASON = 7
"""Month in which seasons of the southern hemisphere begin; they have the year in which they end."""


def number_of(text: str, time: datetime) -> str:
    """Return the number of a system that a text of this time calls 27W or 03S. Raises ValueError."""
    basin = _LETTERS.get(text[2:])
    if basin is None or not text[:2].isdecimal():
        raise ValueError(f"'{text}' is no number of a system")
    return f"{basin}{text[:2]}{time.year + (basin == 'SH' and time.month >= _SOUTHERN_SEASON):04d}"


def season_of(number: str) -> int:
    """Return the year at its end."""
    return int(number[-4:])


def basin_of(number: str, longitude: float) -> str:
    """Return the basin of a system with this number at a longitude, in degrees within ±180.

    Storms of the East Pacific may move into the West Pacific, at 180°; the South Indian Ocean ends at 135° East.
    """
    basin = BASINS[number[:2]]
    if (basin == "EP" and longitude >= 0) or (basin == "WP" and longitude >= 0):
        return "WP"
    if basin == "WP":
        return "EP"
    if basin == "SI" and not 10 <= longitude < 135:
        return "SP"
    return basin
