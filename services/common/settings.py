"""Settings of the common service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from libs.web.settings import WebSettings, integer, names, postgresql_url, url


@dataclass(frozen=True, slots=True)
class Settings:
    """See ARCHITECTURE.md for the variables."""

    web: WebSettings
    database_url: str = field(repr=False)
    collection_schemas: tuple[str, ...]
    parts_url: str | None
    refresh_seconds: int
    collections_config: Path | None

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Raises SettingsError."""
        return cls(
            web=WebSettings.from_env(env, port=8081),
            database_url=postgresql_url(env, "DATABASE_URL"),
            collection_schemas=names(env, "COLLECTION_SCHEMAS", "hazard"),
            parts_url=url(env, "PARTS_URL"),
            collections_config=Path(env["COLLECTIONS_CONFIG"]) if env.get("COLLECTIONS_CONFIG") else None,
            refresh_seconds=integer(env, "CATALOGUE_REFRESH_SECONDS", 5, minimum=1, maximum=3600),
        )
