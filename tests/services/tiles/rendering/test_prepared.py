"""Statements that were put together before are those that would be put together now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from services.tiles.rendering.prepared import prepared_statement
from services.tiles.rendering.statement import tile_statement
from services.tiles.request.plain_tile import plain_tile

COLLECTION = Collection(
    id="s.t",
    schema="s",
    name="t",
    oid=1,
    kind="table",
    title="T",
    description=None,
    columns=(Column("id", "integer", "integer"), Column("size", "real", "number"), Column("name", "text", "string")),
    geometries=(GeometryColumn("geom", "Point", 4326),),
    key="id",
    rows=100_000,
    tile_properties=((0, 3, ("size",)),),
)


@pytest.mark.parametrize("identifier", IDS)
@pytest.mark.parametrize("kind", ["Point", "MultiPoint", "LineString", "Geometry"])
def test_a_prepared_statement_is_the_same_statement(identifier: str, kind: str) -> None:
    collection = replace(COLLECTION, geometries=(GeometryColumn("geom", kind, 4326),), shape=kind)
    tms = tile_matrix_set(identifier)
    seen = set()
    for z, matrix in list(tms.matrices.items())[:8]:
        for x, y in {(0, 0), (matrix.columns // 2, matrix.rows // 3), (matrix.columns - 1, matrix.rows - 1)}:
            for limit in (10_000, 500):
                request = plain_tile(collection, tms, z, x, y, limit)
                prepared = prepared_statement(request)
                if not request.region.near:
                    assert prepared is None
                    continue
                assert prepared is not None
                text, args = prepared.render()
                texts = [tile_statement(request, hardly_full=few).render() for few in (False, True)]
                assert (text, args) == texts[matrix.columns * matrix.rows * limit > 20 * 100_000]
                assert limit in args
                seen.add(args)
    assert len(seen) > 2


def test_collections_and_columns_have_statements_of_their_own() -> None:
    tms = tile_matrix_set("WebMercatorQuad")
    other = replace(COLLECTION, id="s.u", name="u")
    geometries = replace(COLLECTION, geometries=(GeometryColumn("place", "Point", 3857),), shape="other")
    texts = [
        statement.render()[0]
        for collection in (COLLECTION, other, geometries)
        for z in (2, 6)
        if (statement := prepared_statement(plain_tile(collection, tms, z, 1, 1, 100)))
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
