"""Keep the catalogue: introspect the database regularly and serve the result to all services."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Self

from libs.catalogue.catalogue import Catalogue
from libs.catalogue.model import Collection
from libs.concurrency.background import periodic
from libs.ogc.errors import DomainError
from libs.pg.diagnosis import Finding
from libs.pg.pool import Database
from libs.web.conditional import weak_etag
from libs.web.respond import json_bytes
from services.common.catalogue.configuration import CatalogueConfig, ConfigError
from services.common.catalogue.id_check import IdCheck
from services.common.introspection.introspect import Introspection
from services.common.situation.situation import Wanted

_LOG = logging.getLogger("dams.catalogue")

_DIAGNOSIS_SECONDS = 5.0
"""Seconds between two diagnoses of the database."""


class CatalogueKeeper(Catalogue):
    """All collections of the configured schemas, never older than the refresh interval while the database answers."""

    def __init__(
        self,
        database: Database,
        schemas: tuple[str, ...],
        diagnose: Callable[[], Awaitable[Sequence[Finding]]],
        *,
        refresh_seconds: float,
        config_files: Sequence[Path] = (),
        extension_collections: tuple[str, ...] = (),
        nonspatial_collections: tuple[str, ...] = (),
    ) -> None:
        super().__init__()
        self._introspection = Introspection(database, schemas, extension_collections)
        self._nonspatial = (*extension_collections, *nonspatial_collections)
        self._left_out: frozenset[str] = frozenset()
        self._ids = IdCheck(database)
        self._diagnose = diagnose
        # None before the first diagnosis
        self._findings: Sequence[Finding] | None = None
        self._diagnosed = 0.0
        self._config_files = config_files
        self._config_stamps: list[int] = []
        self._refused: str | None = None
        self._config = CatalogueConfig()
        self._refresh_seconds = refresh_seconds
        self._known: Mapping[str, tuple[Collection, Collection]] = {}
        self.document, self.etag = b"", ""
        self._refreshing = AsyncExitStack()

    async def __aenter__(self) -> Self:
        # an operator must fix an invalid file before the service starts
        self._read_config()
        first = await self._refreshing.enter_async_context(periodic(self._refresh, self._pause, name="catalogue"))
        # without the database, the service starts, reports that it is not ready, and keeps trying
        await first.wait()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._refreshing.aclose()

    def situation(self) -> list[Wanted]:
        """Return the collections that the collections file puts on the landing page, in its order, if they exist."""
        states = self._introspection.states
        return [
            (found, said.situation, states.get(name))
            for name, said in self._config.collections.items()
            if said.situation is not None and (found := (self._collections or {}).get(name)) is not None
        ]

    def _pause(self) -> float:
        return self._refresh_seconds if self._collections is not None else 0.3

    async def _refresh(self) -> None:
        try:
            await self.refresh()
        except DomainError as error:
            _LOG.warning("catalogue not refreshed", extra={"fields": {"cause": str(error)}})
            await self._explain()
        else:
            if not self._collections or self._findings is None:
                await self._explain()

    async def _explain(self) -> None:
        """Log why there are no collections, or none in a schema; once per reason."""
        now = time.monotonic()
        if self._findings is not None and now - self._diagnosed < _DIAGNOSIS_SECONDS:
            return
        self._diagnosed = now
        findings = await self._diagnose()
        fatal = [finding for finding in findings if finding.fatal]
        findings = fatal if fatal or self._collections else findings
        if findings != self._findings:
            for finding in findings:
                _LOG.error(str(finding))
        self._findings = findings

    async def health(self) -> str | None:
        """Return the missing dependency and why, or None."""
        missing = await super().health()
        return missing and " ".join([f"{missing}.", *map(str, self._findings or ())])

    def emptiness(self) -> str | None:
        """Return why the catalogue has no collections, or None."""
        if self._collections is None or self._collections:
            return None
        number = len(self._left_out)
        sentence = (
            f"Tables without a geometry are not public ({number}); DAMS_NONSPATIAL_COLLECTIONS names those to publish."
        )
        left_out = [sentence] if number else []
        return " ".join(["catalogue: no collections.", *left_out, *map(str, self._findings or ())])

    async def refresh(self) -> None:
        """Read configuration and database again. Raises Unavailable if the database cannot be reached."""
        try:
            self._read_config()
        except ConfigError as error:
            # once per cause: the file is checked every few seconds
            if str(error) != self._refused:
                _LOG.error("configuration refused; the last good one stays", extra={"fields": {"cause": str(error)}})
            self._refused = str(error)
        else:
            self._refused = None
        introspected = await self._introspection.collections()
        collections = {
            collection.id: self._configure(collection) for collection in introspected if self._offers(collection)
        }
        self._report_tables_without_geometry(introspected)
        self._known = {
            collection.id: (collection, collections[collection.id])
            for collection in introspected
            if collection.id in collections
        }
        for collection in introspected:
            configured = collections.get(collection.id)
            # a key other than the database's own comes from the file
            if configured is not None and configured.key != collection.key and await self._ids.repeats(configured):
                collections[collection.id] = self._config.apply(collection, id_column=False)
        if collections == self._collections:
            return
        if self._collections is not None and (changed := collections.keys() ^ self._collections.keys()):
            _LOG.info("catalogue changed", extra={"fields": {"collections": sorted(changed)[:20]}})
        self.document = json_bytes({"collections": list(collections.values())})
        # once per change, not per request: thousands of collections are megabytes
        self.etag = weak_etag(self.document)
        self._collections = collections

    def _offers(self, collection: Collection) -> bool:
        return self._config.offers(collection.id, spatial=bool(collection.geometries), nonspatial=self._nonspatial)

    def _report_tables_without_geometry(self, introspected: Sequence[Collection]) -> None:
        """Log which tables are not public only because they have no geometry; each change once."""
        left_out = frozenset(
            collection.id
            for collection in introspected
            if not self._offers(collection) and self._config.offers(collection.id, spatial=True)
        )
        if left_out and left_out != self._left_out:
            fields = {"collections": sorted(left_out)[:20], "number": len(left_out)}
            sentence = (
                "tables without a geometry are not public; DAMS_NONSPATIAL_COLLECTIONS publishes those that it names"
            )
            _LOG.info(sentence, extra={"fields": fields})
        self._left_out = left_out

    def _read_config(self) -> None:
        try:
            stamps = [file.stat().st_mtime_ns for file in self._config_files]
        except OSError as error:
            raise ConfigError(str(error)) from None
        if stamps != self._config_stamps:
            self._config = CatalogueConfig.load(*self._config_files)
            # times of the files that were read: changed permissions do not change a file's time
            self._config_stamps = stamps
            self._known = {}

    def _configure(self, collection: Collection) -> Collection:
        before, configured = self._known.get(collection.id, (None, collection))
        if before is collection:
            return configured
        try:
            return self._config.apply(collection)
        except ConfigError as error:
            _LOG.error("collection not configured", extra={"fields": {"cause": str(error)}})
            return CatalogueConfig().apply(collection)
