"""Positions of storms every six hours, drifting west and then turning poleward."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import shapely

from deploy.loader.generate.chunks import CHUNK, SIMULATED, Chunk, moments

_NODES = 40
_HOURS = 6
# basin: where its storms begin (longitude, latitude), and its share of all storms
_BASINS = {
    "NA": (-45.0, 13.0, 0.14), "EP": (-105.0, 13.0, 0.19), "WP": (145.0, 12.0, 0.31),
    "NI": (85.0, 10.0, 0.06), "SI": (75.0, -12.0, 0.16), "SP": (165.0, -14.0, 0.14),
}  # fmt: skip
_CATEGORIES = ("TD", "TS", "C1", "C2", "C3", "C4", "C5")
_LIMITS_KT = (34, 64, 83, 96, 113, 137)
FIRST_SEASON = 1980
SEASONS = 45

COLUMNS = (
    "event_id", "basin", "season", "valid_time", "kind", "category", "wind_kt", "pressure_hpa", "source", "geom",
)  # fmt: skip


def storm_nodes(rows: int, seed: int) -> Iterator[Chunk]:
    """Yield rows of hazard.hazard_ts_nodes, forty per storm, the oldest season first."""
    storms = -(-rows // _NODES)
    names = np.array(list(_BASINS), dtype=object)
    begins = np.array(list(_BASINS.values()))
    each = CHUNK // _NODES
    for number, start in enumerate(range(0, storms, each)):
        rng = np.random.default_rng([seed, number])
        count = min(each, storms - start)
        shape = (count, _NODES)
        basin = rng.choice(len(names), count, p=begins[:, 2] / begins[:, 2].sum())
        south = begins[basin, 1] < 0
        # degrees in six hours: westward at first, then poleward and back east
        turn = rng.uniform(8, 35, (count, 1))
        step = np.arange(_NODES)
        east = np.tanh((step - turn) / 8) * 0.9 + rng.normal(0, 0.15, shape)
        north = 0.25 + 0.6 / (1 + np.exp(-(step - turn) / 6)) + rng.normal(0, 0.1, shape)
        latitudes = np.abs(begins[basin, 1])[:, None] + rng.normal(0, 3, (count, 1)) + np.cumsum(north, axis=1)
        longitudes = begins[basin, 0][:, None] + rng.normal(0, 14, (count, 1)) + np.cumsum(east, axis=1)
        latitudes = np.where(south[:, None], -latitudes, latitudes)
        longitudes = (longitudes + 180) % 360 - 180
        peak = 35 + rng.gamma(2.0, 22.0, (count, 1))
        wind = np.clip(20 + (peak - 20) * np.exp(-(((step - turn) / 11) ** 2)), 15, 170).round(-1).astype(int)
        season = FIRST_SEASON + (start + np.arange(count)) * SEASONS // storms
        jan1 = np.array([datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in season.tolist()], dtype=np.int64)
        begin = jan1 + rng.integers(0, 1400, count) * _HOURS * 3600
        seconds = (begin[:, None] + step * _HOURS * 3600).reshape(-1)
        ids = [f"SIM-TS-{seed}-{place:08}" for place in range(start, start + count)]
        total = min(count * _NODES, rows - start * _NODES)
        columns: tuple[list[Any], ...] = (
            np.repeat(np.array(ids, dtype=object), _NODES).tolist(),
            np.repeat(names[basin], _NODES).tolist(),
            np.repeat(season, _NODES).tolist(),
            moments(datetime(1970, 1, 1, tzinfo=UTC), seconds),
            ["analysed"] * (count * _NODES),
            np.array(_CATEGORIES, dtype=object)[np.searchsorted(_LIMITS_KT, wind.reshape(-1), side="right")].tolist(),
            wind.reshape(-1).tolist(),
            (1012 - wind.reshape(-1) * 0.7).astype(int).tolist(),
            [SIMULATED] * (count * _NODES),
        )
        points = shapely.points(longitudes.reshape(-1).round(3), latitudes.reshape(-1).round(3))
        yield Chunk(COLUMNS, tuple(column[:total] for column in columns), points[:total])
