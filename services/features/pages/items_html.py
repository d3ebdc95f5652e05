"""Features as a page: table, paging, filter form, example filters, downloads."""

import re
from collections.abc import Collection as Names
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from math import floor, isfinite, log10
from typing import Any

import orjson

from libs.catalogue.model import Collection, Column
from libs.catalogue.modules import hazard
from libs.cql.quoting import property_name
from libs.ogc.link import is_web_address
from libs.ogc.temporal import rfc3339
from libs.selection.ids import listed_id
from libs.web.languages import gettext, isolate
from libs.web.local_title import country_name
from libs.web.nearby import nearby_words
from services.features.formats.format import PageLinks
from services.features.formats.geojson import features
from services.features.formats.links import NOT_SELECTING, arguments_query
from services.features.pages.items_form import Example, form_context
from services.features.pages.local_name import local_name
from services.features.pages.map_links import map_of_items
from services.features.pages.preview import preview
from services.features.pages.recency import end_of_validity, is_live, newest_first
from services.features.request.items_query import ItemsQuery
from services.features.rows.layout import Rows
from services.features.rows.value_ranges import ValueRange

PAGE_ROWS = 500
"""Maximum number of rows on a page: browsers get slow with more, and downloads have all."""
_COLUMNS = 60
_SERIES = 100
_LONG = 48
_LONGEST = 300
_COUNTRY = re.compile("(^|_)country$")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z\Z")


