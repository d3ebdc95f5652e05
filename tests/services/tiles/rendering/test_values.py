"""Values in tiles are those of the features."""

from __future__ import annotations

from tests.services.tiles.conftest import TilesOn
from tests.services.tiles.places import decoded

_TABLE = """
CREATE TABLE hazard.valued (id int PRIMARY KEY, single real, json jsonb, spaced json, geom geometry(Point, 4326));
INSERT INTO hazard.valued VALUES
    (1, 1.1, 'null', ' null ', 'SRID=4326;POINT(1 1)'),
    (2, 16777216, '"null"', '{"a": null}', 'SRID=4326;POINT(2 2)'),
    (3, 1.17549435e-38, '[null]', '0', 'SRID=4326;POINT(3 3)');
"""


async def test_values_of_single_precision_and_nulls_of_json(tiles_on: TilesOn) -> None:
    async with tiles_on(_TABLE, "collections: {}") as running:
        answer = await running["tiles"].get("/collections/hazard.valued/tiles/WebMercatorQuad/0/0/0")
        assert answer.status == 200, answer.body
        found = {feature.id: feature.properties for feature in decoded(answer.body, "hazard.valued")}
    assert found == {
        1: {"single": 1.1},
        2: {"single": 16777216.0, "json": '"null"', "spaced": '{"a": null}'},
        3: {"single": 1.1754944e-38, "json": "[null]", "spaced": "0"},
    }
