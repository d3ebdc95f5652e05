"""Rows of advisories, and the newest ones as the forecasts of their storms."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely.geometry import LineString

from deploy.loader.geometry.antimeridian import WGS84, area_km2, split_lines
from deploy.loader.geometry.landfall import Coast
from deploy.loader.geometry.wind_zones import Shapes, step_zones, swath, to_stored
from deploy.loader.records.storms import AdvisoryNode, AdvisoryTrack, AdvisoryZone, StormNode, StormTrack, StormZone
from deploy.loader.storms.best_tracks import WINDS_KT, BestTrack, Fix
from deploy.loader.storms.people import NOBODY_ASKED
from deploy.loader.storms.rows import landfalls_of

UNDER_WAY = timedelta(hours=24)
"""Age of a storm's newest advisory, relative to the newest of all, after which it has ended: they are 6 hours apart."""
_NO_REGION: dict[str, Any] = dict.fromkeys(
    ("regional_agency", "regional_wind_kt", "regional_wind_minutes", "regional_class")
)
"""An advisory has no second, regional agency."""
_LONGEST_STEP = timedelta(hours=24)
"""Longest gap between time steps for which wind is assumed to continue."""


class Advisory(NamedTuple):
    """An advisory about a storm at one time.

    analysed: its position; None if unknown. forecast: its expected positions, in order of time. final: whether the
    advisory says that it is the last one. past: earlier positions that it repeats.
    """

    event_id: str
    name: str | None
    season: int
    number: int | None
    time: datetime
    analysed: Fix | None
    forecast: list[Fix]
    source: str
    final: bool = False
    past: tuple[Fix, ...] = ()

    @property
    def fixes(self) -> list[Fix]:
        """Its position and its expected positions, in order of time."""
        return [*([self.analysed] if self.analysed else []), *self.forecast]

    @property
    def track(self) -> BestTrack:
        """The same as a track; empty for an advisory without any position."""
        return BestTrack(self.event_id, self.fixes)


def active_advisories(advisories: Sequence[Advisory]) -> list[Advisory]:
    """Return the newest advisory of each storm that was active when the newest of all was issued."""
    newest: dict[str, Advisory] = {}
    for advisory in advisories:
        if advisory.event_id not in newest or newest[advisory.event_id].time < advisory.time:
            newest[advisory.event_id] = advisory
    latest = max((advisory.time for advisory in newest.values()), default=None)
    return [each for each in newest.values() if latest and latest - each.time <= UNDER_WAY and not each.final]


def advisory_tracks(advisories: Sequence[Advisory]) -> Iterator[AdvisoryTrack]:
    """Yield one row per advisory with a line."""
    for advisory in advisories:
        places = [(fix.longitude, fix.latitude) for fix in advisory.fixes]
        if len(set(places)) < 2:
            continue
        track = advisory.track
        line = LineString(np.column_stack([track.longitudes, track.latitudes]))
        fixes = track.fixes
        yield AdvisoryTrack(
            event_id=advisory.event_id,
            name=advisory.name,
            basin=fixes[0].basin,
            season=advisory.season,
            start_date=fixes[0].time,
            end_date=fixes[-1].time,
            kind="forecast",
            advisory=advisory.number,
            advisory_time=advisory.time,
            category=track.category,
            max_wind_kt=track.max_wind_kt,
            wind_minutes=track.wind_minutes,
            wind_agency=track.wind_agency,
            length_km=round(WGS84.geometry_length(line) / 1000, 1),
            source=advisory.source,
            geom=split_lines(line),
        )


def advisory_nodes(advisories: Sequence[Advisory], coast: Coast | None = None) -> Iterator[AdvisoryNode]:
    """Yield one row per time step of each advisory."""
    placed = [advisory for advisory in advisories if advisory.fixes]
    landfalls = landfalls_of([advisory.track for advisory in placed], coast)
    for advisory, found in zip(placed, landfalls, strict=True):
        fixes = advisory.fixes
        points = shapely.points([(fix.longitude, fix.latitude) for fix in fixes])
        for fix, point, (landfall, place) in zip(fixes, points, found, strict=True):
            analysed = fix is advisory.analysed
            yield AdvisoryNode(
                advisory.event_id,
                advisory.name,
                fix.basin,
                advisory.season,
                fix.time,
                "analysed" if analysed else "forecast",
                advisory.number,
                advisory.time,
                round((fix.time - advisory.time).total_seconds() / 3600),
                fix.category,
                fix.status,
                fix.wind_kt,
                fix.wind_minutes if fix.wind_kt is not None else None,
                fix.wind_agency if fix.wind_kt is not None else None,
                fix.gust_kt,
                fix.pressure_hpa,
                *fix.radii,
                landfall,
                place,
                advisory.source,
                point,
            )


