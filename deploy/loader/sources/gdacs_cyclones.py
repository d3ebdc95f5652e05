"""Cyclones of the Global Disaster Alert and Coordination System (GDACS), as the GeoJSON of an event and episode.

A document has one storm as several features, distinguished by `Class`: its position (Point_Centroid), zones of 60, 90
and 120 km/h over its whole life (Poly_Green, Poly_Orange, Poly_Red), zones of 34, 50 and 64 kt at each time step
(Poly_WindRadii_…), the position at each step (Poly_Polygon_Point_…, circles), lines between them (Line_Line_…) and the
cone of uncertainty (Poly_Cones).
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from shapely.geometry import Point, shape

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import area_km2, normalise
from deploy.loader.geometry.polygons import NoAreaError, polygons_of, repair
from deploy.loader.geometry.wind_zones import to_stored
from deploy.loader.records import storms as tables
from deploy.loader.records.storms import AdvisoryZone, StormEvent, StormIdentifiers, StormZone
from deploy.loader.records.target import Batch, Latest, Recall, Target
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources import gdacs, gdacs_list
from deploy.loader.sources.advisory_batches import withdraw_inactive
from deploy.loader.sources.gdacs_identifiers import countries_of, glide_of, leave_to_others
from deploy.loader.storms.advisories import Advisory, advisory_nodes, advisory_tracks, forecast_nodes, forecast_tracks
from deploy.loader.storms.basins import basin_at
from deploy.loader.storms.best_tracks import BestTrack, Fix, category
from deploy.loader.storms.people import NOBODY_ASKED, packaged_gazetteer, with_people
from deploy.loader.storms.rows import storm_nodes, storm_tracks
from deploy.loader.storms.shores import packaged_coast
from deploy.loader.storms.winds import ONE_MINUTE

KM_PER_NAUTICAL_MILE = 1.852
_AGENCIES = "NOAA or JTWC"
"""Agencies whose 1-minute winds GDACS publishes."""
_CENTRE = "Point_Centroid"
_HIGHEST_KT = 250
"""Highest plausible wind of a cyclone in kt: a higher value is a mistake, or the severity of another kind of event."""
_BESIDE = 0.2
"""Tolerance in degrees between the centre of a position, drawn as a circle, and the start of its line."""
_CYCLONE = "TC"
"""Type of GDACS events that this source reads."""

_LIFE = {"Poly_Green": 60, "Poly_Orange": 90, "Poly_Red": 120}
"""Winds in km/h of the zones over its whole life."""
_RADII = re.compile(r"Poly_WindRadii_(34|50|64)_(\d{10})\Z")
_STEP = re.compile(r"(?:Poly|Point)_Polygon_Point_(\d+)\Z")
_LINE = re.compile(r"Line_Line_(\d+)\Z")
_LABEL = re.compile(r"(\d{2})/(\d{2}) (\d{2}):(\d{2})")
_LEFT_OUT = {"Poly_Cones": "cones of uncertainty have no collection"}


class _Storm(NamedTuple):
    """place: longitude and latitude. wind_kt: the highest over its whole life, including the forecast.

    glide, countries: its GLIDE number, and ISO 3166-1 alpha-3 codes of the countries that it affects; None if unknown.
    """

    event_id: str
    name: str
    season: int
    episode: int
    start: datetime
    issued: datetime
    title: str
    place: tuple[float, float]
    wind_kt: int
    glide: str | None
    countries: str | None


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield a batch per storm. Features of other events, such as droughts, are left out. Raises DocumentError.

    Forecasts of storms that a list of events no longer has as current are withdrawn.
    """
    lists = [document for document in documents if gdacs_list.is_list(document)]
    for document in documents:
        if document in lists:
            continue
        features = features_of(document)
        findings.read += len(features)
        storms = _group_by_storm(features, findings)
        if not storms and lists:
            findings.rejected.append(Rejected(document.address, "it has no cyclone"))
        elif not storms:
            raise DocumentError(f"{document.address} has no cyclone: no feature of class Point_Centroid and type TC")
        for storm, of_storm in storms:
            unique = {_subject(feature): feature for feature in of_storm}
            findings.duplicates += [_name(feature) for feature in of_storm if unique[_subject(feature)] is not feature]
            findings.issued = max(findings.issued or storm.issued, storm.issued)
            yield _batch(storm, list(unique.values()), findings)
    if lists:
        yield withdraw_inactive(frozenset().union(*map(gdacs_list.current, lists)), gdacs.SOURCE_NAME)


