"""Rows by column, in batches that are made and sent together."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import shapely

SIMULATED = "simulated"
CHUNK = 100_000


class Chunk(NamedTuple):
    """Names of columns, their values except the last, and the last: geometries in WGS 84."""

    names: tuple[str, ...]
    values: tuple[list[Any], ...]
    geometries: Any

    def records(self) -> Iterator[tuple[Any, ...]]:
        """Yield rows, with geometries as EWKB."""
        return zip(
            *self.values, shapely.to_wkb(shapely.set_srid(self.geometries, 4326), include_srid=True), strict=True
        )


def moments(first: datetime, seconds: npt.NDArray[np.int64]) -> list[datetime]:
    """Return times at these seconds after the first, UTC."""
    start = int(first.timestamp())
    return [datetime.fromtimestamp(start + second, UTC) for second in seconds.tolist()]
