"""The pages of an impact: its tables, with a bar for each number of people."""

from collections.abc import Mapping, Sequence
from typing import Any

from libs.web.accept_language import mark
from libs.web.impact_sentence import sentence, zone_name
from services.features.rows.event_impacts import Impact

_BAR = 160.0
"""Longest bar, in pixels."""
_PROVINCES = 12
"""Provinces of a country that a page lists; CSV and JSON have all of them."""
_COUNTRIES = 40
_FACILITIES = 200
_LEAST_KM2 = 1.0
"""Smallest land without listed places that a page lists."""
REASONS = (
    mark("No collection has zones of this event."),
    mark("No exposure data are loaded."),
    mark("No facilities are loaded."),
    mark("The ShakeMap has no contour of intensity IV or more."),
    mark("The figures could not be computed, because of an error. The worker tries again."),
)
"""Reasons in the documents of deploy/impact that pages translate."""


def impact_context(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template of the page needs beside the document."""
    summary = document["summary"]
    return {
        "tables": [zone_table(zone) for zone in document["zones"]],
        "changes": _changes(document["advisories"]),
        "steps": _steps(document["advisories"]),
        "sentence": summary["text"] if summary else None,
    }


def facilities_context(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the template of the page needs beside the document."""
    names = [zone_name(zone) for zone in document["zones"]]
    zones = [(name[:1].upper() + name[1:], zone) for name, zone in zip(names, document["zones"], strict=True)]
    listed = document["facilities"][:_FACILITIES]
    left = len(document["facilities"]) - len(listed) + document["facilitiesOmitted"]
    return {"zones": zones, "listed": listed, "left_out": left}


def impact_state(impact: Impact | None, trouble: str | None) -> dict[str, Any] | None:
    """Return why the page of the event has no number; None if it has one. Silence would read as zero people."""
    if impact is None or impact.document is None:
        return {"is_pending": True, "reasons": [trouble] if trouble else []}
    if impact.headline is None:
        return {"is_pending": False, "reasons": [each for each in [*impact.document["missing"], trouble] if each]}
    return None


def event_impact(impact: Impact, trouble: str | None = None) -> dict[str, Any] | None:
    """Return what the page of the event says of its impact; None where the event has no zones."""
    if impact.headline is None or impact.document is None:
        return None
    shown = (impact.headline["zone"], impact.headline["kind"])
    zones = [zone for zone in impact.document["zones"] if (zone["zone"], zone["kind"]) == shown]
    return {
        "sentence": sentence(impact.headline, impact.document["title"]),
        "missing": [*impact.document["missing"], *([trouble] if trouble else [])],
        "tables": [zone_table(zone) for zone in zones],
        "change": next(iter(_changes(impact.document["advisories"])), None),
    }


def most_people(zone: Mapping[str, Any]) -> int:
    """Return the people of the country with the most."""
    return max((country["people"] for country in zone["countries"]), default=0)


def zone_table(zone: Mapping[str, Any], most: int | None = None) -> dict[str, Any]:
    """Return the rows of a zone: countries, each followed by its provinces, with the length of their bars.

    `most`: the people of the longest bar, for tables that share a scale.
    """
    countries = zone["countries"]
    most = most_people(zone) if most is None else most
    rows: list[dict[str, Any]] = []
    for country in countries[:_COUNTRIES]:
        rows.append(_row(country, most, is_country=True))
        named = country["provinces"]
        if len(named) > 1 or (named and named[0]["name"] not in (None, country["name"])):
            rows += [_row(each, most, is_country=False) for each in named[:_PROVINCES]]
            rows += _others(named[_PROVINCES:], most)
    listed = {country["name"] for country in countries}
    # land where no listed place is: the number of people there is unknown
    empty = [land for land in zone["land"] if land["name"] not in listed and land["areaKm2"] >= _LEAST_KM2]
    rows += [{**_row({**land, "people": None, "places": None}, most, is_country=True)} for land in empty[:_COUNTRIES]]
    name = zone_name(zone)
    return {
        "zone": zone,
        "label": name[:1].upper() + name[1:],
        "rows": rows,
        "left_out": max(0, len(countries) - _COUNTRIES),
        "bar": _BAR,
        "is_estimate": zone["quality"] == "estimate",
    }


def _row(each: Mapping[str, Any], most: int, *, is_country: bool) -> dict[str, Any]:
    return {
        "name": each["name"],
        "people": each["people"],
        "places": each["places"],
        "area": each.get("areaKm2"),
        "width": round(_BAR * (each["people"] or 0) / most, 1) if most else 0.0,
        "is_country": is_country,
        "others": 0,
    }


def _others(provinces: Sequence[Mapping[str, Any]], most: int) -> list[dict[str, Any]]:
    if not provinces:
        return []
    sums = {name: sum(each[name] for each in provinces) for name in ("people", "places")}
    return [{**_row({"name": None, **sums}, most, is_country=False), "others": len(provinces)}]


def _changes(advisories: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The advisories with forecast winds, the newest first, each with the change since the one before."""
    rows = [
        {
            "advisory": each["advisory"],
            "issued": each["issued"],
            "zones": [zone for zone in each["zones"] if zone["kind"] == "forecast"],
        }
        for each in advisories
    ]
    return [row for row in rows if row["zones"]][::-1]


def _steps(advisories: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The times of the newest advisory that has any, with the people in each of its winds."""
    newest = next((each for each in reversed(advisories) if each["steps"]), None)
    if newest is None:
        return None
    winds = list(dict.fromkeys(zone["zone"] for step in newest["steps"] for zone in step["zones"]))
    winds.sort(key=lambda wind: -int(wind.split()[0]))
    rows = [
        {
            "time": step["time"],
            "kind": step["zones"][0]["kind"],
            "people": [next((z["people"] for z in step["zones"] if z["zone"] == wind), None) for wind in winds],
        }
        for step in newest["steps"]
    ]
    return {"advisory": newest["advisory"], "issued": newest["issued"], "winds": winds, "rows": rows}
