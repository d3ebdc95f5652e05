"""Winds of storms: agencies and their averaging periods.

Agencies average over 1, 3 or 10 minutes. The 10-minute wind of a storm is a tenth or more lower than its 1-minute wind,
so winds of different periods must not be mixed in a track or compared on one scale. Sources: IBTrACS v04, column
documentation (WMO_WIND); WMO TD 1555, Guidelines for converting between various wind averaging periods (2010).
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from deploy.loader.storms.best_tracks import Fix

ONE_MINUTE = 1
"""Averaging period of the agencies of the United States, for which the Saffir-Simpson scale is defined."""


class Agency(NamedTuple):
    """An agency and the averaging period of its winds, in minutes."""

    name: str
    minutes: int


NHC = Agency("NHC", ONE_MINUTE)
CPHC = Agency("CPHC", ONE_MINUTE)
JTWC = Agency("JTWC", ONE_MINUTE)
JMA = Agency("JMA", 10)
IMD = Agency("IMD", 3)

US_AGENCIES = {"hurdat_atl": NHC, "hurdat_epa": NHC, "cphc": CPHC, "atcf": NHC, "nhc_working_bt": NHC}
"""Agencies by USA_AGENCY of IBTrACS. The files jtwc_* and tcvitals are not listed: see `JTWC`."""

REGIONAL_AGENCIES = {
    **US_AGENCIES,
    "tokyo": JMA,
    "newdelhi": IMD,
    "reunion": Agency("Météo-France La Réunion", 10),
    "bom": Agency("BoM", 10),
    "nadi": Agency("FMS", 10),
    "wellington": Agency("MetService", 10),
}
"""Agencies by WMO_AGENCY of IBTrACS: those that the World Meteorological Organization made responsible for a basin."""

REGIONAL_OF_BASIN = {
    "NA": NHC,
    "EP": NHC,
    "WP": JMA,
    "NI": IMD,
    "SI": Agency("Météo-France La Réunion or BoM", 10),
    "SP": Agency("BoM, FMS or MetService", 10),
}
"""Regional agencies by basin, for files that do not name them."""


def advisory_agency(number: str) -> Agency:
    """Return the agency that issues the advisories of a storm with this ATCF number."""
    return CPHC if number.startswith("CP") else NHC


def select_one_agency(fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes of a track with `wind_kt` of one averaging period.

    Winds of US agencies stay. If the whole track has none, the winds of the regional agencies replace them; of several
    averaging periods the most frequent one is used.
    """
    if any(fix.wind_kt is not None for fix in fixes):
        return list(fixes)
    minutes = Counter(fix.regional_wind_minutes for fix in fixes if fix.regional_wind_kt is not None)
    most = minutes.most_common(1)[0][0] if minutes else None
    return [
        fix._replace(
            wind_kt=fix.regional_wind_kt,
            wind_minutes=most,
            wind_agency=fix.regional_agency,
            source=f"{fix.source}, wind of {fix.regional_agency}",
        )
        if fix.regional_wind_kt is not None and fix.regional_wind_minutes == most
        else fix
        for fix in fixes
    ]