def _group_by_storm(features: list[Any], findings: Findings) -> list[tuple[_Storm, list[Any]]]:
    """Return the storms of a document, each with its features.

    Only the centre names the event; ids of other features begin with it. Unreadable features are findings.
    """
    cyclones = [feature for place, feature in enumerate(features, start=1) if _is_of_cyclone(feature, place, findings)]
    storms: dict[str, tuple[_Storm, list[Any]]] = {}
    for feature in cyclones:
        if feature["properties"]["Class"] == _CENTRE:
            try:
                storms[str(feature["properties"]["eventid"])] = _storm(feature), []
            except FAULTS as error:
                findings.rejected.append(Rejected(_name(feature), reason(error)))
    for feature in cyclones:
        event = _event_of(feature, list(storms))
        if event is not None:
            storms[event][1].append(feature)
        elif feature["properties"]["Class"] != _CENTRE:
            findings.rejected.append(Rejected(_name(feature), "no storm of the document has this feature"))
    return list(storms.values())


def _is_of_cyclone(feature: Any, place: int, findings: Findings) -> bool:
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict) or not isinstance(properties.get("Class"), str):
        findings.rejected.append(Rejected(f"feature {place}", "it has no class"))
        return False
    kind = properties.get("eventtype")
    # the centre has the type of the event; other features may omit it
    if kind == _CYCLONE or (kind is None and properties["Class"] != _CENTRE):
        return True
    findings.left_out.append(Rejected(_name(feature), f"an event of type {kind}, not a cyclone"))
    return False


def _event_of(feature: Any, events: list[str]) -> str | None:
    """Return the event of a feature, among those of its document; None if it is ambiguous."""
    named = feature["properties"].get("eventid")
    if named is not None:
        return str(named) if str(named) in events else None
    if len(events) == 1:
        return events[0]
    begun = [event for event in events if str(feature.get("id")).startswith(f"{_CYCLONE}{event}")]
    return begun[0] if len(begun) == 1 else None


def _name(feature: dict[str, Any]) -> str:
    return str(feature.get("id") or feature["properties"]["Class"])


def _subject(feature: dict[str, Any]) -> tuple[str, str]:
    """Return what a feature draws: its class and, for zones of a time step in documents of the API, the time."""
    properties = feature["properties"]
    return properties["Class"], str(properties.get("polygonlabel")) if _is_step_zone(properties) else ""


def _is_step_zone(properties: dict[str, Any]) -> bool:
    """Return whether a zone of 60, 90 or 120 km/h belongs to one time step, as in documents of the API."""
    return properties["Class"] in _LIFE and properties.get("featuretype") == "WindRadii"


def _storm(centre: dict[str, Any]) -> _Storm:
    """Return the storm. Raises one of FAULTS."""
    said = centre["properties"]
    longitude, latitude = map(float, centre["geometry"]["coordinates"][:2])
    if not (abs(latitude) <= 90 and abs(longitude) <= 360):
        raise ValueError(f"{longitude}, {latitude} is no place")
    start, issued = gdacs.time_of(said["fromdate"]), gdacs.time_of(said["todate"])
    name = said["eventname"].rpartition("-")[0] or said["eventname"]
    season = issued.year + (latitude < 0 and issued.month >= 7)
    severity = said.get("severity") or said["severitydata"]["severity"]
    wind = round(float(severity) / KM_PER_NAUTICAL_MILE)
    if not 0 <= wind <= _HIGHEST_KT:
        raise ValueError(f"a wind of {severity} km/h is none of a cyclone")
    return _Storm(
        event_id=f"TC{said['eventid']}",
        name=name.title(),
        season=season,
        episode=int(said["episodeid"]),
        start=start,
        issued=issued,
        title=str(said["name"]),
        place=(longitude, latitude),
        wind_kt=wind,
        glide=glide_of(said),
        countries=countries_of(said),
    )