class _Zone(NamedTuple):
    """A zone without its geometry: its advisory, wind and times, and whether it belongs to one step."""

    advisory: Advisory
    wind_kt: int
    start: datetime
    end: datetime
    kind: str
    scope: str


def advisory_zones(advisories: Sequence[Advisory]) -> Iterator[AdvisoryZone]:
    """Yield rows per wind speed: for each time step with radii, and for the advisory as a whole."""
    zones: list[_Zone] = []
    shapes: list[Shapes] = []
    for number, wind in enumerate(WINDS_KT):
        found, geometries = _of_wind(advisories, number, wind)
        zones += found
        shapes.append(geometries)
    order = sorted(range(len(zones)), key=lambda place: (zones[place].advisory.event_id, zones[place].advisory.time))
    geometries = np.asarray(to_stored(np.concatenate(shapes)), dtype=object)
    for place in order:
        zone, geometry = zones[place], geometries[place]
        yield AdvisoryZone(
            event_id=zone.advisory.event_id,
            name=zone.advisory.name,
            basin=zone.advisory.fixes[0].basin,
            season=zone.advisory.season,
            wind_speed_kt=zone.wind_kt,
            start_date=zone.start,
            end_date=zone.end,
            kind=zone.kind,
            scope=zone.scope,
            advisory=zone.advisory.number,
            advisory_time=zone.advisory.time,
            area_km2=area_km2(geometry),
            **NOBODY_ASKED,
            source=f"{zone.advisory.source}, derived from wind radii",
            geom=geometry,
        )


def _of_wind(advisories: Sequence[Advisory], number: int, wind: int) -> tuple[list[_Zone], Shapes]:
    """Return the zones of one wind speed, of steps and whole advisories, with unrolled geometries."""
    steps: list[tuple[Advisory, Fix, float]] = []
    for advisory in advisories:
        if advisory.fixes:
            longitudes = advisory.track.longitudes.tolist()
            steps += [
                (advisory, fix, longitude)
                for fix, longitude in zip(advisory.fixes, longitudes, strict=True)
                if any(fix.radii[4 * number : 4 * number + 4])
            ]
    radii = np.array([[radius or 0 for radius in fix.radii[4 * number : 4 * number + 4]] for _, fix, _ in steps])
    shapes = step_zones(
        np.array([longitude for _, _, longitude in steps]), np.array([fix.latitude for _, fix, _ in steps]),
        radii.reshape(-1, 4).astype(np.float64),
    )  # fmt: skip
    zones = [
        _Zone(advisory, wind, fix.time, fix.time, "analysed" if fix is advisory.analysed else "forecast", "step")
        for advisory, fix, _ in steps
    ]
    whole: list[_Zone] = []
    swaths = []
    start = 0
    for place in range(1, len(steps) + 1):
        if place == len(steps) or steps[place][0] is not steps[start][0]:
            advisory, times = steps[start][0], [fix.time for _, fix, _ in steps[start:place]]
            joined = [later - earlier <= _LONGEST_STEP for earlier, later in pairwise(times)]
            swaths.append(swath(list(shapes[start:place]), joined))
            kind = "forecast" if advisory.forecast else "analysed"
            whole.append(_Zone(advisory, wind, times[0], times[-1], kind, "whole"))
            start = place
    return zones + whole, np.concatenate([shapes, np.array(swaths, dtype=object)])


def forecast_tracks(advisories: Sequence[Advisory]) -> Iterator[StormTrack]:
    """Yield the track of each advisory as the forecast of its storm."""
    for row in advisory_tracks(advisories):
        yield StormTrack(**row._asdict(), min_pressure_hpa=None)


def forecast_nodes(advisories: Sequence[Advisory], coast: Coast | None = None) -> Iterator[StormNode]:
    """Yield the future positions of each advisory as the forecast of its storm."""
    for row in advisory_nodes(advisories, coast):
        if row.kind == "forecast":
            values = row._asdict()
            del values["lead_hours"]
            yield StormNode(**values, **_NO_REGION)


def forecast_zones(advisories: Sequence[Advisory]) -> Iterator[StormZone]:
    """Yield the zones of each whole advisory as the forecast of its storm."""
    for row in advisory_zones(advisories):
        if row.scope == "whole" and row.kind == "forecast":
            values = row._asdict()
            del values["scope"]
            yield StormZone(**values)