def items_context(
    query: ItemsQuery,
    page: Rows,
    matched: int | None,
    links: PageLinks,
    *,
    declared: Names[str],
    ranges: Mapping[str, ValueRange],
    cells: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the context of the template of a page of features.

    `declared` are the parameters that are not properties; `ranges` are suggestions of the form; `cells` show all
    matching features.
    """
    collection, given = query.selection.collection, query.given
    found = features(page.rows, page.layout)
    # the feature's link already shows the key
    columns = [column for column in page.layout.properties if column.name != collection.key]
    return {
        "columns": columns[:_COLUMNS],
        "heads": {column.name: head(column, given) for column in (*columns[:_COLUMNS], *_key(collection))},
        "key": collection.key,
        "column_count": len(columns),
        **form_context(collection, given, columns, _examples(collection, found), declared=declared, ranges=ranges),
        "filtered": {
            name: text
            for name, text in given.items()
            if name not in ("f", "limit", "offset", "cursor") and (name, text) != ("sortby", newest_first(collection))
        },
        "rows": [
            {
                "id": feature.get("id"),
                "cells": _cells(collection, feature),
                "over": end_of_validity(collection, feature["properties"]) is not None,
            }
            for feature in found
        ],
        "preview": preview(found, cells),
        "hazard": hazard(collection),
        "arguments": arguments_query(collection, given.items()),
        "selection": {name: text for name, text in given.items() if name not in NOT_SELECTING},
        "matched": matched,
        "returned": len(page.rows),
        "links": links.members(),
        "limit": query.limit,
        "asked": given.get("limit"),
        # the map shows the present
        "map": map_of_items(query, declared) if query.selection.geometry and collection.past is None else None,
        "page_rows": PAGE_ROWS,
    }


def _key(collection: Collection) -> Sequence[Column]:
    column = collection.column(collection.key) if collection.key else None
    return () if column is None else (column,)


def head(column: Column, given: Mapping[str, str]) -> dict[str, Any] | None:
    """Return how the page is sorted by a column (`aria-sort`), and the parameters that sort it by this column next.

    Returns None if the column cannot be sorted by. A column that sorts the page already is reversed.
    """
    if not column.ordered:
        return None
    first, name = given.get("sortby", "").split(",")[0].strip(), listed_id(column.name)
    direction = {name: "ascending", f"+{name}": "ascending", f"-{name}": "descending"}.get(first)
    kept = {name: text for name, text in given.items() if name not in ("f", "offset", "cursor")}
    sortby = f"-{name}" if direction == "ascending" else name
    return {"sort": direction or "none", "parameters": {**kept, "sortby": sortby}}


def _examples(collection: Collection, found: Sequence[dict[str, Any]]) -> list[Example]:
    """Return example filters that surely match something, from the page and the catalogue."""
    examples = []
    telling = collection.column(collection.importance[0].removeprefix("-")) if collection.importance else None
    if telling is not None and telling.type in ("integer", "number"):
        title = gettext(telling.title or telling.name)
        largest = max((value for feature in found if (value := _number(feature, telling)) is not None), default=None)
        if largest is not None and largest > 0:
            least = _round_down(largest)
            unit = f" {telling.unit}" if telling.unit else ""
            condition = f"{property_name(telling.name)} >= {least}"
            examples.append(
                Example(
                    gettext("%(title)s at least %(value)s") % {"title": title, "value": isolate(f"{least}{unit}")},
                    {"filter": condition},
                )
            )
        examples.append(
            Example(
                gettext("Largest %(title)s first") % {"title": title.lower()}, {"sortby": f"-{listed_id(telling.name)}"}
            )
        )
    time = collection.time()
    if is_live(collection):
        examples.append(
            Example(gettext("Active now"), {"datetime": rfc3339(datetime.now(UTC).replace(second=0, microsecond=0))})
        )
    if time is not None and time.end is not None:
        start = datetime.fromisoformat(time.end) - timedelta(days=30)
        if time.start is None or datetime.fromisoformat(time.start) < start:
            examples.append(Example(gettext("Latest 30 days"), {"datetime": f"{rfc3339(start)[:10]}/.."}))
    return examples


def _number(feature: dict[str, Any], column: Column) -> float | None:
    value = feature["properties"].get(column.name)
    number = isinstance(value, int | float | Decimal) and isfinite(value)
    return float(value) if number else None


def _round_down(value: float) -> str:
    """Return the number rounded down to its leading digit: 5.3 gives `5`, 185 `100`, 0.042 `0.04`."""
    unit = 10.0 ** floor(log10(value))
    return f"{floor(value / unit) * unit:.10g}"


def row_context(collection: Collection, feature: dict[str, Any]) -> dict[str, Any]:
    """Return a feature for its own page: id, name, text of each property, lists of objects as tables."""
    cells = _cells(collection, feature)
    for name, value in feature["properties"].items():
        cells[name]["table"] = _table(value)
    name = local_name(collection, feature.get("id"), feature["properties"])
    return {"id": feature.get("id"), "name": name, "nearby": nearby_words(feature["properties"]), "cells": cells}


def _cells(collection: Collection, feature: dict[str, Any]) -> dict[str, dict[str, Any]]:
    has_words = bool(hazard(collection))
    return {name: readable(value, name, has_words=has_words) for name, value in feature["properties"].items()}


def _table(value: Any) -> dict[str, Any] | None:
    """Return names and rows of a list of objects; None for any other value."""
    if not isinstance(value, orjson.Fragment):
        return None
    try:
        entries = orjson.loads(orjson.dumps(value))
    except orjson.JSONDecodeError:
        # a number too large for Python, such as 1e400
        return None
    if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
        return None
    names = list(dict.fromkeys(name for entry in entries[:_SERIES] for name in entry))[:_COLUMNS]
    rows = [[readable(entry.get(name)) for name in names] for entry in entries[:_SERIES]]
    return {"names": names, "rows": rows, "left_out": len(entries) - len(rows)}


def readable(value: Any, name: str = "", *, has_words: bool = False) -> dict[str, Any]:
    """Return a value as text, shortened for a table, with a link if it is an http address.

    has_words: whether it is of a collection of hazards, whose words and countries are in the language of the page. In
    other collections a street called Map keeps its name.
    """
    if value is None:
        return {"text": "", "short": "", "href": None}
    if isinstance(value, orjson.Fragment | dict | list):
        value = orjson.dumps(value).decode()
        return {"text": _cut(value, _LONGEST), "short": _cut(value, _LONG), "href": None}
    if isinstance(value, bool):
        value = gettext("yes") if value else gettext("no")
    elif isinstance(value, str) and _TIME.match(value):
        seconds = "" if value[17:19] == "00" else value[16:19]
        value = f"{value[:10]} {value[11:16]}{seconds} UTC"
    elif isinstance(value, str) and has_words:
        value = country_name(value) if _COUNTRY.search(name) else gettext(value)
    elif isinstance(value, float):
        value = f"{value:.15g}"
    text = str(value)
    href = text if is_web_address(text) else None
    return {"text": _cut(text, _LONGEST), "short": _cut(text, _LONG if href else _LONGEST), "href": href}


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
