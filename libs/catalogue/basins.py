"""Ocean basins: what pages, maps and titles call the codes that best tracks have (IBTrACS)."""

from collections.abc import Mapping

BASIN = "basin"
"""The property that holds the code."""

BASINS: Mapping[str, str] = {
    "NA": "North Atlantic",
    "SA": "South Atlantic",
    "EP": "East Pacific",
    "WP": "West Pacific",
    "SP": "South Pacific",
    "NI": "North Indian Ocean",
    "SI": "South Indian Ocean",
}
