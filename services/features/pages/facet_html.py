"""The page of facets: default facets, and bars beside the numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from libs.web.accept_language import mark
from libs.web.languages import gettext, isolate
from libs.web.page_text import count
from services.features.aggregation.facet import Facet, NumberFacet, PlaceFacet, TermFacet, TimeFacet
from services.features.rows.value_ranges import ValueRange

_MOST_SHOWN = 5
_RANGES = 10
_FULL = 100
"""Width of the longest bar, in percent."""
_NAMED = frozenset({"f", "facets", "min-count"})


def usual_facets(facets: Sequence[Facet], ranges: Mapping[str, ValueRange]) -> list[Facet]:
    """Return the default facets of a page: time, place, and properties with few values or with numbers.

    `ranges` are the known ranges of the columns.
    """
    times = [facet for facet in facets if isinstance(facet, TimeFacet)][:1]
    places = [facet for facet in facets if isinstance(facet, PlaceFacet)][:1]
    few = [
        facet
        for facet in facets
        if isinstance(facet, TermFacet)
        and (facet.column.enum or facet.column.type == "boolean" or _has_listed_values(facet, ranges))
    ]
    numbers = [
        _round_ranges(facet, ranges.get(facet.column.name))
        for facet in facets
        if isinstance(facet, NumberFacet) and facet.column.type == "number"
    ]
    beside: list[Facet] = [*times, *few[:2], *numbers]
    return [*beside[: _MOST_SHOWN - len(places)], *places]


def _round_ranges(facet: NumberFacet, found: ValueRange | None) -> NumberFacet:
    """Return the facet with 10 to 25 ranges from round numbers; unchanged if the ends are unknown or not numbers."""
    if found is None or found.minimum is None:
        return facet
    least, greatest = Decimal(str(found.minimum)), Decimal(str(found.maximum))
    if not (least.is_finite() and greatest.is_finite() and least < greatest):
        return facet
    length = greatest - least
    unit = Decimal(10) ** (length.adjusted() - 1)
    width = max(step * unit for step in (1, 2, 5) if step * unit * _RANGES <= length)
    return replace(facet, bins=None, width=f"{width:f}")


def _has_listed_values(facet: TermFacet, ranges: Mapping[str, ValueRange]) -> bool:
    found = ranges.get(facet.column.name)
    return found is not None and bool(found.values)


def sections(
    facets: Sequence[Facet], documents: Mapping[str, Mapping[str, Any]], given: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the template's sections: for each facet its title, rows with bars, and cells of a map."""
    return [_section(facet, documents[facet.name], given) for facet in facets]


def _section(facet: Facet, document: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, Any]:
    buckets = document["buckets"]
    most = max((bucket["count"] for bucket in buckets), default=0)
    column = None if isinstance(facet, PlaceFacet) else facet.column
    rows = [
        {
            "label": _label(bucket, document.get("interval")),
            "count": bucket["count"],
            "bar": round(_FULL * bucket["count"] / most, 2) if most else 0,
            "query": _query(facet, bucket, given),
        }
        for bucket in buckets
    ]
    cells = [
        {
            "points": " ".join(f"{x},{-y}" for x, y in bucket["geometry"]["coordinates"][0]),
            "strength": round(0.15 + 0.75 * (bucket["count"] / most) ** 0.5, 3),
            "title": count(bucket["count"]),
        }
        for bucket in (buckets if isinstance(facet, PlaceFacet) else ())
    ]
    title = mark("Where") if column is None else (column.title or column.name)
    return {"facet": document, "title": title, "unit": column.unit if column else None, "rows": rows, "cells": cells}


def _label(bucket: Mapping[str, Any], interval: str | None) -> str:
    if "value" in bucket:
        value = bucket["value"]
        return str(value).lower() if isinstance(value, bool) else f"{value}{'…' if 'valueCut' in bucket else ''}"
    low, high = bucket.get("min"), bucket.get("max")
    if low is None or high is None:
        said = gettext("below %(value)s") if low is None else gettext("from %(value)s")
        return said % {"value": high if low is None else low}
    if isinstance(low, str):
        # a whole calendar unit is named by its start
        length = {"year": 4, "quarter": 7, "month": 7, "week": 10, "day": 10}.get(interval or "")
        return low[:length] if length else f"{_short(low)} – {_short(high)}"
    # a minus stays before its number on a page from right to left
    return isolate(f"{low:g} – {high:g}")


def _short(moment: str) -> str:
    return moment.replace("T00:00:00Z", "").replace("T", " ").removesuffix("Z")


def _query(facet: Facet, bucket: Mapping[str, Any], given: Mapping[str, str]) -> str | None:
    """Return the parameters of a page with the features of a bucket; None if no single parameter can select them."""
    kept = {name: text for name, text in given.items() if name not in _NAMED and text}
    if "valueCut" in bucket:
        return None
    if isinstance(facet, TermFacet) and facet.name == facet.column.name and facet.column.name not in kept:
        value = bucket["value"]
        return urlencode({**kept, facet.column.name: str(value).lower() if isinstance(value, bool) else value})
    if isinstance(facet, TimeFacet) and facet.name == "datetime" and "datetime" not in kept and "min" in bucket:
        return urlencode({**kept, "datetime": f"{bucket['min']}/{bucket.get('max', '..')}"})
    return None
