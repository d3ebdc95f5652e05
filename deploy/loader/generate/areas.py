"""Flooded areas with any number of corners."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import shapely

from deploy.loader.generate.chunks import SIMULATED, Chunk, moments

_FIRST = datetime(2000, 1, 1, tzinfo=UTC)
_EACH = 500
_FEWEST = 50
_CAUSES = ("Heavy rain", "Monsoonal rain", "Tropical cyclone", "Snowmelt")

COLUMNS = (
    "event_id", "title", "began", "ended", "severity", "main_cause", "dead", "displaced", "area_km2", "country",
    "source", "geom",
)  # fmt: skip


def floods(rows: int, seed: int, *, vertices: int) -> Iterator[Chunk]:
    """Yield rows of hazard.hazard_fl_events; one in a hundred has `vertices` corners, others fewer, by a power law."""
    for number, start in enumerate(range(0, rows, _EACH)):
        rng = np.random.default_rng([seed, number])
        count = min(_EACH, rows - start)
        corners = np.minimum(_FEWEST * (1 - rng.random(count)) ** -1.2, vertices).astype(int)
        corners[(start + np.arange(count)) % 100 == 0] = vertices
        shapes = [_area(rng, int(many)) for many in corners]
        times = moments(_FIRST, np.sort(rng.integers(0, 25 * 365 * 86_400, count)))
        lasting = rng.lognormal(2.2, 0.6, count).round(1).tolist()
        causes = [_CAUSES[at] for at in rng.integers(0, len(_CAUSES), count)]
        middles = np.radians(np.array([shape.centroid.y for shape in shapes]))
        areas = (shapely.area(shapes) * 111.195**2 * np.cos(middles)).round(1)
        columns: tuple[list[Any], ...] = (
            [f"SIM-GF-{seed}-{place:07}" for place in range(start, start + count)],
            [f"{cause}, simulated, {time:%B %Y}" for cause, time in zip(causes, times, strict=True)],
            times,
            [time + timedelta(days=days) for time, days in zip(times, lasting, strict=True)],
            rng.choice((1.0, 1.5, 2.0), count).tolist(),
            causes,
            rng.integers(0, 50, count).tolist(),
            rng.integers(0, 50_000, count).tolist(),
            areas.tolist(),
            ["Nowhere"] * count,
            [SIMULATED] * count,
        )
        yield Chunk(COLUMNS, columns, np.array(shapes, dtype=object))


def _area(rng: np.random.Generator, corners: int) -> shapely.MultiPolygon:
    """Return a ragged, star-shaped outline, which therefore never crosses itself; away from poles and ±180°."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    ragged = np.zeros(corners)
    for octave in range(1, 9):
        wave = 3**octave
        ragged += np.sin(angles * wave + rng.uniform(0, 2 * np.pi)) * 0.35 / 1.7**octave
    radius = rng.uniform(0.3, 3.0) * (1 + ragged)
    longitude, latitude = rng.uniform(-170, 170), rng.uniform(-55, 65)
    ring = np.column_stack([longitude + radius * np.cos(angles), latitude + radius * np.sin(angles)])
    return shapely.MultiPolygon([shapely.Polygon(np.round(ring, 7))])
