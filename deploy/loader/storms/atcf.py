"""Numbers of storms as warning centres give them: ATCF, such as AL112017."""

import re

BASINS = {
    "AL": "NA", "EP": "EP", "CP": "EP", "WP": "WP", "IO": "NI", "SH": "SI", "SL": "SA", "LS": "SA",
}  # fmt: skip
"""The basin of IBTrACS for the basin of a number; where it depends on the place, see `basin_of`."""

_NUMBER = re.compile(r"(AL|EP|CP|WP|IO|SH|SL|LS)(\d{2})(\d{4})\Z")


def is_number(text: str) -> bool:
    """Whether it is a number such as AL112017."""
    return _NUMBER.match(text) is not None


def season_of(number: str) -> int:
    """The year at its end."""
    return int(number[-4:])


def basin_of(number: str, longitude: float) -> str:
    """Where a system of this number is at a longitude, in degrees within ±180: storms of the East Pacific move on into
    the West Pacific, at 180°; the South Indian Ocean ends at 135° East.
    """
    basin = BASINS[number[:2]]
    if (basin == "EP" and longitude >= 0) or (basin == "WP" and longitude >= 0):
        return "WP"
    if basin == "WP":
        return "EP"
    if basin == "SI" and not 10 <= longitude < 135:
        return "SP"
    return basin
