"""Rows of the storm collections; those of the disturbances have the same columns."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

import shapely
from shapely.geometry import MultiLineString, Point

from deploy.database.demo.antimeridian import WGS84, split_lines
from deploy.database.demo.best_tracks import BestTrack, Fix, category
from libs.catalogue.basins import BASINS

_KINDS = {"TD": "Tropical depression", "TS": "Tropical storm"} | {
    f"C{number}": f"Category {number} storm" for number in range(1, 6)
}


class StormEvent(NamedTuple):
    """A row of hazard.hazard_ts_events: kt, hPa, UTC; geom is the position at peak intensity, WGS 84."""

    event_id: str
    title: str
    basin: str
    season: int
    category: str | None
    max_wind_kt: int | None
    min_pressure_hpa: int | None
    start_date: datetime
    end_date: datetime
    source: str
    geom: Point


class StormTrack(NamedTuple):
    """A row of hazard.hazard_ts_tracks: kt, hPa, km, UTC; geom WGS 84, split at ±180°."""

    event_id: str
    basin: str
    season: int
    kind: str
    category: str | None
    max_wind_kt: int | None
    min_pressure_hpa: int | None
    start_date: datetime
    end_date: datetime
    length_km: float
    source: str
    geom: MultiLineString


class StormNode(NamedTuple):
    """A row of hazard.hazard_ts_nodes: kt, hPa, UTC; geom WGS 84, longitude and latitude."""

    event_id: str
    basin: str
    season: int
    valid_time: datetime
    kind: str
    category: str | None
    status: str | None
    wind_kt: int | None
    pressure_hpa: int | None
    source: str
    geom: Point


def storm_events(tracks: Iterable[BestTrack], *, disturbances: bool = False) -> Iterator[StormEvent]:
    """One row per system."""
    for track in tracks:
        first, peak = track.fixes[0], track.peak
        grade = category(track.max_wind_kt)
        kind = "Tropical disturbance" if disturbances else _KINDS.get(grade or "", "Tropical system")
        yield StormEvent(
            event_id=track.event_id,
            title=f"{kind}, {BASINS[first.basin]}, {first.time:%B %Y}",
            basin=first.basin,
            season=first.season,
            category=grade,
            max_wind_kt=track.max_wind_kt,
            min_pressure_hpa=track.min_pressure_hpa,
            start_date=first.time,
            end_date=track.fixes[-1].time,
            source=source_of(track.fixes),
            geom=Point(peak.longitude, peak.latitude),
        )


def storm_tracks(tracks: Iterable[BestTrack], *, gap_hours: float = 24 * 365) -> Iterator[StormTrack]:
    """One row per system that moved; a pause of more than `gap_hours` interrupts its line."""
    for track in tracks:
        lines = _lines(track, gap_hours)
        if not lines:
            continue
        first = track.fixes[0]
        unrolled = MultiLineString(lines)
        yield StormTrack(
            event_id=track.event_id,
            basin=first.basin,
            season=first.season,
            kind="analysed",
            category=category(track.max_wind_kt),
            max_wind_kt=track.max_wind_kt,
            min_pressure_hpa=track.min_pressure_hpa,
            start_date=first.time,
            end_date=track.fixes[-1].time,
            length_km=round(WGS84.geometry_length(unrolled) / 1000, 1),
            source=source_of(track.fixes),
            geom=split_lines(unrolled),
        )


def storm_nodes(tracks: Iterable[BestTrack]) -> Iterator[StormNode]:
    """One row per fix."""
    for track in tracks:
        points = shapely.points([(fix.longitude, fix.latitude) for fix in track.fixes])
        for fix, point in zip(track.fixes, points, strict=True):
            yield StormNode(
                event_id=fix.event_id,
                basin=fix.basin,
                season=fix.season,
                valid_time=fix.time,
                kind="analysed",
                category=category(fix.wind_kt),
                status=fix.status,
                wind_kt=fix.wind_kt,
                pressure_hpa=fix.pressure_hpa,
                source=fix.source,
                geom=point,
            )


def source_of(fixes: Iterable[Fix]) -> str:
    """Where a system's fixes come from, in words."""
    return "; ".join(sorted({fix.source for fix in fixes}))


def _lines(track: BestTrack, gap_hours: float) -> list[list[tuple[float, float]]]:
    """Parts with at least two different positions, with unrolled longitudes; a system at rest adds none."""
    places = list(zip(track.longitudes.tolist(), track.latitudes.tolist(), strict=True))
    parts = [[places[0]]]
    for (earlier, later), place in zip(pairwise(track.fixes), places[1:], strict=True):
        if (later.time - earlier.time).total_seconds() > gap_hours * 3600:
            parts.append([place])
        elif place != parts[-1][-1]:
            parts[-1].append(place)
    return [part for part in parts if len(part) > 1]