def _batch(storm: _Storm, features: list[Any], findings: Findings) -> Batch:
    fixes = _fixes(storm, features, findings)
    zones = _zones(storm, features, fixes, findings)
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
    event = _event(storm)
    identifiers = StormIdentifiers(storm.event_id, event.start_date, storm.glide, storm.countries, event.geom)
    rows = [(tables.EVENTS, event), (tables.IDENTIFIERS, identifiers), *_positions(storm, fixes), *_zone_rows(zones)]
    same = Recall(tables.EVENTS, {"season": [storm.season]}, partial(leave_to_others, event, identifiers))
    return Batch(rows, (), tuple(parts), (known,), (same,))


def _positions(storm: _Storm, fixes: list[Fix]) -> Iterator[tuple[Target, tuple[Any, ...]]]:
    """Yield the positions of the storm, its forecast, and the episode as an advisory."""
    past = [fix for fix in fixes if fix.time <= storm.issued]
    ahead = [fix for fix in fixes if fix.time > storm.issued]
    now = past[-1] if past else None
    advisory = Advisory(
        storm.event_id, storm.name, storm.season, storm.episode, storm.issued, now, ahead, gdacs.SOURCE_NAME
    )
    coast = packaged_coast()
    life = [BestTrack(storm.event_id, past)] if past else []
    made: tuple[tuple[Target, Iterable[tuple[Any, ...]]], ...] = (
        (tables.NODES, forecast_nodes([advisory], coast)),
        (tables.TRACKS, forecast_tracks([advisory])),
        (tables.ADVISORY_NODES, advisory_nodes([advisory], coast)),
        (tables.ADVISORY_TRACKS, advisory_tracks([advisory])),
        (tables.NODES, storm_nodes(life, coast)),
        (tables.TRACKS, storm_tracks(life)),
    )
    for target, rows in made:
        for row in rows:
            yield target, row


def _zone_rows(zones: list[AdvisoryZone]) -> Iterator[tuple[Target, tuple[Any, ...]]]:
    for zone in with_people(zones, packaged_gazetteer()):
        yield tables.ADVISORY_ZONES, zone
        if zone.scope == "whole":
            values = zone._asdict()
            del values["scope"]
            yield tables.ZONES, StormZone(**values)


def _event(storm: _Storm) -> StormEvent:
    longitude, latitude = storm.place
    return StormEvent(
        event_id=storm.event_id,
        title=storm.title,
        name=storm.name,
        basin=basin_at(longitude, latitude),
        season=storm.season,
        category=category(storm.wind_kt),
        max_wind_kt=storm.wind_kt,
        wind_minutes=ONE_MINUTE,
        wind_agency=_AGENCIES,
        regional_agency=None,
        regional_wind_kt=None,
        regional_wind_minutes=None,
        regional_class=None,
        min_pressure_hpa=None,
        start_date=storm.start,
        end_date=storm.issued,
        ibtracs_id=None,
        source=gdacs.SOURCE_NAME,
        geom=Point(normalise(longitude), latitude),
    )


def _fixes(storm: _Storm, features: list[Any], findings: Findings) -> list[Fix]:
    """Return the positions in order of time; the line from one to the next has the storm's status at its start."""
    lines = {feature["properties"]["Class"]: feature for feature in features}
    found = []
    for feature in features:
        step = _STEP.match(feature["properties"]["Class"])
        if step:
            try:
                found.append(_fix(storm, feature, lines.get(f"Line_Line_{step[1]}")))
            except FAULTS as error:
                findings.rejected.append(Rejected(_name(feature), reason(error)))
    return sorted(found, key=lambda fix: fix.time)


def _fix(storm: _Storm, feature: dict[str, Any], line: dict[str, Any] | None) -> Fix:
    """Return a fix. Raises one of FAULTS."""
    drawn, _ = polygons_of(feature["geometry"])
    centre = drawn.centroid
    longitude, latitude = normalise(round(centre.x, 2)), round(centre.y, 2)
    return Fix(
        event_id=storm.event_id,
        season=storm.season,
        basin=basin_at(longitude, latitude),
        time=_time(feature["properties"]["polygonlabel"], storm.issued),
        longitude=longitude,
        latitude=latitude,
        wind_kt=None,
        pressure_hpa=None,
        status=_status(line, centre),
        source=gdacs.SOURCE_NAME,
        name=storm.name,
    )


