"""Rows as record batches: geometries that no format allows are left out and counted."""

from __future__ import annotations

import shapely

from services.features.writers.batches import Batches
from services.features.writers.job import Field, Job, Shape


def _job() -> Job:
    fields = (Field("id", "int64", 0),)
    return Job("geoparquet", "", "", "places", fields, Shape("geometry", "", 1, "OGC:CRS84"), most_bytes=10**6)


def test_a_ring_of_two_positions_is_left_out_and_counted() -> None:
    point = shapely.Point(1, 2).wkb
    ring = bytes.fromhex("0103000000010000000200000000000000000000000000000000000000000000000000f03f000000000000f03f")
    batches = Batches(_job())
    [batch] = batches.of([[(1, point), (2, ring), (3, None)]])
    assert batch.column("geometry").to_pylist() == [point, None, None]
    # a missing geometry is not counted as omitted
    assert (batches.rows, batches.omitted) == (3, 1)
