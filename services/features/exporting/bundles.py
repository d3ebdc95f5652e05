"""All features of an event as one zip: a GeoPackage with a layer for each collection, and Shapefiles."""

import asyncio
import math
import os
import time
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, aclosing
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path

from libs.ogc.errors import Unavailable
from services.features.exporting.exports import Export
from services.features.exporting.folder import ExportFolder, Making, tag_of
from services.features.exporting.layer import job_of
from services.features.exporting.writing import TooLargeError, run
from services.features.formats.gpkg import FORMAT as GEOPACKAGE
from services.features.rows.event_impacts import ZONE_COLUMNS, MadeZones
from services.features.rows.event_parts import EventPart
from services.features.rows.items_store import ItemsStore
from services.features.writers.job import COLUMNS, Field, Job, Shape

MOST_FEATURES = 10_000
"""Features of each collection in a bundle."""
ZONES = "impact_zones"
"""Layer of the zones that no collection has."""
_REFUSED_SECONDS = 3600
"""Time for which a bundle that could not be written is not tried again."""


@dataclass(frozen=True, slots=True)
class Content:
    """Contents of a bundle: features of an event, and zones that no collection has. name: of the files within."""

    event: str
    name: str
    parts: Sequence[EventPart]
    zones: MadeZones


class Bundles:
    """Bundles, which are made when they are first requested and cached among the exports.

    A separate process writes one at a time, for at most `most_seconds`. It continues if its request ends earlier, so
    that a client that asks again finds the bundle, or learns why there is none.
    """

    def __init__(self, store: ItemsStore, folder: ExportFolder, *, most_bytes: int, most_seconds: float) -> None:
        self._store, self._folder, self._most_bytes, self._most_seconds = store, folder, most_bytes, most_seconds
        # by key: until when it is refused (monotonic seconds), and why
        self._refused: dict[str, tuple[float, str]] = {}
        self._turn = asyncio.Lock()
        self._task: asyncio.Task[Export] | None = None

    async def close(self) -> None:
        """Cancel the bundle that is being made."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def open(self, key: str | None, content: Content) -> Export:
        """Return the bundle of an event; its file is to be closed. Raise Unavailable.

        key: identifies its content; None if that is unknown.
        """
        if (found := await self._find(key)) is not None:
            return found
        self._check(key)
        await self._turn.acquire()
        task = self._task = asyncio.create_task(self._make(key, content))
        task.add_done_callback(lambda _: self._turn.release())
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if key is None:
                # without a key, later requests could not find it
                task.cancel()
            task.add_done_callback(_close)
            raise

    async def _make(self, key: str | None, content: Content) -> Export:
        if (found := await self._find(key)) is not None:
            return found
        self._check(key)
        making = await asyncio.to_thread(self._folder.begin, "zip")
        with ExitStack() as closing:
            try:
                async with asyncio.timeout(self._most_seconds):
                    export = await self._write(making, key, content, closing)
            except TooLargeError:
                raise self._refusal(key, f"The bundle would be larger than {self._most_bytes:,} bytes") from None
            except TimeoutError:
                cause = f"The bundle took longer than {self._most_seconds:g} seconds to write"
                raise self._refusal(key, cause) from None
            finally:
                await asyncio.shield(asyncio.to_thread(self._folder.end, making))
            closing.pop_all()
        return export

    def _refusal(self, key: str | None, cause: str) -> Unavailable:
        """Return the error; later requests for the bundle also get it, for an hour."""
        why = f"{cause}, the maximum of this server. Export the collections of the event one by one, with a filter."
        if key is not None:
            self._refused[key] = time.monotonic() + _REFUSED_SECONDS, why
        return Unavailable(why, retry_after=_REFUSED_SECONDS)

    def _check(self, key: str | None) -> None:
        """Raise Unavailable if this bundle could not be written lately."""
        now = time.monotonic()
        self._refused = {each: (until, why) for each, (until, why) in self._refused.items() if until > now}
        if key in self._refused:
            until, why = self._refused[key]
            raise Unavailable(why, retry_after=math.ceil(until - now))

    async def _find(self, key: str | None) -> Export | None:
        path = await asyncio.to_thread(self._folder.find, key) if key is not None else None
        if path is None:
            return None
        try:
            return _export(path.open("rb", buffering=0), tag_of(path))
        except FileNotFoundError:
            return None

    async def _write(self, making: Making, key: str | None, content: Content, closing: ExitStack) -> Export:
        """Return the bundle, whose file is open until `closing` ends."""
        lines, zones = [content.event], content.zones.rows
        path = making.folder / f"{content.name}.gpkg"

        async def layers() -> AsyncIterator[object]:
            for part in content.parts:
                job, rows = await self._layer(path, part)
                of = f" of {part.matched}" if part.matched is not None and part.matched > len(rows) else ""
                lines.append(f"{part.collection.id}: {len(rows)}{of} features. {part.collection.title}")
                yield job, rows
            if zones:
                lines.append(f"{ZONES}: {len(zones)} features. Zones of the event and the people in them")
                yield _zone_job(path, self._most_bytes), zones

        whole = Job("bundle", "", str(path), "", (), None, self._most_bytes)
        omitted = await run(whole, layers())
        about = "\n".join(lines) + "\n" + _ABOUT.format(columns=COLUMNS, most=MOST_FEATURES, omitted=omitted)
        await asyncio.to_thread(_zip, making, content.name, about)
        file = closing.enter_context(making.file.open("rb", buffering=0))
        export = _export(file, None)
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


def _close(task: asyncio.Task[Export]) -> None:
    """Close the file of a bundle whose request has ended."""
    if not task.cancelled() and task.exception() is None and (file := task.result().file) is not None:
        file.close()


def _zone_job(path: Path, most_bytes: int) -> Job:
    fields = tuple(Field(name, kind, place) for place, (name, kind) in enumerate(ZONE_COLUMNS.items(), start=1))
    return Job("bundle", GEOPACKAGE.driver, str(path), ZONES, fields, _AREAS, most_bytes)


_AREAS = Shape(name="geom", type="MultiPolygon", place=0, crs="EPSG:4326")
_ABOUT = """
The GeoPackage has a layer for each collection. Zones of intensity, and of wind by a model, are the layer impact_zones.
Each Shapefile has the features of one collection; collections with several kinds of geometries, or without, have none.
Names of columns in Shapefiles have ten characters: {columns} has the full ones. Texts there have at most 254
characters, times are texts in UTC, and truth values are 1 and 0. Positions are longitude and latitude in WGS 84. A
bundle has at most {most} features of each collection. Geometries left out: {omitted}. The column `source` says where
the data are from.
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


def _export(file: FileIO, tag: str | None) -> Export:
    return Export(streams=False, tag=tag, file=file, size=os.fstat(file.fileno()).st_size, whole=True)
