"""The number of rows without a place in longitude and latitude, and the source of their CRS."""

from __future__ import annotations

import pytest

from libs.catalogue.model import GeometryColumn
from libs.pg.pool import Database, PoolSettings
from libs.pg.sql import sql
from services.features.rows.geometry_sql import lonlat_shape, omitted_statement
from tests.conftest import MakeDatabase


def test_the_crs_of_a_row_is_read_from_what_is_stored() -> None:
    """Not from what that is made of first."""
    assert (
        lonlat_shape(GeometryColumn("geom", "Geometry", 0))
        .render()[0]
        .startswith('(CASE ST_SRID("geom") WHEN 4326 THEN ')
    )


@pytest.mark.parametrize(("as_stored", "number"), [(False, 5), (True, 3)])
async def test_rows_without_a_place_are_counted(make_database: MakeDatabase, as_stored: bool, number: int) -> None:
    table = sql(
        "(SELECT text::geometry AS geom FROM unnest(ARRAY['SRID=4326;POINT(1 1)', 'SRID=4326;POINT(0 91)',"
        " 'SRID=4326;POINT(190 0)', 'SRID=4326;POINT EMPTY', NULL, 'SRID=4326;POINT(999 0)',"
        " 'SRID=4326;POINT(999 -91)', 'SRID=4326;LINESTRING(0 0, 0 91)', 'SRID=4326;POINT(180 90)']) AS text) AS item"
    )
    column = GeometryColumn("geom", "Geometry", 4326, as_stored=as_stored)
    async with Database(PoolSettings(await make_database(), "omitted-test", size=1)) as database:
        assert await database.fetchval(omitted_statement(table, column)) == number
