"""The facts about an event in the order in which people ask: what, where, when, how strong, people, how certain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.model import Collection, Column
from libs.catalogue.modules import module
from libs.ogc.temporal import moment_of
from libs.web.accept_language import mark
from libs.web.languages import gettext, isolate
from libs.web.local_title import country_name
from libs.web.nearby import nearby_words
from libs.web.page_text import count, format_age
from services.features.pages.items_html import readable

_STRENGTH = (
    "alert_level",
    "magnitude",
    "category",
    "max_wind_kt",
    "min_pressure_hpa",
    "severity",
    "depth",
    "main_cause",
    "probability",
    "peak_discharge_m3s",
    "area_km2",
)
_HARM = ("dead", "displaced", "felt")
_CHANGING = (
    "alert_level",
    "category",
    "magnitude",
    "wind_kt",
    "max_wind_kt",
    "pressure_hpa",
    "severity",
    "probability",
)
"""Columns whose changes from one report to the next are of interest."""
_SEVERITY = "severity"
_SEVERITIES = {"1": mark("1 large"), "1.5": mark("1.5 very large"), "2": mark("2 extreme")}
_PLACES = 6


@dataclass(frozen=True, slots=True)
class Change:
    """The changes from one report of an event to the next."""

    title: str
    """Title of the collection."""
    issued: str
    before: str
    changes: Sequence[str]
    """`Wind: 140 → 150 kt`; empty if nothing changed."""


def summary(
    collection: Collection,
    properties: Mapping[str, Any],
    told: Sequence[tuple[Collection, Sequence[Mapping[str, Any]]]],
    *,
    is_counted: bool,
    simulated: bool,
) -> list[tuple[str, list[str] | None]]:
    """Return the questions, each with its answers; the template writes the time, which is `None` here.

    `is_counted` if the impact of the event states its people, at the top of the page.
    """
    rows: list[tuple[str, list[str] | None]] = [
        (gettext("What"), _names_of_hazard(collection, properties)),
        (gettext("Where"), _names_of_places(collection, properties, told)),
        (gettext("When"), None),
        (gettext("How strong"), _values(collection, properties, _STRENGTH)),
        (gettext("People"), _people(collection, properties, is_counted=is_counted)),
        (gettext("How certain"), _certainty(collection, properties, told, simulated=simulated)),
    ]
    return [(question, answers) for question, answers in rows if answers != []]


def _names_of_hazard(collection: Collection, properties: Mapping[str, Any]) -> list[str]:
    kind = _text(properties, "event_type")
    return [gettext(module(collection)), *([gettext(kind)] if kind and kind != "earthquake" else [])]


def _names_of_places(
    collection: Collection,
    properties: Mapping[str, Any],
    told: Sequence[tuple[Collection, Sequence[Mapping[str, Any]]]],
) -> list[str]:
    basin = _text(properties, BASIN)
    near = nearby_words(properties) or _text(properties, "place")
    areas = [_text(properties, "province"), *(_text(properties, name) for name in ("country", "other_country"))]
    others = [country_name(area) for area in dict.fromkeys(areas) if area and area not in near]
    landed = [
        _text(each["properties"], "landfall_place")
        for _, features in told
        for each in features
        if each["properties"].get("landfall") is True
    ]
    places = list(dict.fromkeys(place for place in landed if place))
    shown = ", ".join(isolate(country_name(place)) for place in places[:_PLACES]) + (
        "…" if len(places) > _PLACES else ""
    )
    landfall = [gettext("Landfall, %(place)s") % {"place": shown}] if places else []
    answers = [gettext(BASINS.get(basin, basin)) if basin else "", near, ", ".join(others), *landfall]
    return [answer for answer in answers if answer]


def _people(collection: Collection, properties: Mapping[str, Any], *, is_counted: bool) -> list[str]:
    known = None if is_counted else properties.get("population_in_places")
    bound = (
        [gettext("at least %(number)s people in the places of the area") % {"number": count(int(known))}]
        if known
        else []
    )
    strong = properties.get("people_strong_shaking")
    published = (
        [gettext("%(number)s people in intensity VI and above, by PAGER") % {"number": count(int(strong))}]
        if strong is not None
        else []
    )
    return [*bound, *published, *_values(collection, properties, _HARM)]


def _certainty(
    collection: Collection,
    properties: Mapping[str, Any],
    told: Sequence[tuple[Collection, Sequence[Mapping[str, Any]]]],
    *,
    simulated: bool,
) -> list[str]:
    status = {
        "automatic": gettext("Located automatically, not yet reviewed by a seismologist"),
        "reviewed": gettext("Reviewed by a seismologist"),
    }.get(_text(properties, "status"), "")
    minutes = properties.get("wind_minutes")
    agency = _text(properties, "wind_agency")
    wind = (
        gettext("Winds averaged over %(minutes)s min, by %(agency)s") % {"minutes": minutes, "agency": agency}
        if minutes and agency
        else ""
    )
    revised = _text(properties, "updated") or _text(properties, collection.time_issued or "")
    said = [
        gettext("Simulated, not observed.") if simulated else "",
        gettext("Withdrawn by its source.") if properties.get("withdrawn") else "",
        status,
        wind,
        gettext("Includes forecasts") if has_forecasts(told) else "",
        gettext("Last report %(time)s") % {"time": format_age(revised)} if moment_of(revised) else "",
        ""
        if simulated
        else gettext("Source: %(source)s") % {"source": source}
        if (source := _text(properties, "source"))
        else "",
    ]
    return [each for each in said if each]


def has_forecasts(told: Sequence[tuple[Collection, Sequence[Mapping[str, Any]]]]) -> bool:
    """Return whether any feature is a forecast."""
    return any(each["properties"].get("kind") == "forecast" for _, features in told for each in features)


def _values(collection: Collection, properties: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return `Depth: 10 km` for each of these columns that has a value."""
    columns = {column.name: column for column in collection.columns}
    values = [(columns[name], _format(columns[name], properties.get(name))) for name in names if name in columns]
    return [f"{gettext(column.title or column.name)}: {value}" for column, value in values if value]


