"""Puts the exposure data into schema exposure, unless exactly these are there."""

import asyncpg
import shapely

from deploy.impact.exposure import Files, datasets, read_airports, read_places


async def load_exposure(connection: asyncpg.Connection, files: Files) -> bool:
    """Load places and airports in one transaction; return whether they were not there yet.

    Only rows of this program are replaced: facilities of other kinds stay.

    Raise asyncpg.PostgresError, OSError, KeyError.
    """
    fingerprint = files.fingerprint()
    known = dict(await connection.fetch("SELECT dataset, fingerprint FROM exposure.dataset"))
    described = datasets()
    if all(known.get(each.dataset) == fingerprint for each in described):
        return False
    places, airports = read_places(files), read_airports(files)
    counts = {"places": len(places), "airports": len(airports)}
    async with connection.transaction():
        await connection.execute("DELETE FROM exposure.place")
        await connection.execute("DELETE FROM exposure.facility WHERE kind = 'airport'")
        await connection.copy_records_to_table(
            "place",
            schema_name="exposure",
            columns=["id", "name", "country_code", "country", "province", "people", "geom"],
            records=[(*place[:6], _point(place.longitude, place.latitude)) for place in places],
        )
        first = await connection.fetchval("SELECT coalesce(max(id), 0) FROM exposure.facility")
        await connection.copy_records_to_table(
            "facility",
            schema_name="exposure",
            columns=["id", "kind", "class", "code", "name", "country_code", "country", "province", "geom"],
            records=[(first + each.id, *each[1:8], _point(each.longitude, each.latitude)) for each in airports],
        )
        for each in described:
            await connection.execute(
                "INSERT INTO exposure.dataset (dataset, title, counts, quality, source, licence, licence_url, vintage, "
                "rows, fingerprint) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (dataset) DO UPDATE "
                "SET title = excluded.title, counts = excluded.counts, quality = excluded.quality, "
                "source = excluded.source, licence = excluded.licence, licence_url = excluded.licence_url, "
                "vintage = excluded.vintage, rows = excluded.rows, fingerprint = excluded.fingerprint, loaded = now()",
                each.dataset, each.title, each.counts, each.quality, each.source, each.licence, each.licence_url,
                each.vintage, counts[each.dataset], fingerprint,
            )  # fmt: skip
    return True


def _point(longitude: float, latitude: float) -> bytes:
    wkb: bytes = shapely.to_wkb(shapely.set_srid(shapely.Point(longitude, latitude), 4326), include_srid=True)
    return wkb
