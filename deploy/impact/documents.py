"""Tables of impact as the documents that are stored and served."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from shapely.geometry.base import BaseGeometry

from deploy.impact.intensity import CLASSES
from deploy.impact.methods import method
from libs.catalogue.impacts import FORMAT

MOST_FACILITIES = 2000
"""Facilities that a document lists; it counts all of them."""

Row = Mapping[str, Any]

PLACES, POPULATION = "places", "population"
"""Data sets with people."""
_OF_PEOPLE = (POPULATION, PLACES, "units")
"""Data sets that the tables of people follow from, with tables of units; the others are those of facilities."""

_HEADLINE_INTENSITY = "VI"
"""Intensity class of strong shaking. A figure for the weakest class would include everyone that noticed the event."""

_WITH_ARTICLE = frozenset(
    {
        "Bahamas", "Comoros", "Democratic Republic of the Congo", "Gambia", "Maldives", "Netherlands", "Philippines",
        "Republic of the Congo", "United Arab Emirates", "United Kingdom", "United States",
    }
)  # fmt: skip
"""Countries that take an article within a sentence."""


class Total(NamedTuple):
    """People of a raster in a zone, listed places in it, and the people in cells outside all known land."""

    people: int
    places: int
    elsewhere: int


@dataclass(slots=True)
class Tables:
    """Rows about one event, as the statements of `zones` and the equation give them.

    zones: with kind, zone, rank, sources, km2. missing: the reason if there are no zones, or not all.
    without: missing data of facilities. shapes: the zones, by kind and name, in WGS 84.
    totals: people of the raster by kind and name of a zone; empty if listed places are counted.
    """

    zones: list[dict[str, Any]] = field(default_factory=list)
    people: list[Row] = field(default_factory=list)
    largest: list[Row] = field(default_factory=list)
    facilities: list[Row] = field(default_factory=list)
    areas: list[Row] = field(default_factory=list)
    advisories: list[Row] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    shapes: dict[tuple[str, str], BaseGeometry] = field(default_factory=dict)
    totals: dict[tuple[str, str], Total] = field(default_factory=dict)

    @property
    def kinds(self) -> set[str]:
        """The kinds of the zones."""
        return {zone["kind"] for zone in self.zones}

    @property
    def basis(self) -> str:
        """The data set whose people are counted."""
        return POPULATION if self.totals else PLACES


STORM_KT = 34
"""Wind of a storm: zones of weaker winds are those of the disturbance that it came from."""


def label(hazard: str, zone: str) -> str:
    """Return what a zone is, in words."""
    if hazard == "storm":
        # weaker zones cover only the time before or after it was a storm
        is_weak = zone.endswith(" kt") and float(zone.removesuffix(" kt")) < STORM_KT
        return f"Winds of {zone} and more{', as a disturbance' if is_weak else ''}"
    if hazard == "earthquake":
        return f"Intensity {zone} and above"
    return zone.capitalize()


def impact_document(
    hazard: str, title: str, tables: Tables, datasets: Sequence[Row], published: Sequence[Row]
) -> dict[str, Any]:
    """Return the tables of people."""
    basis = next((each for each in datasets if each["dataset"] == tables.basis), None)
    is_raster = tables.basis == POPULATION
    return {
        "format": FORMAT,
        "title": title,
        "hazard": hazard,
        "simulated": _is_simulated(tables),
        "counts": basis["counts"] if basis else None,
        "quality": basis["quality"] if basis else None,
        "method": method(hazard, tables.kinds, is_raster=is_raster),
        "exposure": [
            each
            for each in _describe(datasets)
            if _is_of_people(each["dataset"]) and (is_raster or each["dataset"] != POPULATION)
        ],
        "zones": [_zone(hazard, zone, tables) for zone in tables.zones],
        "advisories": _advisories(tables.advisories),
        "missing": tables.missing,
        "published": list(published),
    }


def facilities_document(hazard: str, title: str, tables: Tables, datasets: Sequence[Row]) -> dict[str, Any]:
    """Return the facilities, each with the strongest zone that it is in, the strongest zones first."""
    is_known = has_facilities(datasets)
    ranks = {(zone["kind"], zone["zone"]): (-zone["rank"], place) for place, zone in enumerate(tables.zones)}
    strongest: dict[int, Row] = {}
    for row in tables.facilities:
        # several may have the same code, or none
        key = row["id"]
        before = strongest.get(key)
        if before is None or _place(row, ranks) < _place(before, ranks):
            strongest[key] = row
    found = sorted(
        strongest.values(), key=lambda row: (_place(row, ranks), row["class"], row["country"], row["name"], row["code"])
    )
    return {
        "format": FORMAT,
        "title": title,
        "hazard": hazard,
        "simulated": _is_simulated(tables),
        "counts": "Facilities of the listed data whose position lies in the zone; each once, with its strongest zone",
        "quality": "incomplete list",
        "method": method(hazard, tables.kinds),
        "exposure": [each for each in _describe(datasets) if not _is_of_people(each["dataset"])],
        "zones": [_facility_zone(hazard, zone, tables.facilities) for zone in tables.zones] if is_known else [],
        "facilities": [_facility(row) for row in found[:MOST_FACILITIES]],
        "facilitiesOmitted": max(0, len(found) - MOST_FACILITIES),
        "missing": [*tables.missing, *tables.without, *([] if is_known else ["No facilities are loaded."])],
    }


def headline(hazard: str, document: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the figure of the event: of its strongest zone with people, else of its widest; None without zones."""
    zones = document["zones"]
    if not zones:
        return None
    observed = [zone for zone in zones if zone["kind"] != "forecast"] or zones
    # without people the widest zone says the most
    chosen = next((zone for zone in observed if zone["people"]), observed[-1])
    if hazard == "earthquake":
        names = list(CLASSES)
        weaker = [zone for zone in observed if names.index(zone["zone"]) >= names.index(_HEADLINE_INTENSITY)]
        chosen = next((zone for zone in weaker if zone["people"]), chosen)
    areas = _areas(chosen)
    basis = next((each for each in document["exposure"] if each["dataset"] in (POPULATION, PLACES)), None)
    return {
        "zone": chosen["zone"],
        "label": chosen["label"],
        "kind": chosen["kind"],
        "people": chosen["people"],
        "places": chosen["places"],
        "areas": areas,
        "isAll": len(areas) == 1 or _is_of_one_province(chosen),
        "quality": document["quality"],
        "data": basis["title"] if basis else None,
        "year": basis["vintage"][:4] if basis else None,
        **facts,
    }


