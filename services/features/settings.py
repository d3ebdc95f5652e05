"""Settings of the features service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from libs.web.settings import WebSettings, integer, postgresql_url, url


@dataclass(frozen=True, slots=True)
class Settings:
    """See ARCHITECTURE.md for the variables."""

    web: WebSettings
    database_url: str = field(repr=False)
    catalogue_url: str
    state_dir: Path | None
    pool_size: int
    kept_bytes: int
    """What features that were encoded before may take."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Raises SettingsError."""
        return cls(
            web=WebSettings.from_env(env, port=8082),
            database_url=postgresql_url(env, "DATABASE_URL"),
            catalogue_url=url(env, "CATALOGUE_URL", "http://127.0.0.1:8081") or "",
            state_dir=Path(env["STATE_DIR"]) if env.get("STATE_DIR") else None,
            pool_size=integer(env, "POOL_SIZE", 10, minimum=1, maximum=200),
            kept_bytes=integer(env, "FEATURES_KEPT_BYTES", 32_000_000, minimum=0, maximum=1_000_000_000),
        )
