"""GeoParquet 1.1: WKB, a box for each feature by which readers skip row groups, `geo` metadata."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from arro3.core import RecordBatchReader
from arro3.io import write_parquet

from services.features.writers.batches import Batches
from services.features.writers.job import Job

_ROWS_OF_GROUP = 50_000


def write(job: Job, chunks: Iterable[Sequence[tuple[Any, ...]]]) -> Batches:
    """Write the file. Raises errors of the library."""
    batches = Batches(job, covered=True)
    shape = job.shape
    metadata = {}
    if shape is not None:
        column: dict[str, Any] = {"encoding": "WKB", "geometry_types": [shape.type] if shape.type else []}
        if shape.projjson is not None:
            column["crs"] = shape.projjson
        column["covering"] = {"bbox": {side: [batches.covering, side] for side in ("xmin", "ymin", "xmax", "ymax")}}
        metadata["geo"] = json.dumps(
            {"version": "1.1.0", "primary_column": shape.name, "columns": {shape.name: column}}
        )
    write_parquet(
        RecordBatchReader.from_batches(batches.schema, batches.of(chunks)),
        job.path,
        compression="zstd(3)",
        key_value_metadata=metadata,
        max_row_group_size=_ROWS_OF_GROUP,
    )
    return batches
