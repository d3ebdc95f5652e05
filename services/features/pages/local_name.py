"""The name of a feature in the language of the page. The map's words/feature-name.js does the same."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from babel import Locale

from libs.catalogue.basins import BASIN, BASINS
from libs.catalogue.feature_name import feature_name
from libs.catalogue.model import Collection
from libs.ogc.temporal import moment_of
from libs.web.accept_language import ENGLISH
from libs.web.languages import current, gettext, isolate
from libs.web.page_text import day
from services.features.pages.nearby import nearby_words

_WINDS = ("max_wind_kt", "wind_speed_kt", "wind_kt")


def local_name(collection: Collection, identifier: Any, properties: Mapping[str, Any]) -> str:
    """Return the name; the source's English one if the properties do not suffice."""
    name = "" if current() is ENGLISH else _name(collection, properties)
    # the mark makes the name run from the right although it begins with Latin letters
    mark = "\u200f" if name and current().direction == "rtl" else ""
    return mark + name if name else feature_name(collection, identifier, properties)


def country_name(name: str) -> str:
    """Return a country, whose name is English, in the language of the response."""
    if current() is ENGLISH:
        return name
    return str(Locale(current().tag).territories.get(_codes().get(name.casefold(), ""), name))


@cache
def _codes() -> Mapping[str, str]:
    return {name.casefold(): code for code, name in Locale("en").territories.items()}


def _name(collection: Collection, properties: Mapping[str, Any]) -> str:
    magnitude = properties.get("magnitude")
    near = nearby_words({**properties, "nearest_place_population": None})
    if isinstance(magnitude, int | float) and near:
        return f"{isolate(f'M {magnitude:.1f}')} - {isolate(near)}"
    when, basin = _format_time(collection, properties), _text(properties, BASIN)
    if basin:
        wind = next((f"{value} kt" for name in _WINDS if isinstance(value := properties.get(name), int)), "")
        return ", ".join(
            isolate(part)
            for part in (_text(properties, "name") or gettext(BASINS.get(basin, basin)), when, wind)
            if part
        )
    cause, level = _text(properties, "main_cause"), _text(properties, "alert_level")
    what = gettext(cause) or (gettext("%(level)s alert") % {"level": gettext(level)} if level else "")
    country = country_name(_text(properties, "country"))
    return ", ".join(isolate(part) for part in (what, country, when) if part) if what and country else ""


def _format_time(collection: Collection, properties: Mapping[str, Any]) -> str:
    time, pair = collection.time(), collection.period_columns()
    moments = [properties.get(column.name) for column in (pair or [time]) if column is not None]
    days = [day(moment) for moment in moments if isinstance(moment, str) and moment_of(moment)]
    return " – ".join(dict.fromkeys(days))


def _text(properties: Mapping[str, Any], name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""
