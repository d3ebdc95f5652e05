"""Impacts as CSV with HXL tags in the second line (https://hxlstandard.org)."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from typing import Any

_PEOPLE = {
    "event_id": "#event+id",
    "event": "#event+name",
    "zone": "#severity+name",
    "kind": "#severity+type",
    "area_km2": "#impact+area+km2",
    "country_code": "#country+code+v_iso2",
    "country": "#country+name",
    "province": "#adm1+name",
    "people": "#affected+lower_bound",
    "places": "#loc+num",
    "quality": "#meta+quality",
    "source": "#meta+source",
    "vintage": "#date+vintage",
    "method": "#meta+method",
    "computed": "#date+computed",
}
_FACILITIES = {
    "event_id": "#event+id",
    "event": "#event+name",
    "zone": "#severity+name",
    "zone_kind": "#severity+type",
    "kind": "#loc+type",
    "class": "#loc+subtype",
    "code": "#loc+code",
    "name": "#loc+name",
    "country_code": "#country+code+v_iso2",
    "country": "#country+name",
    "province": "#adm1+name",
    "longitude": "#geo+lon",
    "latitude": "#geo+lat",
    "quality": "#meta+quality",
    "source": "#meta+source",
    "vintage": "#date+vintage",
    "computed": "#date+computed",
}
_DATASETS = {"airport": "airports", "port": "ports"}
"""Data sets of the packaged kinds of facilities; others are named after their kind."""
_UNKNOWN: Mapping[str, Any] = {"quality": None, "source": None, "vintage": None}
_ELSEWHERE = "Outside the known land"
"""Cells of a raster off the coasts that the polygons of countries have."""


def people_csv(document: Mapping[str, Any]) -> bytes:
    """Return people and km² by zone, country and province.

    The row of a zone without a country is its total, with its area of land and sea; the area of a country or province
    is its land. Rows with an area and no people, after those with people, have the
    land of a whole country within the zone.
    """
    about = _population_source(document)
    rows: list[Sequence[Any]] = []
    for zone in document["zones"]:
        head = (document["id"], document["title"], zone["zone"], zone["kind"])
        tail = (about["quality"], about["source"], about["vintage"], document["method"]["name"], document["computed"])
        rows.append((*head, zone["areaKm2"], None, None, None, zone["people"], zone["places"], *tail))
        if zone["peopleElsewhere"]:
            rows.append((*head, None, None, _ELSEWHERE, None, zone["peopleElsewhere"], None, *tail))
        for country in zone["countries"]:
            for province in country["provinces"]:
                place = (country["code"], country["name"], province["name"])
                rows.append((*head, province["areaKm2"], *place, province["people"], province["places"], *tail))
        for country in zone["land"]:
            land = (country["code"], country["name"], None)
            rows.append((*head, country["areaKm2"], *land, None, None, *tail))
    is_estimate = document["quality"] == "estimate"
    return _lines(_PEOPLE | ({"people": "#affected+estimate"} if is_estimate else {}), rows)


def facilities_csv(document: Mapping[str, Any]) -> bytes:
    """Return the facilities, each with the strongest zone that it is in."""
    data = {each["dataset"]: each for each in document["exposure"]}
    rows = [
        (
            document["id"], document["title"], each["zone"], each["zoneKind"], each["kind"], each["class"],
            each["code"], each["name"], each["countryCode"], each["country"], each["province"],
            each["longitude"], each["latitude"], about["quality"], about["source"], about["vintage"],
            document["computed"],
        )
        for each in document["facilities"]
        for about in [data.get(_DATASETS.get(each["kind"], f"facilities: {each['kind']}"), _UNKNOWN)]
    ]  # fmt: skip
    return _lines(_FACILITIES, rows)


def _population_source(document: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(iter(document["exposure"]), _UNKNOWN)


def _lines(columns: Mapping[str, str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([list(columns), list(columns.values()), *rows])
    return text.getvalue().encode()
