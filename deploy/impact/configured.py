"""Loads the tables of units and of facilities that the section `exposure` of the collections file names."""

import hashlib

import asyncpg

from deploy.impact.zones import MAKE_UNIT_PARTS
from deploy.loader.store.connection import quote
from libs.catalogue.exposure import Described, ExposureConfig, Facilities, Units

FACILITIES_OF = "facilities: "
UNITS_OF = "units: "
"""Beginnings of the names of data sets, before the kind of facilities and the table of units."""
CONFIGURED_FROM = 10_000_000
"""Numbers of rows of exposure.unit that come from configured tables begin here."""

_REFUSED = (asyncpg.InsufficientPrivilegeError, asyncpg.InternalServerError, asyncpg.DataError)
"""Faults of a table or of its rows, such as an unknown SRID."""
_GEOMETRY = """
SELECT a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
    AND t.typname IN ('geometry', 'geography') AND has_schema_privilege(n.oid, 'USAGE')
ORDER BY a.attnum LIMIT 1
"""
_POINTS = """
SELECT coalesce({code}, '') AS code, coalesce({name}, '') AS name, coalesce({class_}, 'unknown') AS class,
    ST_Force2D(ST_PointOnSurface(ST_Transform({geometry}, 4326))) AS geom
FROM {table} WHERE {geometry} IS NOT NULL AND NOT ST_IsEmpty({geometry})
"""
_AREAS = """
SELECT {country_code} AS country_code, {country} AS country, {province} AS province,
    ST_Multi(ST_CollectionExtract(ST_MakeValid(ST_Force2D(ST_Transform({geometry}, 4326))), 3)) AS geom
FROM {table} WHERE {country} IS NOT NULL AND ST_Dimension({geometry}) = 2
"""
_DIGEST = """
SELECT count(*) AS rows, md5(coalesce(string_agg(md5(e::text), '' ORDER BY md5(e::text)), '')) AS digest
FROM ({rows}) e
"""
_ADD_FACILITIES = """
INSERT INTO exposure.facility (id, kind, class, code, name, country_code, country, geom)
SELECT row_number() OVER (ORDER BY f.code, f.name) + (SELECT coalesce(max(id), 0) FROM exposure.facility),
    $1, f.class, f.code, f.name, coalesce(u.country_code, ''), coalesce(u.country, ''), f.geom
FROM ({rows}) f LEFT JOIN LATERAL (
    SELECT u.country_code, u.country FROM exposure.unit_part p JOIN exposure.unit u ON u.id = p.unit_id
    WHERE ST_Intersects(p.geom, f.geom) ORDER BY u.id DESC LIMIT 1
) u ON true
"""
_ADD_UNITS = f"""
WITH made AS (
    INSERT INTO exposure.unit (id, country_code, country, province, geom)
    SELECT row_number() OVER (ORDER BY country, province)
        + (SELECT greatest(coalesce(max(id), 0), {CONFIGURED_FROM}) FROM exposure.unit),
        country_code, country, province, geom
    FROM ({{rows}}) a WHERE NOT ST_IsEmpty(geom) RETURNING id
) INSERT INTO exposure.unit_table (unit_id, relation) SELECT id, $1 FROM made
"""  # noqa: S608
_ADD_NAMES = """
INSERT INTO exposure.place_unit (place_id, unit_id)
SELECT DISTINCT ON (m.id) m.id, u.id
FROM exposure.unit_table t JOIN exposure.unit u ON u.id = t.unit_id JOIN exposure.unit_part p ON p.unit_id = u.id
    JOIN exposure.place m ON ST_Intersects(p.geom, m.geom) AND m.country_code = u.country_code
WHERE t.relation = $1 AND u.province IS NOT NULL ORDER BY m.id, u.id
ON CONFLICT (place_id) DO UPDATE SET unit_id = excluded.unit_id
"""
"""The provinces of places within the areas of a table."""


class _TableError(Exception):
    """A configured table cannot be used; the message says why."""


