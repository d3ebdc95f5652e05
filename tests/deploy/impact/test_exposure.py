"""Places and airports are read as their packages have them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import asyncpg
import orjson
import pytest

from deploy.impact.exposure import Files, Place, read_airports, read_places, read_ports
from deploy.impact.loading import load_exposure
from deploy.impact.units import read_units
from deploy.impact.zones import MAKE_UNIT_PARTS

_LARGE, _QUARTER, _TOWN = (
    {"geonameid": 1, "name": "Large", "latitude": 10.0, "longitude": 20.0, "population": 2_000_000, "admin1code": "01"},
    {"geonameid": 2, "name": "Quarter", "latitude": 10.01, "longitude": 20.0, "population": 90_000, "admin1code": "01"},
    {"geonameid": 3, "name": "Town", "latitude": 12.0, "longitude": 20.0, "population": 600, "admin1code": "02"},
)
_EMPTY = {"geonameid": 4, "name": "Empty", "latitude": 13.0, "longitude": 20.0, "population": 0, "admin1code": "02"}
_AIRPORTS = """icao,iata,name,city,subd,country,elevation,lat,lon,tz,lid
XAAA,XAA,Large International,Large,North,XX,10,10.1,20.1,UTC,
XBBB,,Strip,Town,,XX,10,12.1,20.1,UTC,
"""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Files like those of the packages."""
    places = [{**place, "countrycode": "XX"} for place in (_LARGE, _QUARTER, _TOWN, _EMPTY)]
    named = [
        {"city": "Large", "state": "North", "country_code": "XX", "longitude": 20.0, "latitude": 10.0, "population": 1},
        # another place, too far away to name the province of a town
        {"city": "Other", "state": "South", "country_code": "XX", "longitude": 20.0, "latitude": 12.5, "population": 1},
    ]
    found = Files(*(tmp_path / name for name in ("places.json", "countries.json", "named.gz", "airports.csv")))
    found.places.write_bytes(orjson.dumps({str(place["geonameid"]): place for place in places}))
    found.countries.write_bytes(orjson.dumps({"XX": {"name": "Xland"}}))
    found.provinces.write_bytes(gzip.compress(orjson.dumps(named)))
    found.airports.write_text(_AIRPORTS)
    return found


def test_quarters_and_empty_places_are_left_out(files: Files) -> None:
    assert [(place.name, place.people, place.country, place.province) for place in read_places(files)] == [
        ("Large", 2_000_000, "Xland", "North"),
        ("Town", 600, "Xland", None),
    ]


def test_airports_are_told_apart_by_their_iata_code(files: Files) -> None:
    assert [(each.code, each.class_, each.province) for each in read_airports(files)] == [
        ("XAAA", "IATA code", "North"),
        ("XBBB", "no IATA code", None),
    ]


def test_port_without_position_is_left_out_and_listed_once(files: Files, tmp_path: Path) -> None:
    port = {"name": "Harbour", "country": "X land", "province": "North", "coordinates": [20.2, 10.2]}
    path = tmp_path / "ports.json"
    path.write_bytes(orjson.dumps({"XXHBR": port, "XXHB2": port, "XXNUL": {"name": "Nowhere", "country": "X land"}}))
    assert read_ports(files) == []
    [found] = read_ports(replace(files, ports=path))
    assert (found.kind, found.code, found.country_code, found.country) == ("port", "XXHBR", "XX", "Xland")
    assert (found.longitude, found.latitude) == (20.2, 10.2)


async def test_ports_are_loaded_beside_airports(files: Files, tmp_path: Path, database: asyncpg.Connection) -> None:
    await database.set_type_codec("geometry", schema="public", encoder=bytes, decoder=bytes, format="binary")
    path = tmp_path / "ports.json"
    path.write_bytes(orjson.dumps({"XXHBR": {"name": "Harbour", "country": "X land", "coordinates": [20.2, 10.2]}}))
    assert await load_exposure(database, replace(files, ports=path))
    assert not await load_exposure(database, replace(files, ports=path))
    rows = await database.fetch("SELECT kind, code FROM exposure.facility ORDER BY id")
    assert [tuple(row) for row in rows] == [("airport", "XAAA"), ("airport", "XBBB"), ("port", "XXHBR")]
    assert await database.fetchval("SELECT rows FROM exposure.dataset WHERE dataset = 'ports'") == 1


async def test_units_are_countries_and_provinces_named_after_their_places(
    files: Files, database: asyncpg.Connection
) -> None:
    await database.set_type_codec("geometry", schema="public", encoder=bytes, decoder=bytes, format="binary")
    found = Files.find()
    if found.land is None or found.subunits is None:
        pytest.skip("npm packages are not installed")
    with_units = replace(files, countries=found.countries, land=found.land, subunits=found.subunits)
    places = [Place(1, "Miami", "US", "United States", "Florida", 9, -80.2, 25.9)]
    units = read_units(found.land, found.subunits, found.countries, places)
    assert {unit.country_code: unit.country for unit in units if unit.province is None}["PH"] == "Philippines"
    provinces = {unit.province: unit.country_code for unit in units if unit.province is not None}
    # without places the abbreviation of the package stays
    assert (provinces["Florida"], provinces["GA"]) == ("US", "US")
    assert await load_exposure(database, with_units)
    await database.execute(MAKE_UNIT_PARTS)
    areas = dict(
        await database.fetch(
            "SELECT country, sum(km2) FROM exposure.unit JOIN exposure.unit_part ON unit_id = id "
            "WHERE province IS NULL GROUP BY country"
        )
    )
    # as published, with inland waters
    assert areas["France"] == pytest.approx(643_801, rel=0.02)
    assert areas["Taiwan"] == pytest.approx(36_197, rel=0.02)


async def test_facilities_of_other_kinds_stay(files: Files, database: asyncpg.Connection) -> None:
    # as the loader sends geometries
    await database.set_type_codec("geometry", schema="public", encoder=bytes, decoder=bytes, format="binary")
    await database.execute(
        "INSERT INTO exposure.facility (id, kind, class, code, name, country_code, country, geom) "
        "VALUES (7, 'hospital', 'large', 'H', 'Hospital', 'XX', 'Xland', 'SRID=4326;POINT(1 1)'::geometry)"
    )
    assert await load_exposure(database, files)
    assert not await load_exposure(database, files)
    rows = await database.fetch("SELECT kind, code, id > 7 AS is_new FROM exposure.facility ORDER BY id")
    assert [tuple(row) for row in rows] == [
        ("hospital", "H", False),
        ("airport", "XAAA", True),
        ("airport", "XBBB", True),
    ]
    described = dict(await database.fetch("SELECT dataset, rows FROM exposure.dataset"))
    assert described == {"places": 2, "airports": 2}
