"""A table of places in a database of the test's own, and the services on it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from deploy.database.apply import apply_schema, ensure_reader
from tests.services.conftest import PASSWORD, READER, reader_url
from tests.services.in_process import Answer, Client, Services, services

ITEMS = "/collections/places.towns/items"
FACETS = "/collections/places.towns/facets"
TILE = "/collections/places.towns/tiles/WebMercatorQuad/0/0/0"


async def make_places(owner_url: str) -> None:
    """The schema of the service, its reader, and the tables `places.towns` and `places.rivers` with a row each."""
    owner = await asyncpg.connect(owner_url)
    await owner.execute("CREATE EXTENSION IF NOT EXISTS postgis")
    await apply_schema(owner)
    await ensure_reader(owner, READER, PASSWORD)
    await owner.execute("CREATE SCHEMA places; GRANT USAGE ON SCHEMA places TO dams_reader")
    for table in ("towns", "rivers"):
        await owner.execute(
            f"CREATE TABLE places.{table} (id integer PRIMARY KEY, name text, geom geometry(Point, 4326));"
            f"SELECT dams.watch('places.{table}'); GRANT SELECT ON places.{table} TO dams_reader"
        )
        await owner.execute(
            f"INSERT INTO places.{table} VALUES (1, 'first', ST_Point(1, 1, 4326))"  # noqa: S608 - our own names
        )
    await owner.close()


async def insert_towns(owner_url: str, *names: str) -> None:
    """One statement that inserts towns of these names, at places that their names lead to."""
    owner = await asyncpg.connect(owner_url)
    await owner.execute(
        "INSERT INTO places.towns SELECT (SELECT max(id) FROM places.towns) + n, name,"
        " ST_Point(hashtext(name) % 170, hashtext(name) % 80, 4326) FROM unnest($1::text[]) WITH ORDINALITY t(name, n)",
        list(names),
    )
    await owner.close()


def environment(owner_url: str, **more: str) -> dict[str, str]:
    """The environment of any service."""
    return {
        "DAMS_DATABASE_URL": reader_url(owner_url),
        "DAMS_COLLECTION_SCHEMAS": "places",
        "DAMS_CATALOGUE_REFRESH_SECONDS": "1",
        **more,
    }


@asynccontextmanager
async def on_places(owner_url: str, *names: str, **more: str) -> AsyncIterator[Services]:
    """Common and the services of these names on the database."""
    async with services() as started:
        for name in ("common", *names):
            await started.start(name, environment(owner_url, **more))
        yield started


async def town_names(features: Client) -> list[str]:
    """Return the names of all towns, after checking that the count agrees. Fails while the service has no database."""
    page = await features.json(ITEMS, limit="100")
    names = [feature["properties"]["name"] for feature in page["features"]]
    assert page["numberMatched"] == len(names)
    return names


async def good(client: Client, path: str, **parameters: str) -> Answer:
    """An answer that is 200."""
    answer = await client.get(path, parameters)
    assert answer.status == 200, (answer.url, answer.status, answer.body[:500])
    return answer
