"""The figure that stands for an event, in words."""

from collections.abc import Mapping
from typing import Any

from libs.web.languages import current, gettext, isolate
from libs.web.local_title import country_name
from libs.web.page_text import count

_MILLION = 1_000_000
_OF_DISTURBANCES = frozenset({"15 kt", "25 kt"})
"""Zones that only disturbances have: those of a storm begin at 34 kt."""


def sentence(headline: Mapping[str, Any], title: str) -> str:
    """Return the sentence that an event is presented with, in the language of the response."""
    names = {"event": event_name(headline, title), "zone": zone_name(headline)}
    areas = headline["areas"]
    is_estimate = headline.get("quality") == "estimate"
    if not headline["people"]:
        said = gettext("%(event)s: no listed place lies in %(zone)s")
        if is_estimate:
            said = gettext("%(event)s: no people counted in %(zone)s")
    elif not areas:
        said = gettext("%(event)s: %(people)s people in %(zone)s")
    elif headline.get("isAll") or len(areas) == 1:
        said = gettext("%(event)s: %(people)s people in %(zone)s, in %(areas)s")
        names["areas"] = ", ".join(map(_area, areas))
    else:
        said = gettext("%(event)s: %(people)s people in %(zone)s, most of them in %(areas)s")
        names["areas"] = gettext("%(first)s and %(second)s") % {
            "first": _area(areas[0]),
            "second": _area(areas[1]),
        }
    names["people"] = people(headline["people"])
    counted = {"data": headline.get("data") or "", "year": headline.get("year") or ""}
    if is_estimate:
        basis = gettext("(estimate: %(data)s, data of %(year)s)")
    elif counted["year"]:
        basis = gettext("(lower bound: places of 500 people and more, data of %(year)s)")
    else:
        # stored by an earlier release
        basis = gettext("(lower bound: places of 500 people and more)")
    words = f"{said % {name: isolate(text) for name, text in names.items()}} {basis % counted}"
    # the mark makes the sentence run from the right although it may begin with a Latin name
    return f"\u200f{words}" if current().direction == "rtl" else words


def _area(name: str) -> str:
    """Return a country, or a province such as `Florida (United States)`, with the country in the language."""
    province, _, country = name.removesuffix(")").rpartition(" (")
    return isolate(f"{province} ({country_name(country)})" if province else country_name(name))


def people(number: int) -> str:
    """Return a number of people: `9.3 million`, `116,526`."""
    if number < _MILLION:
        return count(number)
    return gettext("%(number)s million") % {"number": count_decimal(number / _MILLION)}


def count_decimal(number: float) -> str:
    """Return a number with one decimal below 100, else without."""
    return f"{number:.1f}" if number < 100 else f"{number:.0f}"


def zone_name(zone: Mapping[str, Any]) -> str:
    """Return what a zone is, within a sentence."""
    name, kind = zone["zone"], zone["kind"]
    if name.endswith(" kt"):
        winds = {
            "forecast": gettext("forecast winds of %(wind)s and more"),
            "estimated": gettext("estimated winds of %(wind)s and more"),
        }
        words = (winds.get(kind) or gettext("winds of %(wind)s and more")) % {"wind": name}
        return gettext("%(zone)s, as a disturbance") % {"zone": words} if name in _OF_DISTURBANCES else words
    if kind == "estimated":
        return gettext("estimated intensity %(class)s and above") % {"class": name}
    if name.isupper():
        return gettext("intensity %(class)s and above") % {"class": name}
    areas = {"flooded area": gettext("the flooded area"), "alert area": gettext("the area of the alert")}
    return areas.get(name) or gettext("the area of the forecast alert")


def event_name(headline: Mapping[str, Any], title: str) -> str:
    """Return the event with what it was: `Category 5 hurricane Irma`."""
    name, category = headline.get("name"), headline.get("category")
    if not name or not category:
        return title
    words = {"TS": gettext("Tropical storm %(name)s"), "TD": gettext("Tropical depression %(name)s")}
    if category in words:
        return words[category] % {"name": title}
    kinds = {
        **dict.fromkeys(("NA", "EP"), gettext("Category %(number)s hurricane %(name)s")),
        "WP": gettext("Category %(number)s typhoon %(name)s"),
    }
    kind = kinds.get(headline.get("basin") or "") or gettext("Category %(number)s cyclone %(name)s")
    return kind % {"number": category.removeprefix("C"), "name": title}
