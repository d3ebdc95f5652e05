"""Settings of the viewer service."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from libs.web.basemap import Basemap
from libs.web.settings import WebSettings, url


@dataclass(frozen=True, slots=True)
class Settings:
    """See ARCHITECTURE.md for the variables."""

    web: WebSettings
    catalogue_url: str
    state_file: Path | None
    basemap: Basemap | None

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Raises SettingsError."""
        state_dir = env.get("STATE_DIR")
        return cls(
            web=WebSettings.from_env(env, port=8084),
            catalogue_url=url(env, "CATALOGUE_URL", "http://127.0.0.1:8081") or "",
            state_file=Path(state_dir) / "viewer-catalogue.json" if state_dir else None,
            basemap=Basemap.from_env(env),
        )
