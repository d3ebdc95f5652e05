"""Statements of tiles depend on the shape of a request, and look before they encode only where that pays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Column, GeometryColumn, TimeColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.rendering.statement import condition, tile_statement
from services.tiles.request.plain_tile import plain_tile, tile_of
from tests.services.tiles.rendering.points import POINTS

COLLECTION = replace(
    POINTS,
    columns=(Column("id", "integer", "integer"), Column("size", "real", "number"), Column("name", "text", "string")),
    rows=100_000,
    tile_properties=((0, 3, ("size",)),),
)
LOOKS_FIRST = "WITH near AS MATERIALIZED"


@pytest.mark.parametrize("identifier", IDS)
@pytest.mark.parametrize("kind", ["Point", "MultiPoint", "LineString", "Geometry"])
def test_tiles_that_may_be_full_are_looked_at_before_they_are_encoded(identifier: str, kind: str) -> None:
    collection = replace(COLLECTION, geometries=(GeometryColumn("geom", kind, 4326),), shape=kind)
    tms = tile_matrix_set(identifier)
    seen = set()
    for z, matrix in list(tms.matrices.items())[:8]:
        for x, y in {(0, 0), (matrix.columns // 2, matrix.rows // 3), (matrix.columns - 1, matrix.rows - 1)}:
            for limit in (10_000, 500):
                request = plain_tile(collection, tms, z, x, y, limit)
                if not request.region.near:
                    # the service never queries such a tile
                    continue
                text, args = tile_statement(request).render()
                assert text.startswith(LOOKS_FIRST) is (matrix.columns * matrix.rows * limit <= 20 * 100_000)
                assert limit in args
                seen.add(args)
    assert len(seen) > 2


def test_whether_a_tile_may_be_full_follows_from_the_number_of_rows() -> None:
    tms = tile_matrix_set("WebMercatorQuad")

    def looks_first(rows: int | None, z: int, limit: int = 10_000) -> bool:
        statement = tile_statement(plain_tile(replace(COLLECTION, rows=rows), tms, z, 0, 0, limit))
        return statement.render()[0].startswith(LOOKS_FIRST)

    # twenty times the number of an even distribution
    assert [looks_first(rows, 0) for rows in (None, 0, 499, 500, 501)] == [True, False, False, True, True]
    assert [looks_first(500, z) for z in (0, 1)] == [True, False]
    assert [looks_first(500, 0, limit) for limit in (10_000, 10_001)] == [True, False]


@pytest.mark.parametrize("crosses", [False, True])
def test_on_the_sphere_a_narrow_tile_is_looked_for_by_the_index(crosses: bool) -> None:
    """A wide box is another one there: the shorter way between its corners goes round the other side."""
    column = GeometryColumn("geom", "LineString", 4326, is_geography=True, crosses=crosses)
    collection = replace(COLLECTION, geometries=(column,), shape=str(crosses))
    tms = tile_matrix_set("WebMercatorQuad")
    # tiles in whose boxes the antimeridian is not
    places = ((0, 0, 0), (2, 1, 1), (3, 1, 2), (9, 200, 200))
    texts = [condition(plain_tile(collection, tms, *place, 100)).render()[0] for place in places]
    assert ["ST_Segmentize" in text for text in texts] == [False, False, True, True]
    assert all('"geom"::geometry &&' in text for text in texts)
    # where a row crosses the antimeridian, its numbers are those of a box on the other side
    assert all((" OR " in text) is crosses for text in texts[1:])


def test_what_the_request_orders_is_looked_at_first() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    text, _ = tile_statement(tile_of(COLLECTION, tms, 9, 0, 0, 10_000, [("sortby", "-size")])).render()
    assert text.startswith(LOOKS_FIRST)
    assert "ORDER BY" in text


def test_the_text_is_the_same_for_all_tiles_of_a_zoom() -> None:
    """So that PostgreSQL plans it once: numbers are binds."""
    tms = tile_matrix_set("WebMercatorQuad")
    texts = {
        tile_statement(plain_tile(COLLECTION, tms, 5, x, y, 100)).render()[0]
        for x in range(9, 14)
        for y in range(9, 14)
    }
    assert len(texts) == 1


def test_collections_and_columns_have_statements_of_their_own() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    other = replace(COLLECTION, id="s.u", name="u")
    geometries = replace(COLLECTION, geometries=(GeometryColumn("place", "Point", 3857),), shape="other")
    texts = [
        tile_statement(plain_tile(collection, tms, z, 1, 1, 100)).render()[0]
        for collection in (COLLECTION, other, geometries)
        for z in (2, 6)
    ]
    assert len(set(texts)) == 6


def test_a_collection_that_changes_with_every_minute_is_found_at_once() -> None:
    """What is cached by collection would be compared with each of its former states, did these have one hash."""
    states = [
        replace(COLLECTION, rows=rows, times=(TimeColumn("at", "timestamptz", None, f"2020-01-01T00:{rows}:00Z"),))
        for rows in range(10, 60)
    ]
    assert len({hash(state) for state in states}) == len(states)
    moved = [
        replace(COLLECTION, geometries=(GeometryColumn("geom", "Point", 4326, bbox=(0, 0, n, 1)),)) for n in (1, 2)
    ]
    assert hash(moved[0]) != hash(moved[1])
