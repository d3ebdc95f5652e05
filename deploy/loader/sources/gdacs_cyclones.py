"""Cyclones of the Global Disaster Alert and Coordination System (GDACS), as the GeoJSON of an event and episode.

A document holds one storm as several features, told apart by `Class`: where it is (Point_Centroid), zones of 60, 90 and
120 km/h over all of its life (Poly_Green, Poly_Orange, Poly_Red), zones of 34, 50 and 64 kt at each time step
(Poly_WindRadii_…), the position at each step (Poly_Polygon_Point_…, circles), lines between them (Line_Line_…) and the
cone of uncertainty (Poly_Cones).
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
import shapely
from shapely.geometry import Point, shape
from shapely.geometry.base import BaseGeometry

from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import area_km2, normalise
from deploy.loader.geometry.wind_zones import stored
from deploy.loader.records import storms as tables
from deploy.loader.records.storms import AdvisoryZone, StormEvent, StormZone
from deploy.loader.records.target import Batch, Latest, Target
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources import gdacs
from deploy.loader.storms.advisories import Advisory, advisory_nodes, advisory_tracks, forecast_nodes, forecast_tracks
from deploy.loader.storms.best_tracks import BestTrack, Fix, category
from deploy.loader.storms.people import NOBODY_ASKED, packaged_gazetteer, with_people
from deploy.loader.storms.rows import storm_nodes, storm_tracks
from deploy.loader.storms.shores import packaged_coast

KM_PER_NAUTICAL_MILE = 1.852
_CYCLONE = "TC"
"""Type of the events of GDACS that this source reads."""

_LIFE = {"Poly_Green": 60, "Poly_Orange": 90, "Poly_Red": 120}
"""km/h of the zones over all of its life."""
_RADII = re.compile(r"Poly_WindRadii_(34|50|64)_(\d{10})\Z")
_STEP = re.compile(r"Poly_Polygon_Point_(\d+)\Z")
_LINE = re.compile(r"Line_Line_(\d+)\Z")
_LABEL = re.compile(r"(\d{2})/(\d{2}) (\d{2}):(\d{2})")
_REASONS = {"Poly_Cones": "cones of uncertainty have no collection"}


class _Storm(NamedTuple):
    event_id: str
    name: str
    season: int
    episode: int
    start: datetime
    issued: datetime
    centre: dict[str, Any]


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """A batch per storm. Features of other events, such as droughts, are rejected. Raises DocumentError."""
    for document in documents:
        features = features_of(document)
        try:
            storms = _by_storm(features, findings)
        except (KeyError, TypeError, ValueError) as error:
            raise DocumentError(f"{document.address} is no cyclone of GDACS: {error!r}") from None
        if not storms:
            raise DocumentError(f"{document.address} has no cyclone: no feature of class Point_Centroid and type TC")
        findings.read += len(features)
        for storm, of_storm in storms:
            classes = {feature["properties"]["Class"]: feature for feature in of_storm}
            findings.duplicates += [
                feature["id"] for feature in of_storm if classes[feature["properties"]["Class"]] is not feature
            ]
            findings.issued = max(findings.issued or storm.issued, storm.issued)
            yield _batch(storm, classes, findings)


def _by_storm(features: list[Any], findings: Findings) -> list[tuple[_Storm, list[Any]]]:
    """The storms of a document, each with its features. Only the centre names the event; ids of others begin with it.

    Raises KeyError, TypeError or ValueError.
    """
    cyclones = []
    for feature in features:
        kind, is_centre = feature["properties"].get("eventtype"), feature["properties"]["Class"] == "Point_Centroid"
        # the centre says what the event is; other features may leave it out
        if kind == _CYCLONE or (kind is None and not is_centre):
            cyclones.append(feature)
        else:
            findings.rejected.append(Rejected(str(feature.get("id")), f"an event of type {kind}, not a cyclone"))
    centres = [feature for feature in cyclones if feature["properties"]["Class"] == "Point_Centroid"]
    events = {str(centre["properties"]["eventid"]): _storm(centre["properties"]) for centre in centres}
    storms: dict[str, list[Any]] = {event: [] for event in events}
    for feature in cyclones:
        event = _event_of(feature, list(events))
        if event is None:
            findings.rejected.append(Rejected(str(feature.get("id")), "no storm of the document has this feature"))
        else:
            storms[event].append(feature)
    return [(events[event], of_storm) for event, of_storm in storms.items()]


def _event_of(feature: Any, events: list[str]) -> str | None:
    """The event that a feature belongs to, of those of its document; None if that cannot be told."""
    named = feature["properties"].get("eventid")
    if named is not None:
        return str(named) if str(named) in events else None
    if len(events) == 1:
        return events[0]
    begun = [event for event in events if str(feature.get("id")).startswith(f"{_CYCLONE}{event}")]
    return begun[0] if len(begun) == 1 else None


def _storm(centre: dict[str, Any]) -> _Storm:
    start, issued = (
        datetime.strptime(centre[name], "%d %b %Y %H:%M:%S").replace(tzinfo=UTC) for name in ("fromdate", "todate")
    )
    name = centre["eventname"].rpartition("-")[0] or centre["eventname"]
    season = issued.year + (float(centre["latitude"]) < 0 and issued.month >= 7)
    return _Storm(f"TC{centre['eventid']}", name.title(), season, int(centre["episodeid"]), start, issued, centre)


def _batch(storm: _Storm, classes: dict[str, Any], findings: Findings) -> Batch:
    fixes = _fixes(storm, classes)
    past = [fix for fix in fixes if fix.time <= storm.issued]
    ahead = [fix for fix in fixes if fix.time > storm.issued]
    advisory = Advisory(
        storm.event_id,
        storm.name,
        storm.season,
        storm.episode,
        storm.issued,
        past[-1] if past else None,
        ahead,
        "GDACS",
    )
    coast = packaged_coast()
    rows: list[tuple[Target, tuple[Any, ...]]] = [(tables.EVENTS, _event(storm))]
    rows += [(tables.NODES, row) for row in forecast_nodes([advisory], coast)]
    rows += [(tables.TRACKS, row) for row in forecast_tracks([advisory])]
    rows += [(tables.ADVISORY_NODES, row) for row in advisory_nodes([advisory], coast)]
    rows += [(tables.ADVISORY_TRACKS, row) for row in advisory_tracks([advisory])]
    if past:
        life = [BestTrack(storm.event_id, past)]
        rows += [(tables.NODES, row) for row in storm_nodes(life, coast)]
        rows += [(tables.TRACKS, row) for row in storm_tracks(life)]
    zones = []
    for class_, feature in classes.items():
        zone = _zone(storm, class_, feature, fixes)
        if zone is not None:
            zones.append(zone)
        elif not (class_ == "Point_Centroid" or _STEP.match(class_) or _LINE.match(class_)):
            reason = _REASONS.get(class_, f"a class that is not known: {class_}")
            findings.rejected.append(Rejected(feature["id"], reason))
    for zone in with_people(zones, packaged_gazetteer()):
        rows.append((tables.ADVISORY_ZONES, zone))
        if zone.scope == "whole":
            values = zone._asdict()
            del values["scope"]
            rows.append((tables.ZONES, StormZone(**values)))
    parts: list[tuple[Target, tuple[Any, ...]]] = [
        (target, (storm.event_id, kind))
        for target in (tables.TRACKS, tables.NODES, tables.ZONES)
        for kind in ("analysed", "forecast")
    ]
    parts += [
        (target, (storm.event_id, storm.issued))
        for target in (tables.ADVISORY_TRACKS, tables.ADVISORY_NODES, tables.ADVISORY_ZONES)
    ]
    latest = frozenset({tables.EVENTS, tables.TRACKS, tables.NODES, tables.ZONES})
    known = Latest(latest, tables.ADVISORY_NODES, "event_id", "advisory_time", {storm.event_id: storm.issued})
    return Batch(rows, (), tuple(parts), (known,))


def _event(storm: _Storm) -> StormEvent:
    place = float(storm.centre["longitude"]), float(storm.centre["latitude"])
    wind = round(float(storm.centre["severity"]) / KM_PER_NAUTICAL_MILE)
    return StormEvent(
        event_id=storm.event_id,
        title=storm.centre["name"],
        name=storm.name,
        basin=_basin(*place),
        season=storm.season,
        category=category(wind),
        max_wind_kt=wind,
        min_pressure_hpa=None,
        start_date=storm.start,
        end_date=storm.issued,
        ibtracs_id=None,
        source="GDACS",
        geom=Point(normalise(place[0]), place[1]),
    )


def _fixes(storm: _Storm, classes: dict[str, Any]) -> list[Fix]:
    """The positions in order of time; the line from one to the next says what the storm is at its start."""
    found = []
    for class_, feature in classes.items():
        step = _STEP.match(class_)
        if step:
            centre = shape(feature["geometry"]).centroid
            longitude, latitude = normalise(round(centre.x, 2)), round(centre.y, 2)
            line = classes.get(f"Line_Line_{step[1]}")
            found.append(
                Fix(
                    event_id=storm.event_id,
                    season=storm.season,
                    basin=_basin(longitude, latitude),
                    time=_time(feature["properties"]["polygonlabel"], storm.issued),
                    longitude=longitude,
                    latitude=latitude,
                    wind_kt=None,
                    pressure_hpa=None,
                    status=line["properties"]["polygonlabel"] if line else None,
                    source="GDACS",
                    name=storm.name,
                )
            )
    return sorted(found, key=lambda fix: fix.time)


def _zone(storm: _Storm, class_: str, feature: dict[str, Any], fixes: list[Fix]) -> AdvisoryZone | None:
    radii = _RADII.match(class_)
    if radii:
        start = end = datetime.strptime(radii[2], "%y%m%d%H%M").replace(tzinfo=UTC)
        wind, scope = int(radii[1]), "step"
    elif class_ in _LIFE:
        start, end = (fixes[0].time, fixes[-1].time) if fixes else (storm.start, storm.issued)
        wind, scope = round(_LIFE[class_] / KM_PER_NAUTICAL_MILE), "whole"
    else:
        return None
    geom = stored(np.array([_valid(feature["geometry"])], dtype=object))[0]
    return AdvisoryZone(
        event_id=storm.event_id,
        name=storm.name,
        basin=_basin(float(storm.centre["longitude"]), float(storm.centre["latitude"])),
        season=storm.season,
        wind_speed_kt=wind,
        start_date=start,
        end_date=end,
        kind="forecast" if end > storm.issued else "analysed",
        scope=scope,
        advisory=storm.episode,
        advisory_time=storm.issued,
        area_km2=area_km2(geom),
        **NOBODY_ASKED,
        source="GDACS",
        geom=geom,
    )


def _valid(geometry: dict[str, Any]) -> BaseGeometry:
    return shapely.make_valid(shape(geometry))


def _time(label: str, near: datetime) -> datetime:
    """Day, month, hour and minute, in the year in which they are nearest to `near`."""
    found = _LABEL.match(label)
    if found is None:
        raise DocumentError(f"'{label}' is no time such as 01/06 00:00")
    day, month, hour, minute = map(int, found.groups())
    years = (datetime(near.year + offset, month, day, hour, minute, tzinfo=UTC) for offset in (-1, 0, 1))
    return min(years, key=lambda time: abs(time - near))


def _basin(longitude: float, latitude: float) -> str:
    """By the place. Source: IBTrACS, basins; between the Americas a line that is good enough for storms."""
    if latitude < 0:
        return "SA" if -70 <= longitude < 20 else "SI" if 20 <= longitude < 135 else "SP"
    if 30 <= longitude < 100:
        return "NI"
    if longitude >= 100 or longitude < -180:
        return "WP"
    american = -100 + (18 - latitude) * 1.8
    return "EP" if longitude < min(american, -77) else "NA"


SOURCE = Source(
    name="gdacs-cyclones",
    title="Tropical cyclones of GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(hours=6),
    targets=(
        tables.EVENTS, tables.TRACKS, tables.NODES, tables.ZONES,
        tables.ADVISORY_TRACKS, tables.ADVISORY_NODES, tables.ADVISORY_ZONES,
    ),
    read=read,
    documents="the GeoJSON of an episode of a cyclone (getgeometry)",
)  # fmt: skip