def change_since(collection: Collection, features: Sequence[Mapping[str, Any]]) -> Change | None:
    """Return what the newest report of a collection changed; None with fewer than two reports."""
    issued = collection.time_issued
    if issued is None:
        return None
    reports: dict[str, Mapping[str, Any]] = {}
    for each in features:
        moment = _text(each["properties"], issued)
        # of the features of a report, the first analysed one describes the event at its time
        if moment and (moment not in reports or _is_better(each, reports[moment])):
            reports[moment] = each
    if len(reports) < 2:
        return None
    before, last = sorted(reports, key=lambda moment: moment_of(moment) or moment)[-2:]
    return Change(collection.title, last, before, _differences(collection, reports[before], reports[last]))


def _is_better(feature: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return _text(feature["properties"], "kind") == "analysed" != _text(other["properties"], "kind")


def _differences(collection: Collection, before: Mapping[str, Any], last: Mapping[str, Any]) -> list[str]:
    found = []
    for column in collection.columns:
        if column.name in _CHANGING:
            old, new = (_format(column, each["properties"].get(column.name)) for each in (before, last))
            if old != new:
                change = isolate(f"{old or '–'} → {new or '–'}")
                found.append(f"{gettext(column.title or column.name)}: {change}")
    return found


def _format(column: Column, value: Any) -> str:
    """Return a value in the language of the response; empty without one."""
    text = str(readable(value)["text"])
    if column.name == _SEVERITY:
        text = _SEVERITIES.get(text, text)
    text = gettext(text)
    return isolate(f"{text} {column.unit}" if text and column.unit else text)


def _text(properties: Mapping[str, Any], name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""
