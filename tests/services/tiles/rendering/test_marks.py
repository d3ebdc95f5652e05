"""An area that spans several tiles has its mark in one of them."""

from __future__ import annotations

import pytest

from services.tiles.styling.layers import ANCHOR
from tests.services.tiles.conftest import TilesOn
from tests.services.tiles.places import decoded

_FLOODS = """
CREATE TABLE hazard.wide_floods (id int PRIMARY KEY, severity int, geom geometry(MultiPolygon, 4326));
INSERT INTO hazard.wide_floods VALUES
    (1, 2, ST_Multi(ST_Buffer('SRID=4326;POINT(0 0)'::geometry, 30))),
    (2, 3, ST_Multi(ST_Translate('SRID=4326;POLYGON((0 0, 50 0, 50 50, 0 0))'::geometry, 45, 0))),
    (3, 1, 'SRID=4326;MULTIPOLYGON(((170 50, 180 50, 180 60, 170 60, 170 50)),
        ((-180 50, -170 50, -170 60, -180 50)))');
"""


@pytest.mark.parametrize(
    ("identifier", "z", "columns", "rows"), [("WebMercatorQuad", 3, 8, 8), ("WorldCRS84Quad", 2, 8, 4)]
)
async def test_a_flood_is_marked_in_one_tile(
    tiles_on: TilesOn, identifier: str, z: int, columns: int, rows: int
) -> None:
    async with tiles_on(_FLOODS, "collections: {}") as running:
        tiles = running["tiles"]
        path = f"/collections/hazard.wide_floods/tiles/{identifier}"
        seen: list[int | None] = []
        marked: list[int | None] = []
        for x in range(columns):
            for y in range(rows):
                answer = await tiles.get(f"{path}/{z}/{x}/{y}")
                assert answer.status == 200, answer.body
                for feature in decoded(answer.body, "hazard.wide_floods"):
                    seen.append(feature.id)
                    if feature.properties.get(ANCHOR):
                        marked.append(feature.id)
        style = await tiles.json(f"{path}/style.json")
        (mark,) = [layer for layer in style["layers"] if layer["id"].endswith(":mark")]
    assert len(seen) > 6
    assert sorted(map(int, filter(None, marked))) == [1, 2, 3]
    assert ["==", ["get", ANCHOR], True] in mark["filter"]
