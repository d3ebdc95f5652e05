"""The settings of the database sessions in which tiles are made; a view shows them as properties."""

from __future__ import annotations

from tests.services.tiles.conftest import TilesOn, drawn_tile

_TOLD = """
CREATE VIEW hazard.told AS SELECT 1 AS id, current_setting('statement_timeout') AS allowed,
    current_setting('lock_timeout') AS waits, current_setting('application_name') AS who,
    current_setting('max_parallel_workers_per_gather') AS workers,
    current_setting('default_transaction_read_only') AS reads_only,
    (SELECT string_agg(DISTINCT application_name, ' ' ORDER BY application_name) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name LIKE 'dams-tiles%') AS all_of_them,
    'SRID=4326;POINT(1 1)'::geometry(Point, 4326) AS geom;
GRANT SELECT ON hazard.told TO dams_reader;
"""


async def test_a_tile_is_made_by_a_reader_in_limits(tiles_on: TilesOn) -> None:
    async with tiles_on(_TOLD, "{}", DAMS_TILE_TIMEOUT_SECONDS="7") as services:
        (told,), _ = await drawn_tile(services["tiles"], "hazard.told", "0/0/0", {})
    assert told.properties == {
        "id": 1,
        "allowed": "7s",
        "waits": "2s",
        "who": "dams-tiles",
        # the start of parallel workers costs more than a small query takes
        "workers": "0",
        "reads_only": "on",
        # the process that looks for changes has a separate session, however many tiles are made
        "all_of_them": "dams-tiles dams-tiles-watch",
    }
