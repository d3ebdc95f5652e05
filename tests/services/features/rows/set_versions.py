"""Versions of data that are what a test says."""

from __future__ import annotations

from datetime import UTC, datetime

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions


class SetVersions(DataVersions):
    """The same version for all collections; functions do not get one."""

    server: str | None = "a server"
    token: str | None = "first"

    def version(self, collection: Collection) -> DataVersion | None:
        if self.token is None or collection.kind == "function":
            return None
        return DataVersion(self.token, datetime(2024, 1, 1, tzinfo=UTC))
