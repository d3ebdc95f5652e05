"""The collections with events that have a hazard code, and the queries for their events."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import orjson

from libs.catalogue.impacts import FORMAT
from libs.catalogue.model import Collection
from libs.catalogue.modules import EVENT_KEY
from libs.pg.sql import Sql, any_of, bind, ident, sql
from libs.web.query_params import QueryValues
from services.features.pages.recency import newest_first
from services.features.request.items_query import ItemsQuery, parse_items
from services.features.request.order import row_identity

HAZARD_CODE = "hazard_code"
DEATHS, DISPLACED = "dead", "displaced"
_EVENTS = "_events"
_WITHDRAWN = "withdrawn"
_USED = (
    *(EVENT_KEY, HAZARD_CODE, "country_codes", "glide_number", "title", "name", "place", "source", "url", "updated"),
    *("magnitude", "magnitude_type", "depth", "severity", "area_km2", "main_cause", "alert_level", "simulated"),
    *("max_wind_kt", "wind_minutes", "min_pressure_hpa", "category", "basin", DEATHS, DISPLACED),
)
"""Properties that items are made of, besides times."""

# the alias of the rows of a page
_EVENT = ident("item", EVENT_KEY)

Filter = dict[str, object]


@dataclass(frozen=True, slots=True)
class Source:
    """A collection with one feature for each event."""

    collection: Collection
    earlier: tuple[Collection, ...] = ()
    """Collections whose events are left out here: a storm is still listed as the disturbance that it came from."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a search requests of events. Checked by `parse_items`, which names faults as the parameters are called."""

    bbox: Sequence[float] | None = None
    datetime: str | None = None
    intersects: Filter | None = None
    """A GeoJSON geometry."""
    events: Sequence[str] | None = None
    """Values of `event_id`."""


def sources(collections: Iterable[Collection]) -> list[Source]:
    """Return the sources of items, in the order of the catalogue."""
    found: list[Source] = []
    for each in collections:
        key, code = each.column(EVENT_KEY), each.column(HAZARD_CODE)
        if not each.name.endswith(_EVENTS) or each.kind == "function" or key is None or code is None:
            continue
        has_all = bool(each.time() and each.geometries and row_identity(each))
        if key.type == "string" and code.type == "string" and has_all:
            found.append(Source(each))
    # a storm comes before the disturbance that it was
    found.sort(key=lambda source: "disturbance" in source.collection.name)
    return [
        replace(source, earlier=tuple(other.collection for other in found[:place]))
        for place, source in enumerate(found)
    ]


def query_of(source: Source, wanted: Wanted, *, limit: int, cursor: str | None, base: str) -> ItemsQuery:
    """Return the query for events. Raises InvalidParameters."""
    collection = source.collection
    pair, time = collection.period_columns(), collection.time()
    times = [column.name for column in (*(pair or ()), *((time,) if time else ()))]
    known = [name for name in dict.fromkeys([*_USED, *times]) if collection.column(name) is not None]
    newest = newest_first(collection)
    values: dict[str, object] = defaultdict(lambda: None)
    values |= {
        "limit": limit,
        "cursor": cursor,
        "bbox": wanted.bbox,
        "datetime": wanted.datetime,
        "properties": ",".join(known),
        "sortby": [newest] if newest else None,
        "filter": orjson.dumps(_filter(collection, wanted)).decode(),
        "filter-lang": "cql2-json",
        "numberMatched": False,
    }
    query = parse_items(collection, QueryValues(values), {}, base=base)
    selection = query.selection
    without = [_is_absent(other) for other in source.earlier]
    return replace(query, selection=replace(selection, conditions=(*selection.conditions, *without)))


def with_impacts(query: ItemsQuery, *, computed: bool) -> ItemsQuery:
    """Return the query for those of its events that have impacts; `computed`: the database has tables of impacts."""
    selection = query.selection
    reported = [
        sql("{name} IS NOT NULL", name=ident(name))
        for name in (DEATHS, DISPLACED)
        if selection.collection.column(name) is not None
    ]
    tables = sql(
        "EXISTS (SELECT FROM impact.event AS counted WHERE counted.event_id = {event} AND counted.has_zones"
        " AND (counted.impact ->> 'format')::int = {format})",
        event=_EVENT,
        format=bind(FORMAT, "int4"),
    )
    wanted = any_of([*reported, *([tables] if computed else [])])
    return replace(query, selection=replace(selection, conditions=(*selection.conditions, wanted)))


def _filter(collection: Collection, wanted: Wanted) -> Filter:
    conditions: list[Filter] = [
        {"op": "not", "args": [_is_null(HAZARD_CODE)]},
        {"op": "not", "args": [_is_null(EVENT_KEY)]},
    ]
    if collection.column(_WITHDRAWN) is not None:
        conditions.append(_is_null(_WITHDRAWN))
    if wanted.events is not None:
        conditions.append({"op": "in", "args": [{"property": EVENT_KEY}, list(wanted.events)]})
    if wanted.intersects is not None:
        geometry = collection.geometries[0].name
        conditions.append({"op": "s_intersects", "args": [{"property": geometry}, wanted.intersects]})
    return {"op": "and", "args": conditions}


def _is_null(name: str) -> Filter:
    return {"op": "isNull", "args": [{"property": name}]}


def _is_absent(other: Collection) -> Sql:
    return sql(
        "NOT EXISTS (SELECT FROM {other} AS other WHERE other.event_id = {event})",
        other=ident(other.schema, other.name),
        event=_EVENT,
    )
