"""All features of an event as one zip: a GeoPackage with a layer for each collection, and Shapefiles."""

import asyncio
import os
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from libs.ogc.errors import Unavailable
from services.features.exporting.exports import Export
from services.features.exporting.folder import ExportFolder, Making, tag_of
from services.features.exporting.layer import job_of
from services.features.exporting.writing import TooLargeError, run
from services.features.formats.gpkg import FORMAT as GEOPACKAGE
from services.features.rows.event_parts import EventPart
from services.features.rows.items_store import ItemsStore
from services.features.writers.job import COLUMNS, Job

MOST_FEATURES = 10_000
"""Features of each collection in a bundle."""


class Bundles:
    """Bundles, which are made when they are first requested and cached among the exports.

    A separate process writes one at a time.
    """

    def __init__(self, store: ItemsStore, folder: ExportFolder, most_bytes: int) -> None:
        self._store, self._folder, self._most_bytes = store, folder, most_bytes
        self._turn = asyncio.Lock()

    async def open(self, key: str | None, event: str, name: str, parts: Sequence[EventPart]) -> Export:
        """Return the bundle of an event; its file is to be closed. Raise Unavailable.

        key: of what decides its content; None if that is unknown. name: of the files within.
        """
        if (found := await self._find(key)) is not None:
            return found
        async with self._turn:
            if (found := await self._find(key)) is not None:
                return found
            making = await asyncio.to_thread(self._folder.begin, "zip")
            try:
                return await self._make(making, key, event, name, parts)
            except TooLargeError:
                raise Unavailable("The bundle is larger than a file may be.", retry_after=3600) from None
            finally:
                await asyncio.shield(asyncio.to_thread(self._folder.end, making))

    async def _find(self, key: str | None) -> Export | None:
        path = await asyncio.to_thread(self._folder.find, key) if key is not None else None
        if path is None:
            return None
        try:
            return _export(path, tag_of(path))
        except FileNotFoundError:
            return None

    async def _make(self, making: Making, key: str | None, event: str, name: str, parts: Sequence[EventPart]) -> Export:
        lines = [event]
        path = making.folder / f"{name}.gpkg"

        async def layers() -> AsyncIterator[object]:
            for part in parts:
                job, rows = await self._layer(path, part)
                of = f" of {part.matched}" if part.matched is not None and part.matched > len(rows) else ""
                lines.append(f"{part.collection.id}: {len(rows)}{of} features. {part.collection.title}")
                yield job, rows

        whole = Job("bundle", "", str(path), "", (), None, self._most_bytes)
        omitted = await run(whole, layers())
        about = "\n".join(lines) + "\n" + _ABOUT.format(columns=COLUMNS, most=MOST_FEATURES, omitted=omitted)
        await asyncio.to_thread(_zip, making, name, about)
        export = _export(making.file, None)
        if key is not None:
            await asyncio.to_thread(self._folder.keep, making, key)
            export.tag = f'"{key}.{making.tag}"'
        return export

    async def _layer(self, path: Path, part: EventPart) -> tuple[Job, list[tuple[object, ...]]]:
        query = part.query
        rows: list[tuple[object, ...]] = []
        job: Job | None = None
        async with aclosing(self._store.chunks(await self._store.large(query), GEOPACKAGE.geometry_as)) as chunks:
            async for found in chunks:
                if job is None:
                    made = job_of(GEOPACKAGE, query.selection, query.options)
                    job = replace(made(found.layout, path, self._most_bytes, True), writer="bundle")
                rows += [tuple(row[: job.width]) for row in found.rows]
        assert job is not None  # noqa: S101 for the type checker: there is at least one chunk
        return job, rows


_ABOUT = """
The GeoPackage has a layer for each collection. Each Shapefile has the features of one collection; collections with
several kinds of geometries, or without, have none. Names of columns in Shapefiles have ten characters: {columns} has
the full ones. Texts there have at most 254 characters, times are texts in UTC, and truth values are 1 and 0.
Positions are longitude and latitude in WGS 84. A bundle has at most {most} features of each collection.
Geometries left out: {omitted}. The column `source` says where the data are from.
"""


def _zip(making: Making, name: str, about: str) -> None:
    columns = making.folder / COLUMNS
    with zipfile.ZipFile(making.file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("README.txt", about)
        if columns.exists():
            archive.writestr(COLUMNS, "shapefile,column,name\r\n" + columns.read_text(encoding="utf-8"))
        for file in sorted(making.folder.iterdir()):
            if file.suffix in {".gpkg", ".shp", ".shx", ".dbf", ".prj", ".cpg"}:
                archive.write(file, file.name)


def _export(path: Path, tag: str | None) -> Export:
    file = path.open("rb", buffering=0)
    return Export(streams=False, tag=tag, file=file, size=os.fstat(file.fileno()).st_size, whole=True)