async def load_configured(
    connection: asyncpg.Connection, config: ExposureConfig, *, all_units: bool = False
) -> dict[str, str]:
    """Load the tables that have changed; return what cannot be loaded and why, by data set.

    `all_units` also loads unchanged tables of units, because the places were loaded again. Rows of tables that are no
    longer configured are deleted. Raise asyncpg.PostgresError where the database fails.
    """
    await connection.execute(MAKE_UNIT_PARTS)
    wanted: list[Units | Facilities] = [*config.units, *config.facilities]
    problems: dict[str, str] = {}
    known = dict(await connection.fetch("SELECT dataset, fingerprint FROM exposure.dataset"))
    for name in known:
        if name.startswith((UNITS_OF, FACILITIES_OF)) and name not in {name_of(each) for each in wanted}:
            await _forget(connection, name)
    for each in wanted:
        name = name_of(each)
        try:
            async with connection.transaction():
                await _load(connection, each, None if all_units and isinstance(each, Units) else known.get(name))
        except (_TableError, asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, *_REFUSED) as error:
            problems[name] = f"Table {each.table} ({name}) cannot be used: {error}."
            await _forget(connection, name)
    return problems


def name_of(each: Units | Facilities) -> str:
    """Return the name of the data set of a configured table."""
    return f"{FACILITIES_OF}{each.kind}" if isinstance(each, Facilities) else f"{UNITS_OF}{each.table}"


async def _load(connection: asyncpg.Connection, each: Units | Facilities, known: str | None) -> None:
    rows = await _rows_of(connection, each)
    facts = await connection.fetchrow(_DIGEST.format(rows=rows))
    fingerprint = hashlib.sha256(f"{each.model_dump_json()}|{facts['digest']}".encode()).hexdigest()[:32]
    if fingerprint == known:
        return
    if not facts["rows"]:
        raise _TableError("it has no rows with a geometry")
    await _forget(connection, name_of(each))
    if isinstance(each, Facilities):
        await connection.execute("DELETE FROM exposure.facility WHERE kind = $1", each.kind)
        await connection.execute(_ADD_FACILITIES.format(rows=rows), each.kind)
        counts, quality = f"Facilities of kind {each.kind} whose position lies in the zone", "incomplete list"
    else:
        await connection.execute(_ADD_UNITS.format(rows=rows), each.table)
        await connection.execute(MAKE_UNIT_PARTS)
        await connection.execute(_ADD_NAMES, each.table)
        counts, quality = "Land within the zone, in km² on the ellipsoid", "estimate"
    await describe(
        connection,
        name_of(each),
        each,
        counts=counts,
        quality=quality,
        rows=facts["rows"],
        fingerprint=fingerprint,
    )


async def describe(
    connection: asyncpg.Connection,
    name: str,
    each: Described,
    *,
    counts: str,
    quality: str,
    rows: int,
    fingerprint: str,
) -> None:
    """Write the description of a data set to exposure.dataset. Raise asyncpg.PostgresError."""
    await connection.execute(
        "INSERT INTO exposure.dataset (dataset, title, counts, quality, source, licence, licence_url, vintage, rows, "
        "fingerprint) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (dataset) DO UPDATE SET "
        "title = excluded.title, counts = excluded.counts, quality = excluded.quality, source = excluded.source, "
        "licence = excluded.licence, licence_url = excluded.licence_url, vintage = excluded.vintage, "
        "rows = excluded.rows, fingerprint = excluded.fingerprint, loaded = now()",
        name, each.title, counts, quality, each.source, each.licence, each.licence_url, each.vintage, rows, fingerprint,
    )  # fmt: skip


async def _forget(connection: asyncpg.Connection, name: str) -> None:
    """Delete a data set with its rows."""
    await connection.execute("DELETE FROM exposure.dataset WHERE dataset = $1", name)
    if name.startswith(FACILITIES_OF):
        await connection.execute("DELETE FROM exposure.facility WHERE kind = $1", name.removeprefix(FACILITIES_OF))
    else:
        # its units and the names of places go with it
        table = name.removeprefix(UNITS_OF)
        await connection.execute(
            "DELETE FROM exposure.unit u USING exposure.unit_table t WHERE t.unit_id = u.id AND t.relation = $1", table
        )


async def _rows_of(connection: asyncpg.Connection, each: Units | Facilities) -> str:
    """Return the statement that selects the rows of a table. Raise _TableError, asyncpg.PostgresError."""
    schema, name = each.table.split(".")
    geometry = await connection.fetchval(_GEOMETRY, schema, name)
    if geometry is None:
        raise _TableError("there is no such table with a geometry, or the worker's role may not read it")
    names = {
        field: "NULL::text" if column is None else f"{quote(column)}::text"
        for field, column in each.model_dump().items()
        if field in ("code", "name", "class_", "country_code", "country", "province")
    }
    place = {"geometry": f"{quote(geometry)}::geometry", "table": f"{quote(schema)}.{quote(name)}"}
    return (_POINTS if isinstance(each, Facilities) else _AREAS).format(**names, **place)
