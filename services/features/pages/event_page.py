"""The page of an event: its name, time and place, and a timeline of its features in each collection."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import urlencode

from libs.catalogue.feature_name import name_columns
from libs.catalogue.model import Collection, Column
from libs.catalogue.modules import EVENT_KEY, hazard
from libs.ogc.link import is_web_address
from libs.ogc.temporal import moment_of, rfc3339
from services.features.pages.event_summary import Change, change_since, has_forecasts, summary
from services.features.pages.items_html import readable
from services.features.pages.local_name import local_name
from services.features.pages.preview import drawings, preview
from services.features.pages.recency import age, end_of_validity
from services.features.pages.series_chart import Chart, charts_of
from services.features.rows.event_parts import EventPart

_WIDTH = 600.0
_PRODUCTS = 30
_CHARTS = 6
DRAWN = 6
"""Maximum number of features of a collection that the page draws as shapes."""
_LINE = 24
"""Height of a line of the timeline, in pixels."""
_IDENTIFIER = re.compile(r"id|.*_(?:id|number)")
Told = Sequence[tuple[EventPart, list[dict[str, Any]]]]
"""Collections with some of their features."""


@dataclass(frozen=True, slots=True)
class Event:
    """The facts about an event, from its features on the page."""

    id: str
    title: str
    box: tuple[float, float, float, float] | None
    start: str | None
    end: str | None
    main: EventPart
    feature: Mapping[str, Any]
    """The most informative feature."""


def event_of(name: str, told: Told) -> Event:
    """Return the event, named by the collection with the fewest features, usually of events; else the longest name."""
    main, found = sort_by_weight(told)[0]
    feature = found[0] if found else {"id": None, "properties": {}, "geometry": None}
    moments = [
        moment for part, features in told for each in features for moment in _moments(part.collection, each) if moment
    ]
    boxes = [box for _, features in told for each in features if (box := _box(each)) is not None]
    return Event(
        name,
        local_name(main.collection, name, feature["properties"]),
        _enclose(boxes),
        rfc3339(min(moments)) if moments else None,
        rfc3339(max(moments)) if moments else None,
        main,
        feature,
    )


def sort_by_weight(told: Told) -> Told:
    """Sort by information about the event: with a name, of events, with one feature, lasting longest."""

    def weight(each: tuple[EventPart, list[dict[str, Any]]]) -> tuple[bool, bool, bool, int, float, str]:
        part, features = each
        moments = [moment for one in features for moment in _moments(part.collection, one) if moment]
        seconds = (max(moments) - min(moments)).total_seconds() if moments else 0.0
        named = bool(name_columns(_names(part)))
        of_events = part.collection.name.endswith("events")
        return (not features, not named, not of_events, _number(part, features), -seconds, part.collection.id)

    return sorted(told, key=weight)


def page_context(event: Event, told: Told, *, is_counted: bool) -> dict[str, Any]:
    """Return the context of the page's template. `is_counted` if the impact of the event states its people."""
    collection = event.main.collection
    has_words = bool(hazard(collection))
    columns = [
        (column, readable(event.feature["properties"].get(column.name), column.name, has_words=has_words))
        for column in collection.columns
    ]
    products = {
        text: label for part, features in told for each in features for text, label in _addresses(part.collection, each)
    }
    simulated = any(each["properties"].get("source") == "simulated" for _, features in told for each in features)
    of_collections = [(part.collection, features) for part, features in told]
    period = main if any(main := _span(*sort_by_weight(told)[0])) else (event.start, event.end)
    return {
        "event": event,
        "summary": summary(
            collection, event.feature["properties"], of_collections, is_counted=is_counted, simulated=simulated
        ),
        "period": period,
        "is_forecast_later": has_forecasts(of_collections) and period[1] != event.end,
        "changes": _with_news([change for each in of_collections if (change := change_since(*each))]),
        "spreadsheet": _in_detail(told),
        "hazard": hazard(collection),
        "age": age(collection, event.feature["properties"]),
        "over": end_of_validity(collection, event.feature["properties"]) is not None,
        "facts": _identifiers_last(
            [(column, cell) for column, cell in columns if cell["text"] and len(cell["text"]) < 300]
        ),
        "preview": drawings([{**each, "id": None} for each in _features_to_draw(event, told)]),
        "parts_of": [(part, _span(part, features)) for part, features in told],
        "timeline": _timeline(event, told),
        "charts": _charts(told),
        "products": list(products.items())[:_PRODUCTS],
        "query": urlencode({EVENT_KEY: event.id}),
    }