def has_facilities(datasets: Sequence[Row]) -> bool:
    """Return whether any facilities are loaded: without, their number in a zone is unknown, not 0."""
    return any(not _is_of_people(each["dataset"]) for each in datasets)


def _is_of_people(dataset: str) -> bool:
    return dataset.startswith(_OF_PEOPLE)


def _is_simulated(tables: Tables) -> bool:
    return any("simulated" in (zone["sources"] or []) for zone in tables.zones)


def _areas(zone: Mapping[str, Any]) -> list[str]:
    """The two countries with most of the people; of one country its two first provinces, or its only one and itself.

    A province stands for its country if most of the country's people in the zone live there.
    """
    countries = zone["countries"]
    if len(countries) != 1:
        return [_main_province(country) or _in_words(country["name"]) for country in countries[:2]]
    country = countries[0]
    named = [each["name"] for each in country["provinces"] if each["name"] not in (None, country["name"])]
    if _is_of_one_province(zone):
        return [*named, _in_words(country["name"])]
    return [*named[:1], f"{named[1]} ({country['name']})"] if len(named) > 1 else [_in_words(country["name"])]


def _is_of_one_province(zone: Mapping[str, Any]) -> bool:
    return len(zone["countries"]) == 1 and len(zone["countries"][0]["provinces"]) == 1


def _main_province(country: Mapping[str, Any]) -> str | None:
    first = country["provinces"][0]
    is_named = first["name"] not in (None, country["name"])
    return f"{first['name']} ({country['name']})" if is_named and 2 * first["people"] > country["people"] else None


def _in_words(country: str) -> str:
    return f"the {country}" if country in _WITH_ARTICLE or country.endswith((" Islands", " Republic")) else country


def _describe(datasets: Sequence[Row]) -> list[dict[str, Any]]:
    datasets = sorted(datasets, key=lambda each: each["dataset"] != POPULATION)
    shown = ("dataset", "title", "counts", "quality", "source", "licence", "licence_url", "vintage")
    return [{"licenceUrl" if name == "licence_url" else name: each[name] for name in shown} for each in datasets]


def _of_zone(rows: Iterable[Row], zone: Mapping[str, Any], kind: str = "kind") -> list[Row]:
    return [row for row in rows if (row[kind], row["zone"]) == (zone["kind"], zone["zone"])]


