"""Epicentres along plate boundaries."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import shapely

from deploy.loader.generate.chunks import CHUNK, SIMULATED, Chunk, moments

# The main boundaries, by hand and to about a degree, after Bird 2003 (doi:10.1029/2001GC000252): the rough share of the
# world's earthquakes, and longitude, latitude, unrolled across ±180°.
_BELTS: tuple[tuple[float, list[tuple[float, float]]], ...] = (
    (9, [(-75, -46), (-73, -35), (-71, -22), (-76, -14), (-81, -4), (-79, 3), (-84, 9), (-92, 14), (-105, 19)]),
    (4, [(-105, 19), (-110, 25), (-116, 32.5), (-122, 37.5), (-125, 40.5), (-128, 45), (-130, 51), (-137, 58)]),
    (8, [(-145, 60), (-153, 57), (-163, 54), (-175, 51.5), (-188, 52), (-197, 55)]),
    (12, [(162, 55), (156, 49), (148, 44), (144, 40), (142, 35), (143, 28), (147, 20), (143, 13), (138, 10)]),
    (8, [(131, 32), (127, 27), (122, 24), (121, 19), (124, 13), (126, 8), (126, 3)]),
    (14, [(93, 14), (94, 4), (99, -2), (104, -7), (112, -10), (120, -11), (127, -7), (131, -6)]),
    (14, [(134, -2), (142, -4), (149, -5), (154, -6), (160, -10), (166, -12), (169, -19), (172, -22)]),
    (14, [(173, -41), (178, -37), (182, -30), (186, -22), (187, -16)]),
    (5, [(167, -46), (164, -50), (160, -56)]),
    (8, [(-9, 37), (3, 36.5), (13, 38), (20, 39), (24, 35), (29, 37), (40, 39), (45, 37), (52, 30), (58, 26)]),
    (8, [(62, 27), (67, 32), (71, 36.5), (74, 36), (82, 29), (88, 27.5), (95, 27), (95, 20), (93, 14)]),
    (6, [(-18, 65), (-30, 58), (-33, 47), (-29, 38), (-42, 28), (-46, 15), (-40, 7), (-20, 0), (-14, -10), (-13, -30)]),
    (3, [(-13, -30), (-15, -45), (0, -54), (20, -53), (40, -45), (60, -32), (70, -25), (67, -5), (60, 10), (45, 12)]),
    (3, [(70, -25), (85, -42), (110, -50), (140, -51), (160, -60), (190, -65), (215, -55), (240, -45), (250, -25)]),
    (2, [(250, -25), (247, -10), (255, 5), (256, 18)]),
    (2, [(36, 12), (38, 5), (30, -2), (30, -8), (35, -18)]),
    (3, [(-61, 11), (-60, 15), (-63, 18.5), (-70, 19.5), (-78, 19.5), (-86, 17)]),
    (2, [(-70, -56), (-45, -60), (-25, -60), (-26, -56)]),
)
_SPREAD_DEGREES = 0.8
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
_YEARS = 55

COLUMNS = (
    "event_id", "title", "magnitude", "magnitude_type", "depth", "event_date", "updated", "source", "event_type",
    "status", "significance", "tsunami", "geom",
)  # fmt: skip


def earthquakes(rows: int, seed: int) -> Iterator[Chunk]:
    """Yield rows of hazard.hazard_eq_events: magnitudes from 2.5 by Gutenberg and Richter (b = 1), depths in km."""
    lines = [shapely.LineString(line) for _, line in _BELTS]
    shares = np.array([share for share, _ in _BELTS], dtype=np.float64)
    for number, start in enumerate(range(0, rows, CHUNK)):
        rng = np.random.default_rng([seed, number])
        count = min(CHUNK, rows - start)
        belt = rng.choice(len(lines), count, p=shares / shares.sum())
        along = shapely.line_interpolate_point(np.array(lines)[belt], rng.random(count), normalized=True)
        off = rng.standard_t(3, (2, count)) * _SPREAD_DEGREES
        latitudes = np.clip(shapely.get_y(along) + off[1], -89, 89)
        longitudes = (shapely.get_x(along) + off[0] / np.cos(np.radians(latitudes)) + 180) % 360 - 180
        magnitudes = np.round(np.minimum(2.5 + rng.exponential(1 / np.log(10), count), 9.3), 1)
        depths = np.round(np.minimum(rng.exponential(35, count) + 2, 680), 1)
        seconds = np.sort(rng.integers(0, _YEARS * 365 * 86_400, count))
        times = moments(_FIRST, seconds)
        ids = [f"SIM-EQ-{seed}-{place:09}" for place in range(start, start + count)]
        columns: tuple[list[Any], ...] = (
            ids,
            [f"M {magnitude} - simulated" for magnitude in magnitudes.tolist()],
            magnitudes.tolist(),
            ["mw"] * count,
            depths.tolist(),
            times,
            times,
            [SIMULATED] * count,
            ["earthquake"] * count,
            ["automatic"] * count,
            np.minimum(magnitudes**2 * 15, 1000).astype(int).tolist(),
            (magnitudes > 7.2).tolist(),
        )
        yield Chunk(COLUMNS, columns, shapely.points(np.round(longitudes, 4), np.round(latitudes, 4)))
