"""Publishes all collections: data and tiles of changed ones, a new version of the catalogue, then the pointer to it.

data/<collection>/<data version>/…  files that never change
versions/<version>/…                the catalogue of one publication
catalog.json                        the newest catalogue, replaced at the end by one write
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import orjson

from deploy.publish.catalogue import CATALOGUE, collection_document, root_document
from deploy.publish.lock import Lock, locked
from deploy.publish.names import file_name
from deploy.publish.partitions import partition
from deploy.publish.service import Service, ServiceError
from deploy.publish.static_catalogue import items
from deploy.publish.target import Target
from deploy.publish.tiles import write_tiles

FORMAT = 2
"""Raised whenever published files get another form: all of them are then written again."""

_VERSION = "dams:data_version"
_OF_ITEMS = (_VERSION, "links")
"""Members of a STAC collection that change with its items."""
_DESCRIBING: tuple[str, ...] = ("id", "title", "description", "keywords")

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Published:
    """The result of a publication. version: None if nothing had changed."""

    version: str | None
    changed: tuple[str, ...]
    unchanged: int


@dataclass(frozen=True, slots=True)
class Publication:
    """Where from, where to, and how.

    tiles: zooms such as `0-6`; None for no tiles. only: ids of collections; others stay as they were published. Empty
    for all.
    """

    service: Service
    target: Target
    tiles: str | None
    say: Callable[[str], None]
    only: frozenset[str] = frozenset()

    def publish(self) -> Published:
        """Publish the changes since the last publication. Raises ServiceError, TargetFault and LockedError."""
        with locked(self.target) as lock:
            return self._publish(lock)

    def _publish(self, lock: Lock) -> Published:
        root = self.target.json(CATALOGUE)
        before = self.target.json(f"versions/{root['dams:version']}/manifest.json") if root else None
        known: Mapping[str, Entry] = before["collections"] if before and before["format"] == FORMAT else {}
        changes = self.service.json("/changes?f=json")["changes"]
        tokens = {each["data"]["collectionId"]: each["data"]["version"] for each in changes}
        found: dict[str, Entry] = {}
        for collection in self._collections():
            if self.only and collection["id"] not in self.only:
                found |= {name: known[name] for name in (collection["id"],) if name in known}
                continue
            lock.renew()
            found[collection["id"]] = self._entry(collection, tokens.get(collection["id"]), known.get(collection["id"]))
        for name in self._catalogues():
            if not self.only or name in self.only:
                found[name] = self._items(name, known.get(name))
            elif name in known:
                found[name] = known[name]
        changed = tuple(name for name, entry in found.items() if entry != known.get(name))
        if root and found == known:
            return Published(None, (), len(found))
        version = f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        self._write_catalogue(version, found, root["dams:version"] if root else None, lock)
        return Published(version, changed, len(found) - len(changed))

    def _collections(self) -> Iterator[dict[str, Any]]:
        offset = 0
        while True:
            page = self.service.json(f"/collections?f=json&type=Table&limit=1000&offset={offset}")["collections"]
            yield from page
            if len(page) < 1000:
                return
            offset += len(page)

    def _catalogues(self) -> list[str]:
        return [each["id"] for each in self.service.json("/stac/collections")["collections"]]

    def _entry(self, collection: dict[str, Any], token: str | None, known: Entry | None) -> Entry:
        """Return the published files of a collection; write them unless its data version is published."""
        name = collection["id"]
        described: dict[str, Any] = {key: collection[key] for key in _DESCRIBING if key in collection}
        described["licences"] = [link["href"] for link in collection["links"] if link["rel"] == "license"]
        described["extent"] = collection.get("extent", {})
        has_tiles = any("tilesets" in link["rel"] for link in collection["links"])
        zooms = self.tiles if has_tiles else None
        if known and token is not None and (known["token"], known["zooms"]) == (token, zooms):
            return {**known, **described}
        with tempfile.TemporaryDirectory(prefix="dams-publish-") as scratch:
            folder = Path(scratch)
            # the command that writes tiles may run as another user
            folder.chmod(0o777)
            written = self._write(name, token, zooms, known, folder, has_geometry=has_tiles)
            return {**written, **described}

    def _write(
        self,
        name: str,
        token: str | None,
        zooms: str | None,
        known: Entry | None,
        folder: Path,
        *,
        has_geometry: bool,
    ) -> Entry:
        base = f"/collections/{quote(name, safe='')}"
        whole = folder / "whole.parquet"
        headers = self.service.download(f"{base}/export?f=parquet", whole)
        omitted = int(headers.get("DAMS-Geometries-Omitted", 0))
        version = token or _digest(whole)
        if known and (known["version"], known["zooms"]) == (version, zooms):
            return known
        schema = self.service.json(f"{base}/schema?f=schemajson")["properties"]
        roles = ("primary-instant", "primary-interval-start")
        time = next((key for key, value in schema.items() if value.get("x-ogc-role") in roles), None)
        place = f"data/{file_name(name)}/{version}"
        parts: list[Entry] = []
        for part in partition(whole, time, folder / "parts"):
            self.target.write(f"{place}/{part.path}", part.file)
            parts.append({"path": f"{place}/{part.path}", "rows": part.rows, "bytes": part.file.stat().st_size})
        flat = self._flatgeobuf(base, place, folder) if parts and has_geometry else None
        tiles: Entry | None = None
        if zooms is not None and parts:
            file = folder / "tiles.pmtiles"
            if write_tiles(name, zooms, file):
                # other zooms of the same data are another file
                tiles = {"path": f"{place}/tiles-{zooms}.pmtiles", "bytes": file.stat().st_size}
                self.target.write(tiles["path"], file)
        self._check_unchanged(name, token)
        lost = f", {omitted:,} without their geometry, which cannot be represented" if omitted else ""
        self.say(f"{name}: {sum(part['rows'] for part in parts):,} rows in {len(parts)} files{lost}")
        written = {"token": token, "version": version, "zooms": zooms, "parts": parts, "tiles": tiles}
        written |= {"flatgeobuf": flat}
        return written | {"geometriesOmitted": omitted}

    def _flatgeobuf(self, base: str, place: str, folder: Path) -> Entry:
        """Write all rows as FlatGeobuf, which each QGIS and GDAL reads, those of Debian too."""
        file = folder / "features.fgb"
        self.service.download(f"{base}/export?f=fgb", file)
        self.target.write(f"{place}/features.fgb", file)
        return {"path": f"{place}/features.fgb", "bytes": file.stat().st_size}

    def _check_unchanged(self, name: str, token: str | None) -> None:
        """Raise ServiceError if files may be of two versions."""
        if token is None:
            return
        now = self.service.json(f"/collections/{quote(name, safe='')}/changes?f=json")["changes"][0]
        if now["data"]["version"] != token:
            raise ServiceError(f"{name} changed while it was written; publish again")

    def _items(self, name: str, known: Entry | None) -> Entry:
        """Return the published file of a STAC collection, with one item a line."""
        document = self.service.json(f"/stac/collections/{name}")
        version = document.get(_VERSION)
        # items have addresses of the service, as these links
        if known and version is not None and all(known["document"].get(key) == document[key] for key in _OF_ITEMS):
            return {**known, "document": document}
        with tempfile.TemporaryDirectory(prefix="dams-publish-") as scratch:
            file, number = Path(scratch) / "items.ndjson", 0
            with file.open("wb") as output:
                for item in items(self.service, name):
                    output.write(orjson.dumps(item, option=orjson.OPT_APPEND_NEWLINE))
                    number += 1
            if self.service.json(f"/stac/collections/{name}").get(_VERSION) != version:
                raise ServiceError(f"{name} changed while it was written; publish again")
            digest = _digest(file)
            path = f"data/{name}/{digest}/items.ndjson"
            if not known or known["version"] != digest:
                self.target.write(path, file)
                self.say(f"{name}: {number:,} items")
        return {"version": digest, "items": path, "number": number, "document": document}

    def _write_catalogue(self, version: str, found: Mapping[str, Entry], previous: str | None, lock: Lock) -> None:
        place = f"versions/{version}"
        for name, entry in found.items():
            self.target.write_json(f"{place}/{file_name(name)}.json", collection_document(entry))
        self.target.write_json(
            f"{place}/manifest.json", {"format": FORMAT, "version": version, "collections": dict(found)}
        )
        whole = self.service.json("/stac")
        for base in (f"{place}/", ""):
            path = f"{base}{CATALOGUE}"
            # the pointer comes last: until then, readers have the catalogue before
            lock.renew()
            self.target.write_json(path, root_document(whole, version, previous, found, in_version=bool(base)))


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()[:24]
