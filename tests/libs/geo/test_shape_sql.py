from __future__ import annotations

import asyncpg
import pytest

from libs.geo.shape_sql import in_lonlat
from libs.pg.sql import Sql, bind, ident, sql
from tests.conftest import MakeDatabase

_ROWS = """
CREATE TABLE places (id integer, geom geometry);
INSERT INTO places VALUES
    (1, 'SRID=4326;POINT(10 50)'), (2, 'POINT(10 50)'),
    (3, ST_Transform('SRID=4326;POINT(10 50)'::geometry, 32632)),
    (4, ST_Transform('SRID=4326;POINT(10 50)'::geometry, 3857));
"""


@pytest.mark.parametrize(
    ("srid", "rows"), [(4326, (1,)), (0, (2,)), (32632, (3,)), (3857, (4,)), (None, (1, 2, 3, 4))], ids=str
)
async def test_all_rows_come_to_the_same_place(
    make_database: MakeDatabase, srid: int | None, rows: tuple[int, ...]
) -> None:
    connection = await asyncpg.connect(await make_database())
    try:
        await connection.execute(_ROWS)
        text, args = sql(
            "SELECT ST_AsEWKT({shape}, 6) FROM places WHERE id = ANY({rows})",
            shape=in_lonlat(ident("geom"), srid),
            rows=bind(list(rows), "int[]"),
        ).render()
        found = await connection.fetch(text, *args)
        assert [row[0] for row in found] == ["SRID=4326;POINT(10 50)"] * len(rows)
    finally:
        await connection.close()


def test_a_column_in_longitude_and_latitude_stays_a_column_so_that_its_index_serves() -> None:
    assert in_lonlat(ident("geom"), 4326) == ident("geom")


def test_the_srid_is_read_from_what_is_stored() -> None:
    shape: Sql = sql("ST_CurveToLine(geom)")
    text, _ = in_lonlat(shape, None, stored=ident("geom")).render()
    assert text == (
        '(CASE ST_SRID("geom") WHEN 4326 THEN ST_CurveToLine(geom) WHEN 0 THEN ST_SetSRID(ST_CurveToLine(geom), 4326)'
        " ELSE (SELECT ST_Transform(ST_CurveToLine(geom), 4326) FROM spatial_ref_sys AS known"
        ' WHERE known.srid = ST_SRID("geom")) END)'
    )
    assert in_lonlat(shape, None).render()[0] == text.replace('"geom"', "ST_CurveToLine(geom)")
    # if all rows have one, it is not read
    assert in_lonlat(shape, 3857, stored=ident("geom")).render()[0] == "ST_Transform(ST_CurveToLine(geom), 4326)"
