"""Best tracks: fixes in order of time, and values derived from them."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

import numpy as np

from deploy.loader.geometry.antimeridian import Degrees, unroll

_R = int | None
Radii = tuple[_R, _R, _R, _R, _R, _R, _R, _R, _R, _R, _R, _R]
"""Radii in nautical miles: north-east, south-east, south-west, north-west of 34 kt, of 50 kt, of 64 kt."""

WINDS_KT = (34, 50, 64)
NO_RADII: Radii = (None, None, None, None, None, None, None, None, None, None, None, None)


class Fix(NamedTuple):
    """An observed or forecast position of a system: degrees, kt, hPa, UTC; status is the development level.

    landfall: whether the source marks it as one; None if the source has no such mark. wind_kt is the mean over
    wind_minutes from wind_agency; regional_wind_kt the mean over regional_wind_minutes from the agency responsible for
    the basin, whose own class is regional_class. aliases: other identifiers of the system.
    """

    event_id: str
    season: int
    basin: str
    time: datetime
    longitude: float
    latitude: float
    wind_kt: int | None
    pressure_hpa: int | None
    status: str | None
    source: str
    name: str | None = None
    gust_kt: int | None = None
    radii: Radii = NO_RADII
    landfall: bool | None = None
    ibtracs_id: str | None = None
    aliases: tuple[str, ...] = ()
    wind_minutes: int | None = None
    wind_agency: str | None = None
    regional_agency: str | None = None
    regional_wind_kt: int | None = None
    regional_wind_minutes: int | None = None
    regional_class: str | None = None

    @property
    def category(self) -> str | None:
        """Category on the Saffir-Simpson scale; None for a wind averaged over more than a minute."""
        return category(self.wind_kt) if self.wind_minutes == 1 else None


class BestTrack(NamedTuple):
    """The fixes of one system in order of time; never empty."""

    event_id: str
    fixes: list[Fix]

    @property
    def longitudes(self) -> Degrees:
        """Longitudes in degrees without jumps, beyond ±180 if the track crosses the antimeridian."""
        return unroll(np.array([fix.longitude for fix in self.fixes]))

    @property
    def latitudes(self) -> Degrees:
        """Latitudes in degrees north."""
        return np.array([fix.latitude for fix in self.fixes])

    @property
    def name(self) -> str | None:
        """The last name that it got."""
        return next((fix.name for fix in reversed(self.fixes) if fix.name), None)

    @property
    def aliases(self) -> list[str]:
        """Other identifiers of the system."""
        known = [alias for fix in self.fixes for alias in (*fix.aliases, *([fix.ibtracs_id] if fix.ibtracs_id else []))]
        return [alias for alias in dict.fromkeys(known) if alias != self.event_id]

    @property
    def peak(self) -> Fix:
        """The first fix with the highest wind; without winds, with the lowest pressure; else the middle one."""
        if (strongest := extreme(max, (fix.wind_kt for fix in self.fixes))) is not None:
            return next(fix for fix in self.fixes if fix.wind_kt == strongest)
        if (deepest := extreme(min, (fix.pressure_hpa for fix in self.fixes))) is not None:
            return next(fix for fix in self.fixes if fix.pressure_hpa == deepest)
        return self.fixes[len(self.fixes) // 2]

    @property
    def max_wind_kt(self) -> int | None:
        """Highest wind in kt, if any is known."""
        return extreme(max, (fix.wind_kt for fix in self.fixes))

    @property
    def wind_minutes(self) -> int | None:
        """Averaging period of its winds in minutes; None without winds."""
        return next((fix.wind_minutes for fix in self.fixes if fix.wind_kt is not None), None)

    @property
    def wind_agency(self) -> str | None:
        """Agencies of its winds."""
        return ", ".join(sorted({fix.wind_agency for fix in self.fixes if fix.wind_agency})) or None

    @property
    def category(self) -> str | None:
        """Category of the highest wind on the Saffir-Simpson scale; None for winds averaged over more than a minute."""
        return category(self.max_wind_kt) if self.wind_minutes == 1 else None

    @property
    def regional_peak(self) -> Fix | None:
        """The first fix with the highest wind of a regional agency."""
        strongest = extreme(max, (fix.regional_wind_kt for fix in self.fixes))
        return next((fix for fix in self.fixes if strongest is not None and fix.regional_wind_kt == strongest), None)

    @property
    def min_pressure_hpa(self) -> int | None:
        """Lowest pressure in hPa, if any is known."""
        return extreme(min, (fix.pressure_hpa for fix in self.fixes))


def twelve(radii: Sequence[int | None]) -> Radii:
    """Return twelve values in the order of `Radii`. Raises ValueError for another number."""
    ne34, se34, sw34, nw34, ne50, se50, sw50, nw50, ne64, se64, sw64, nw64 = radii
    return ne34, se34, sw34, nw34, ne50, se50, sw50, nw50, ne64, se64, sw64, nw64


def extreme(choose: Callable[[list[int]], int], values: Iterable[int | None]) -> int | None:
    """Return the largest or smallest of the known values, None if none is known."""
    known = [value for value in values if value is not None]
    return choose(known) if known else None


def best_tracks(fixes: Iterable[Fix]) -> list[BestTrack]:
    """Group fixes by system; they must be sorted by system, then by time."""
    return [BestTrack(event_id, list(group)) for event_id, group in groupby(fixes, key=lambda fix: fix.event_id)]


def category(wind_kt: int | None) -> str | None:
    """Return TD, TS or C1 to C5 for a 1-minute wind in kt. Source: Saffir-Simpson hurricane wind scale, NOAA NHC."""
    if wind_kt is None:
        return None
    limits = ((137, "C5"), (113, "C4"), (96, "C3"), (83, "C2"), (64, "C1"), (34, "TS"))
    return next((name for limit, name in limits if wind_kt >= limit), "TD")


def source_of(fixes: Iterable[Fix]) -> str:
    """Return the origin of a system's fixes, in words."""
    return "; ".join(sorted({fix.source for fix in fixes}))
