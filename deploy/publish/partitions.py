"""A GeoParquet file as partitions by year, in folders such as `year=2017`, as Hive names them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

_ROWS = 50_000
_NULL = "__HIVE_DEFAULT_PARTITION__"
"""Hive's name of the partition without a value."""


@dataclass(frozen=True, slots=True)
class Partition:
    """A file of rows of one year. path: below the folder of the collection."""

    path: str
    file: Path
    rows: int


def partition(source: Path, time: str | None, folder: Path) -> list[Partition]:
    """Write the rows of each year of a column into a separate file, with the metadata of the whole.

    Without a column all rows are one file.
    """
    whole = pq.ParquetFile(source)
    # a writer may leave its own metadata out of the Arrow schema that it stores
    kept = {name: value for name, value in (whole.metadata.metadata or {}).items() if name != b"ARROW:schema"}
    schema = whole.schema_arrow.with_metadata(kept)
    writers: dict[str, pq.ParquetWriter] = {}
    rows: dict[str, int] = {}
    with ExitStack() as open_files:
        for batch in whole.iter_batches(_ROWS):
            years = pc.year(batch.column(time)).fill_null(-(10**6)) if time is not None else None
            for year in pc.unique(years).to_pylist() if years is not None else [None]:
                path = _path(year)
                if path not in writers:
                    file = folder / path
                    file.parent.mkdir(parents=True, exist_ok=True)
                    writers[path] = open_files.enter_context(
                        pq.ParquetWriter(file, schema, compression="zstd", store_schema=True)
                    )
                part = batch if years is None else batch.filter(pc.equal(years, year))
                writers[path].write_batch(part.cast(schema))
                rows[path] = rows.get(path, 0) + part.num_rows
    return [Partition(path, folder / path, number) for path, number in sorted(rows.items())]


def _path(year: int | None) -> str:
    if year is None:
        return "part-0.parquet"
    return f"year={_NULL if year == -(10**6) else year}/part-0.parquet"