def _zone(hazard: str, zone: Mapping[str, Any], tables: Tables) -> dict[str, Any]:
    people = _of_zone(tables.people, zone)
    land = _of_zone(tables.areas, zone)
    by_country: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in people:
        by_country[row["country_code"], row["country"]].append(row)
    countries = [
        {
            "code": code,
            "name": name,
            **_sums(rows),
            "areaKm2": _area_of(land, code, None),
            "provinces": [
                {
                    "name": row["province"],
                    "people": row["people"],
                    "places": row["places"],
                    "areaKm2": None if row["province"] is None else _area_of(land, code, row["province"]),
                }
                for row in rows
            ],
        }
        for (code, name), rows in by_country.items()
    ]
    total = tables.totals.get((zone["kind"], zone["zone"]))
    return {
        **_head(hazard, zone),
        **_sums(people),
        **({"people": total.people, "places": total.places} if total else {}),
        "quality": "estimate" if total else "lower bound",
        "peopleElsewhere": total.elsewhere if total else 0,
        "countries": sorted(countries, key=lambda each: (-each["people"], each["name"])),
        "land": _land(land),
        "largestPlaces": [
            {name: row[name] for name in ("name", "province", "country", "people")}
            for row in _of_zone(tables.largest, zone)
        ],
    }


def _area_of(land: Iterable[Row], code: str, province: str | None) -> float | None:
    """The land of a country or province in a zone; None where no polygon of it reaches into the zone, or is known."""
    found = [row["km2"] for row in land if row["country_code"] == code and row["province"] == province]
    return round(sum(found), 1) if found else None


def _land(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The land in a zone by country, with the provinces that are known, those with most of it first."""
    return [
        {
            "code": row["country_code"],
            "name": row["country"],
            "areaKm2": round(row["km2"], 1),
            "provinces": [
                {"name": each["province"], "areaKm2": round(each["km2"], 1)}
                for each in rows
                if each["province"] is not None and each["country"] == row["country"]
            ],
        }
        for row in rows
        if row["province"] is None
    ]


_OF_EARTHQUAKES = ("radiusKm", "fromIntensity", "isCut")
"""Members that only zones of earthquakes have."""


def _head(hazard: str, zone: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "zone": zone["zone"],
        "label": label(hazard, zone["zone"]),
        "kind": zone["kind"],
        "sources": zone["sources"] or [],
        "areaKm2": round(zone["km2"], 1),
        **{name: zone[name] for name in _OF_EARTHQUAKES if name in zone},
    }


def _sums(rows: Sequence[Row]) -> dict[str, int]:
    return {"people": sum(row["people"] for row in rows), "places": sum(row["places"] for row in rows)}


def _facility_zone(hazard: str, zone: Mapping[str, Any], facilities: Sequence[Row]) -> dict[str, Any]:
    counts = Counter((row["kind"], row["class"]) for row in _of_zone(facilities, zone, "zone_kind"))
    return {
        **_head(hazard, zone),
        "facilities": sum(counts.values()),
        "classes": [
            {"kind": kind, "class": class_, "facilities": number} for (kind, class_), number in sorted(counts.items())
        ],
    }


def _place(row: Row, ranks: Mapping[tuple[str, str], tuple[float, int]]) -> tuple[float, int]:
    return ranks[row["zone_kind"], row["zone"]]


def _facility(row: Row) -> dict[str, Any]:
    return {
        "kind": row["kind"],
        "class": row["class"],
        "code": row["code"],
        "name": row["name"],
        "countryCode": row["country_code"],
        "country": row["country"],
        "province": row["province"],
        "longitude": row["longitude"],
        "latitude": row["latitude"],
        "zone": row["zone"],
        "zoneKind": row["zone_kind"],
    }


def _advisories(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """People by zone of each advisory, the oldest first; a zone that an advisory does not have is not named.

    `change` is the difference to the last advisory with zones, in the same zone; None where that has no such zone.
    """
    found: dict[Any, dict[str, Any]] = {}
    for row in rows:
        each = found.setdefault(
            row["advisory_time"],
            {"advisory": row["advisory"], "issued": _moment(row["advisory_time"]), "zones": [], "steps": []},
        )
        zone = {"zone": f"{row['wind_speed_kt']} kt", "kind": row["kind"], "people": row["people"]}
        if row["scope"] == "whole":
            each["zones"].append(zone)
            continue
        time = _moment(row["time"])
        if not each["steps"] or each["steps"][-1]["time"] != time:
            each["steps"].append({"time": time, "zones": []})
        each["steps"][-1]["zones"].append(zone)
    before: dict[tuple[str, str], int] = {}
    for each in found.values():
        now = {(zone["zone"], zone["kind"]): zone["people"] for zone in each["zones"]}
        for zone in each["zones"]:
            known = before.get((zone["zone"], zone["kind"]))
            zone["change"] = None if known is None else zone["people"] - known
        # positions between two advisories have no zones of their own
        before = now or before
    return list(found.values())


def _moment(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")
