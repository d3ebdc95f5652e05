"""The SRIDs of rows whose column declares none: the query that reads them, and the statement that declares one."""

from collections.abc import Sequence
from dataclasses import dataclass

from libs.pg.sql import EMPTY, Sql, bind, ident, sql

SAMPLE = 20_000
"""Approximate number of rows in a sample."""
_MOST = 16
"""Number of different SRIDs up to which they are searched one by one."""


@dataclass(frozen=True, slots=True)
class SridOfRows:
    """One SRID of a column's rows, and what these rows have in common."""

    srid: int
    is_known: bool
    """Whether the database knows the SRID, or the rows have none."""
    is_beyond: bool
    """Whether the rows have no SRID, and coordinates that are not longitude and latitude."""
    type: str | None
    """Type of the geometries for a declaration, such as `POINTZ`; None if they differ in their dimensions."""


def srids_of_rows(schema: str, name: str, column: str, *, sampled_of: int | None = None) -> Sql:
    """Select the members of `SridOfRows` for each SRID of a column's rows.

    With `sampled_of`, the number of rows of a table, only a sample of its pages is read.
    """
    sample = EMPTY
    if sampled_of is not None:
        percent = min(100.0, 100.0 * SAMPLE / max(1, sampled_of))
        sample = sql(" TABLESAMPLE SYSTEM ({percent})", percent=bind(percent, "float8"))
    return sql(
        "SELECT srid, srid = 0 OR EXISTS (SELECT FROM spatial_ref_sys AS s WHERE s.srid = found.srid) AS is_known,"
        " coalesce(is_beyond, false) AS is_beyond,"
        " CASE WHEN dimensions = other_dimensions THEN (CASE WHEN type = other_type THEN type ELSE 'GEOMETRY' END)"
        " || (ARRAY['', 'M', 'Z', 'ZM'])[dimensions + 1] END AS type"
        " FROM (SELECT ST_SRID({column}) AS srid, bool_or(ST_SRID({column}) = 0 AND NOT ST_IsEmpty({column})"
        " AND NOT {column} @ 'LINESTRING(-541 -91, 541 91)'::geometry) AS is_beyond,"
        " min(GeometryType({column})) AS type, max(GeometryType({column})) AS other_type,"
        " min(ST_Zmflag({column})) AS dimensions, max(ST_Zmflag({column})) AS other_dimensions"
        " FROM {table}{sample} WHERE {column} IS NOT NULL GROUP BY 1 LIMIT {most}) AS found ORDER BY 1",
        column=ident(column),
        table=ident(schema, name),
        sample=sample,
        most=bind(_MOST + 1, "int8"),
    )


def usable_srids(found: Sequence[SridOfRows]) -> tuple[int, ...]:
    """Return the SRIDs; empty if the database does not know one of them, or if they are too many."""
    return tuple(each.srid for each in found) if all(each.is_known for each in found) and len(found) <= _MOST else ()


def advice(schema: str, name: str, column: str, found: Sequence[SridOfRows]) -> tuple[str, str | None] | None:
    """Return the problem with the SRIDs of a column, and the statement that helps; None if there is none."""
    table, quoted = ident(schema, name).render()[0], ident(column).render()[0]
    place = f'"{column}" of "{schema}"."{name}"'
    types = {each.type for each in found}
    one = types.pop() if len(types) == 1 else None
    alter = f"ALTER TABLE {table} ALTER COLUMN {quoted} TYPE geometry({one}, "
    if any(each.is_beyond for each in found):
        sentence = (
            f"{place} has no SRID, and its coordinates are not longitude and latitude: responses omit these"
            " geometries. Declare their CRS, here with its EPSG code in place of the dots."
        )
        return sentence, f"{alter}…) USING ST_SetSRID({quoted}, …);" if one and len(found) == 1 else None
    if len(found) > 1:
        listed = ", ".join(str(each.srid) if each.srid else "none" for each in found)
        moved = f"ST_Transform(CASE ST_SRID({quoted}) WHEN 0 THEN ST_SetSRID({quoted}, 4326) ELSE {quoted} END, 4326)"
        sentence = f"The rows of {place} have several SRIDs ({listed}); searches are faster with one."
        return sentence, f"{alter}4326) USING {moved};" if one else None
    if found and found[0].srid:
        sentence = f"{place} does not declare the SRID of its rows, {found[0].srid}: it was learned from them."
        return sentence, f"{alter}{found[0].srid});" if one else None
    return None
