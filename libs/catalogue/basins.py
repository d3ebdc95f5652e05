"""Names of ocean basins for pages, maps and titles, by their codes in best tracks (IBTrACS)."""

from collections.abc import Mapping

BASIN = "basin"
"""The property with the code."""

BASINS: Mapping[str, str] = {
    "NA": "North Atlantic",
    "SA": "South Atlantic",
    "EP": "East Pacific",
    "WP": "West Pacific",
    "SP": "South Pacific",
    "NI": "North Indian Ocean",
    "SI": "South Indian Ocean",
}
