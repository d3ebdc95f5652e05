"""Puts the exposure data into schema exposure, unless exactly these are there."""

from collections import Counter
from dataclasses import asdict
from typing import Any

import asyncpg
import shapely
from shapely.geometry.base import BaseGeometry

from deploy.impact.exposure import PORTS, UNITS, Files, datasets, read_airports, read_places, read_ports
from deploy.impact.units import read_units
from libs.catalogue.exposure import PACKAGED_KINDS

OPERATORS_FROM = 1_000_000
"""Numbers of rows of exposure.unit that an operator adds begin here."""


async def load_exposure(connection: asyncpg.Connection, files: Files) -> bool:
    """Load places, airports, ports and administrative units in one transaction; return whether they were not there yet.

    Only rows of this program are replaced: facilities of other kinds, and units from `OPERATORS_FROM` on, stay.

    Raise asyncpg.PostgresError, OSError, KeyError.
    """
    fingerprint = files.fingerprint()
    known = dict(await connection.fetch("SELECT dataset, fingerprint FROM exposure.dataset"))
    described = [*datasets(), *([PORTS] if files.ports else []), *([UNITS] if files.land and files.subunits else [])]
    if all(known.get(each.dataset) == fingerprint for each in described):
        return False
    places, facilities = read_places(files), [*read_airports(files), *read_ports(files)]
    units = read_units(files.land, files.subunits, files.countries, places) if files.land and files.subunits else []
    kinds = Counter(each.kind for each in facilities)
    counts = {"places": len(places), "airports": kinds["airport"], "ports": kinds["port"], "units": len(units)}
    async with connection.transaction():
        await connection.execute("DELETE FROM exposure.place")
        await connection.execute("DELETE FROM exposure.facility WHERE kind = ANY($1::text[])", list(PACKAGED_KINDS))
        await _copy(
            connection,
            "place",
            ["id", "name", "country_code", "country", "province", "people", "geom"],
            [(*place[:6], _point(place.longitude, place.latitude)) for place in places],
        )
        first = await connection.fetchval("SELECT coalesce(max(id), 0) FROM exposure.facility")
        await _copy(
            connection,
            "facility",
            ["id", "kind", "class", "code", "name", "country_code", "country", "province", "geom"],
            [
                (number, *each[1:8], _point(each.longitude, each.latitude))
                for number, each in enumerate(facilities, start=first + 1)
            ],
        )
        if units:
            # rows of an operator have other numbers
            await connection.execute("DELETE FROM exposure.unit WHERE id < $1", OPERATORS_FROM)
            await _copy(
                connection,
                "unit",
                ["id", "country_code", "country", "province", "geom"],
                [(*unit[:4], _wkb(unit.geometry)) for unit in units],
            )
        for each in described:
            row = {**asdict(each), "rows": counts[each.dataset], "fingerprint": fingerprint}
            names = list(row)
            await connection.execute(
                f"INSERT INTO exposure.dataset ({', '.join(names)}) "  # noqa: S608 - names of fields
                f"VALUES ({', '.join(f'${place}' for place in range(1, len(names) + 1))}) "
                "ON CONFLICT (dataset) DO UPDATE "
                f"SET {', '.join(f'{name} = excluded.{name}' for name in names)}, loaded = now()",
                *row.values(),
            )
    return True


async def _copy(connection: asyncpg.Connection, table: str, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    await connection.copy_records_to_table(table, schema_name="exposure", columns=columns, records=rows)


def _point(longitude: float, latitude: float) -> bytes:
    return _wkb(shapely.Point(longitude, latitude))


def _wkb(geometry: BaseGeometry) -> bytes:
    wkb: bytes = shapely.to_wkb(shapely.set_srid(geometry, 4326), include_srid=True)
    return wkb
