"""Rows of the collections of storms from their best tracks; those of disturbances have the same columns."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
import shapely
from shapely.geometry import MultiLineString, MultiPolygon, Point

from deploy.loader.geometry.antimeridian import WGS84, area_km2, split_lines
from deploy.loader.geometry.landfall import NOT_LOOKED_AT, Coast, Landfall
from deploy.loader.geometry.wind_zones import step_zones, swath, to_stored
from deploy.loader.records.storms import AdvisoryZone, StormEvent, StormNode, StormTrack, StormZone
from deploy.loader.storms.best_tracks import WINDS_KT, BestTrack, Fix, source_of
from deploy.loader.storms.people import NOBODY_ASKED
from libs.catalogue.basins import BASINS

_KINDS = {"TD": "Tropical depression", "TS": "Tropical storm"} | {
    f"C{number}": f"Category {number} storm" for number in range(1, 6)
}


def storm_events(tracks: Iterable[BestTrack], *, disturbances: bool = False) -> Iterator[StormEvent]:
    """Yield one row per system."""
    for track in tracks:
        first, peak = track.fixes[0], track.peak
        grade, regional = track.category, track.regional_peak
        kind = "Tropical disturbance" if disturbances else _KINDS.get(grade or "", "Tropical system")
        called = f"{kind} {track.name}" if track.name else kind
        yield StormEvent(
            event_id=track.event_id,
            title=f"{called}, {BASINS[first.basin]}, {first.time:%B %Y}",
            name=track.name,
            basin=first.basin,
            season=first.season,
            category=grade,
            max_wind_kt=track.max_wind_kt,
            wind_minutes=track.wind_minutes,
            wind_agency=track.wind_agency,
            regional_agency=regional.regional_agency if regional else None,
            regional_wind_kt=regional.regional_wind_kt if regional else None,
            regional_wind_minutes=regional.regional_wind_minutes if regional else None,
            regional_class=regional.regional_class if regional else None,
            min_pressure_hpa=track.min_pressure_hpa,
            start_date=first.time,
            end_date=track.fixes[-1].time,
            ibtracs_id=first.ibtracs_id,
            source=source_of(track.fixes),
            geom=Point(peak.longitude, peak.latitude),
        )


def storm_tracks(tracks: Iterable[BestTrack], *, gap_hours: float = 24 * 365) -> Iterator[StormTrack]:
    """Yield one row per system that moved; a gap of more than `gap_hours` interrupts its line."""
    for track in tracks:
        lines = _lines(track, gap_hours)
        if not lines:
            continue
        first = track.fixes[0]
        unrolled = MultiLineString(lines)
        yield StormTrack(
            event_id=track.event_id,
            name=track.name,
            basin=first.basin,
            season=first.season,
            start_date=first.time,
            end_date=track.fixes[-1].time,
            kind="analysed",
            advisory=None,
            advisory_time=None,
            category=track.category,
            max_wind_kt=track.max_wind_kt,
            wind_minutes=track.wind_minutes,
            wind_agency=track.wind_agency,
            min_pressure_hpa=track.min_pressure_hpa,
            length_km=round(WGS84.geometry_length(unrolled) / 1000, 1),
            source=source_of(track.fixes),
            geom=split_lines(unrolled),
        )


def storm_nodes(tracks: Sequence[BestTrack], coast: Coast | None = None) -> Iterator[StormNode]:
    """Yield one row per fix, with the final name of the system.

    Landfalls are those of the source. With a `coast`, others are computed, but not at the fixes next to a known one,
    which would repeat it.
    """
    for track, landfalls in zip(tracks, landfalls_of(tracks, coast), strict=True):
        points = shapely.points([(fix.longitude, fix.latitude) for fix in track.fixes])
        name = track.name
        known = [bool(fix.landfall) for fix in track.fixes]
        told = [before or after for before, after in zip([False, *known[:-1]], [*known[1:], False], strict=True)]
        for fix, point, found, beside in zip(track.fixes, points, landfalls, told, strict=True):
            landfall = True if fix.landfall else found.landfall and not beside
            yield StormNode(
                fix.event_id,
                name,
                fix.basin,
                fix.season,
                fix.time,
                "analysed",
                None,
                None,
                fix.category,
                fix.status,
                fix.wind_kt,
                fix.wind_minutes if fix.wind_kt is not None else None,
                fix.wind_agency if fix.wind_kt is not None else None,
                fix.regional_agency,
                fix.regional_wind_kt,
                fix.regional_wind_minutes,
                fix.regional_class,
                fix.gust_kt,
                fix.pressure_hpa,
                *fix.radii,
                landfall,
                _landfall_place(fix, found, coast) if landfall else None,
                fix.source,
                point,
            )


def _landfall_place(fix: Fix, found: Landfall, coast: Coast | None) -> str | None:
    """Return the country of a landfall. Small islands are not on the coasts, so the nearest coast counts there."""
    if found.place or coast is None:
        return found.place
    return coast.nearest(fix.longitude, fix.latitude)


def observed_zones(tracks: Iterable[BestTrack], *, source: str) -> Iterator[AdvisoryZone]:
    """Yield a zone for each fix and wind speed with radii, as the source observed it.

    They are stored with the zones of advisories, without a number; their time of issue is the time of the fix.
    """
    for track in tracks:
        for number, wind in enumerate(WINDS_KT):
            radii = np.array([fix.radii[4 * number : 4 * number + 4] for fix in track.fixes], dtype=np.float64)
            inside = np.flatnonzero(np.nan_to_num(radii).any(axis=1))
            if not inside.size:
                continue
            steps = step_zones(track.longitudes[inside], track.latitudes[inside], radii[inside])
            for place, geom in zip(inside.tolist(), to_stored(steps), strict=True):
                fix = track.fixes[place]
                yield AdvisoryZone(
                    event_id=track.event_id,
                    name=track.name,
                    basin=track.fixes[0].basin,
                    season=fix.season,
                    wind_speed_kt=wind,
                    start_date=fix.time,
                    end_date=fix.time,
                    kind="analysed",
                    scope="step",
                    advisory=None,
                    advisory_time=fix.time,
                    area_km2=area_km2(geom),
                    **NOBODY_ASKED,
                    source=source,
                    geom=geom,
                )


def storm_zones(tracks: Iterable[BestTrack], *, gap_hours: float = 12.0, source: str) -> Iterator[StormZone]:
    """Yield a row per system and wind speed with radii: the swath between fixes up to `gap_hours` apart."""
    for track in tracks:
        radii = np.array([[radius or 0 for radius in fix.radii] for fix in track.fixes], dtype=np.float64)
        hours = np.array([fix.time.timestamp() / 3600 for fix in track.fixes])
        joined = (np.diff(hours) <= gap_hours).tolist()
        for number, wind in enumerate(WINDS_KT):
            inside = np.flatnonzero(radii[:, 4 * number : 4 * number + 4].any(axis=1))
            if not inside.size:
                continue
            steps = step_zones(track.longitudes, track.latitudes, radii[:, 4 * number : 4 * number + 4])
            (zone,) = to_stored(np.array([swath(list(steps), joined)], dtype=object))
            yield zone_of(track, wind, track.fixes[inside[0]], track.fixes[inside[-1]], source=source, zone=zone)


def zone_of(track: BestTrack, wind_kt: int, first: Fix, last: Fix, *, source: str, zone: MultiPolygon) -> StormZone:
    """Return the row of a track's zone; `first` and `last` are its fixes with this wind."""
    return StormZone(
        event_id=track.event_id,
        name=track.name,
        basin=track.fixes[0].basin,
        season=track.fixes[0].season,
        wind_speed_kt=wind_kt,
        start_date=first.time,
        end_date=last.time,
        kind="analysed",
        advisory=None,
        advisory_time=None,
        area_km2=area_km2(zone),
        **NOBODY_ASKED,
        source=source,
        geom=zone,
    )


def landfalls_of(tracks: Sequence[BestTrack], coast: Coast | None) -> list[list[Landfall]]:
    """Return the landfall of each fix of each track."""
    if coast is None:
        return [[NOT_LOOKED_AT] * len(track.fixes) for track in tracks]
    # an advisory may have no position
    places = [np.array([(fix.longitude, fix.latitude) for fix in track.fixes]).reshape(-1, 2) for track in tracks]
    return coast.landfalls([(place[:, 0], place[:, 1]) for place in places])


def _lines(track: BestTrack, gap_hours: float) -> list[list[tuple[float, float]]]:
    """Return parts with at least two different positions, with unrolled longitudes; a stationary system adds none."""
    places = list(zip(track.longitudes.tolist(), track.latitudes.tolist(), strict=True))
    parts = [[places[0]]]
    for (earlier, later), place in zip(pairwise(track.fixes), places[1:], strict=True):
        if (later.time - earlier.time).total_seconds() > gap_hours * 3600:
            parts.append([place])
        elif place != parts[-1][-1]:
            parts[-1].append(place)
    return [part for part in parts if len(part) > 1]