def _identifiers_last(facts: list[tuple[Column, dict[str, Any]]]) -> list[tuple[Column, dict[str, Any]]]:
    return sorted(facts, key=lambda fact: _IDENTIFIER.fullmatch(fact[0].name) is not None)


def _with_news(changes: Sequence[Change]) -> Sequence[Change]:
    """Return the reports that changed something; one that changed nothing if there are no others."""
    return [change for change in changes if change.changes] or changes[:1]


def _in_detail(told: Told) -> Collection:
    """Return the collection for a spreadsheet: that with most points, such as positions of a storm; else the first."""
    points = [(part, features) for part, features in told if part.collection.overview and not _is_wide(part)]
    most = max(points or told[:1], key=lambda each: _number(*each))
    return most[0].collection


def _charts(told: Told) -> list[Chart]:
    each_of = ((part.collection, each) for part, features in told for each in features)
    found = (chart for collection, each in each_of for chart in charts_of(collection, each))
    return list(islice(found, _CHARTS))


def _features_to_draw(event: Event, told: Told) -> list[Mapping[str, Any]]:
    """Return the main feature, and the lines and areas of collections with few features."""
    few = (each for part, features in told for each in features if _number(part, features) <= DRAWN and _is_wide(part))
    return [*(each for each in few if each is not event.feature), event.feature]


def _number(part: EventPart, features: Sequence[Mapping[str, Any]]) -> int:
    """Return the number of features: at least those read."""
    return max(part.matched or 0, len(features))


def _is_wide(part: EventPart) -> bool:
    geometry = part.collection.geometry()
    return geometry is not None and geometry.dimension != 0


def _names(part: EventPart) -> list[str]:
    return [column.name for column in part.collection.columns]


def _moments(
    collection: Collection, feature: Mapping[str, Any], goes_on: datetime | None = None
) -> tuple[datetime | None, datetime | None]:
    """Return start and end; an unknown end is `goes_on`, or else the start."""
    time, pair = collection.time(), collection.period_columns()
    start = moment_of(feature["properties"].get(time.name)) if time else None
    return start, (moment_of(feature["properties"].get(pair[1].name)) if pair else None) or goes_on or start


def _span(part: EventPart, features: Sequence[Mapping[str, Any]]) -> tuple[str | None, str | None]:
    """Return the first and the last moment; None if only a part of the features was read."""
    if part.matched is None or part.matched > len(features):
        return None, None
    moments = [moment for each in features for moment in _moments(part.collection, each) if moment]
    return (rfc3339(min(moments)), rfc3339(max(moments))) if moments else (None, None)


def _box(feature: Mapping[str, Any]) -> tuple[float, float, float, float] | None:
    shape = preview([{**feature, "id": None}])
    return shape.box if shape else None


def _enclose(boxes: Sequence[tuple[float, float, float, float]]) -> tuple[float, float, float, float] | None:
    if not boxes:
        return None
    wests, souths, easts, norths = zip(*boxes, strict=True)
    return min(wests), min(souths), max(easts), max(norths)


def _addresses(collection: Collection, feature: Mapping[str, Any]) -> list[tuple[str, str]]:
    titles = {column.name: column.title or column.name for column in collection.columns}
    return [
        (value, titles.get(name, name))
        for name, value in feature["properties"].items()
        if isinstance(value, str) and is_web_address(value)
    ]


def _timeline(event: Event, told: Told) -> dict[str, Any] | None:
    """Return the timeline: a line per collection with a mark per feature."""
    if event.start is None or event.end is None or event.start == event.end:
        return None
    first, last = moment_of(event.start), moment_of(event.end)
    if first is None or last is None:
        return None
    seconds = (last - first).total_seconds()

    def x(moment: datetime) -> float:
        return round((moment - first).total_seconds() / seconds * _WIDTH, 1)

    lines, present = [], datetime.now(UTC)
    for part, features in told:
        lasts = part.collection.period_columns()
        known = [_moments(part.collection, each, max(last, present) if lasts else None) for each in features]
        spans = {(x(start), max(x(min(end or start, last)) - x(start), 0)) for start, end in known if start}
        if spans:
            left_out = _number(part, features) - len(features)
            lines.append({"title": part.collection.title, "left_out": left_out, "spans": sorted(spans)})
    return {
        "lines": lines,
        "width": _WIDTH,
        "height": _LINE * len(lines),
        "line": _LINE,
        "today": x(present) if first <= present <= last else None,
    }
