"""Settings of the tiles service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from libs.web.settings import WebSettings, integer, required, url


@dataclass(frozen=True, slots=True)
class Settings:
    """See ARCHITECTURE.md for the variables."""

    web: WebSettings
    database_url: str = field(repr=False)
    catalogue_url: str
    redis_url: str | None = field(repr=False)
    state_dir: Path | None
    pool_size: int
    max_features: int

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Raises SettingsError."""
        return cls(
            web=WebSettings.from_env(env, port=8083),
            database_url=required(env, "DATABASE_URL"),
            catalogue_url=url(env, "CATALOGUE_URL", "http://127.0.0.1:8081") or "",
            redis_url=env.get("REDIS_URL") or None,
            state_dir=Path(env["STATE_DIR"]) if env.get("STATE_DIR") else None,
            pool_size=integer(env, "POOL_SIZE", 10, minimum=1, maximum=200),
            max_features=integer(env, "TILE_MAX_FEATURES", 10_000, minimum=1, maximum=1_000_000),
        )
