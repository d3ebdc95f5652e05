"""Titles of hazard events in the language of the response, made from their properties. The source's are English."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from babel import Locale

from libs.ogc.temporal import moment_of
from libs.web.accept_language import ENGLISH
from libs.web.languages import current, gettext, isolate
from libs.web.nearby import nearby_words
from libs.web.page_text import day

_SPELLED_OTHERWISE = {
    "bonaire, saint eustatius and saba": "BQ",
    "cabo verde": "CV",
    "congo": "CG",
    "curacao": "CW",
    "côte d'ivoire": "CI",
    "democratic republic of the congo": "CD",
    "hong kong": "HK",
    "ivory coast": "CI",
    "macao": "MO",
    "myanmar": "MM",
    "palestine": "PS",
    "palestinian territory": "PS",
    "republic of the congo": "CG",
    "reunion": "RE",
    "sao tome and principe": "ST",
    "the netherlands": "NL",
    "timor leste": "TL",
    "turkey": "TR",
    "united states of america": "US",
    "vatican": "VA",
}
"""Codes of countries by spellings of Natural Earth and GeoNames that CLDR does not have, in lower case."""
_WINDS = ("max_wind_kt", "wind_speed_kt", "wind_kt")


def local_title(
    properties: Mapping[str, Any], *, basin: str, moments: Iterable[Any], with_magnitude: bool = True
) -> str:
    """Return the title; empty in English, or if the properties do not suffice.

    `basin` is the English name of its ocean basin, `moments` are its start and end.
    """
    if current() is ENGLISH:
        return ""
    title = _title(properties, basin, moments, with_magnitude=with_magnitude)
    # the mark makes the title run from the right although it begins with Latin letters
    return f"\u200f{title}" if title and current().direction == "rtl" else title


def country_name(name: str) -> str:
    """Return a country, whose name is English, in the language of the response."""
    if current() is ENGLISH:
        return name
    return str(Locale(current().tag).territories.get(_codes().get(name.casefold(), ""), name))


@cache
def _codes() -> Mapping[str, str]:
    """Return the codes of countries by their English names, also as Natural Earth and GeoNames spell them."""
    found = {name.casefold(): code for code, name in Locale("en").territories.items()}
    spelled = {name.replace("&", "and"): code for name, code in found.items()}
    saints = {name.replace("st.", "saint"): code for name, code in spelled.items()}
    return {**_SPELLED_OTHERWISE, **saints, **spelled, **found}


def _title(properties: Mapping[str, Any], basin: str, moments: Iterable[Any], *, with_magnitude: bool) -> str:
    magnitude = properties.get("magnitude")
    near = nearby_words({**properties, "nearest_place_population": None})
    if isinstance(magnitude, int | float) and near:
        return f"{isolate(f'M {magnitude:.1f}')} - {isolate(near)}" if with_magnitude else isolate(near)
    when = " – ".join(dict.fromkeys(day(each) for each in moments if isinstance(each, str) and moment_of(each)))
    if basin:
        wind = next((f"{value} kt" for name in _WINDS if isinstance(value := properties.get(name), int)), "")
        parts = (_text(properties, "name") or gettext(basin), when, wind)
        return ", ".join(isolate(part) for part in parts if part)
    cause, level = _text(properties, "main_cause"), _text(properties, "alert_level")
    what = gettext(cause) or (gettext("%(level)s alert") % {"level": gettext(level)} if level else "")
    country = country_name(_text(properties, "country"))
    return ", ".join(isolate(part) for part in (what, country, when) if part) if what and country else ""


def _text(properties: Mapping[str, Any], name: str) -> str:
    value = properties.get(name)
    return value.strip() if isinstance(value, str) else ""