def _status(line: dict[str, Any] | None, start: Point) -> str | None:
    """Return the status in the line that starts at a position; lines of the API have other numbers and starts."""
    try:
        begins = line and Point(shape(line["geometry"]).coords[0]).distance(start) < _BESIDE
        return str(line["properties"]["polygonlabel"]) if line and begins else None
    except (*FAULTS, NotImplementedError):
        return None


def _zones(storm: _Storm, features: list[Any], fixes: list[Fix], findings: Findings) -> list[AdvisoryZone]:
    found = []
    for feature in features:
        class_ = feature["properties"]["Class"]
        if class_ == _CENTRE or _STEP.match(class_) or _LINE.match(class_):
            continue
        if not (_RADII.match(class_) or class_ in _LIFE):
            why = _LEFT_OUT.get(class_, f"a class that is not known: {class_}")
            findings.left_out.append(Rejected(_name(feature), why))
            continue
        try:
            found.append(_zone(storm, feature, fixes, findings))
        except NoAreaError:
            findings.left_out.append(Rejected(_name(feature), "its radius is 0: no wind of this speed blows then"))
        except FAULTS as error:
            findings.rejected.append(Rejected(_name(feature), reason(error)))
    return found


def _zone(storm: _Storm, feature: dict[str, Any], fixes: list[Fix], findings: Findings) -> AdvisoryZone:
    """Return a zone. Raises one of FAULTS."""
    properties = feature["properties"]
    scope = "step"
    if radii := _RADII.match(properties["Class"]):
        start = end = datetime.strptime(radii[2], "%y%m%d%H%M").replace(tzinfo=UTC)
        wind = int(radii[1])
    else:
        wind = round(_LIFE[properties["Class"]] / KM_PER_NAUTICAL_MILE)
        if _is_step_zone(properties):
            start = end = _time(properties["polygonlabel"], storm.issued)
        else:
            start, end = (fixes[0].time, fixes[-1].time) if fixes else (storm.start, storm.issued)
            scope = "whole"
    drawn, unclosed = polygons_of(feature["geometry"])
    area, mended = repair(drawn)
    if unclosed or mended:
        findings.repaired.append(Rejected(_name(feature), "; ".join([*unclosed, *mended])))
    (geom,) = to_stored(np.array([area], dtype=object))
    return AdvisoryZone(
        event_id=storm.event_id,
        name=storm.name,
        basin=basin_at(*storm.place),
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
        source=gdacs.SOURCE_NAME,
        geom=geom,
    )


def _time(label: str, near: datetime) -> datetime:
    """Parse day, month, hour and minute, in the year that is nearest to `near`. Raises ValueError."""
    found = _LABEL.match(label)
    if found is None:
        raise ValueError(f"'{label}' is no time such as 01/06 00:00")
    day, month, hour, minute = map(int, found.groups())
    years = []
    for year in (near.year - 1, near.year, near.year + 1):
        # the 29th of February is not in all of them
        with suppress(ValueError):
            years.append(datetime(year, month, day, hour, minute, tzinfo=UTC))
    return min(years, key=lambda time: abs(time - near))


SOURCE = Source(
    name="gdacs-cyclones",
    title="Tropical cyclones of GDACS",
    licence=gdacs.LICENCE,
    licence_url=gdacs.LICENCE_URL,
    attribution=gdacs.ATTRIBUTION,
    rhythm=timedelta(hours=6),
    targets=(
        tables.EVENTS, tables.IDENTIFIERS, tables.TRACKS, tables.NODES, tables.ZONES,
        tables.ADVISORY_TRACKS, tables.ADVISORY_NODES, tables.ADVISORY_ZONES,
    ),
    read=read,
    documents="the GeoJSON of an episode of a cyclone (getgeometry)",
    asked=timedelta(minutes=30),
    addresses=gdacs_list.addresses,
    named=gdacs_list.drawings,
)  # fmt: skip
