"""Settings of the viewer service."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from libs.web.settings import SettingsError, WebSettings, integer, url

# no sign that would end a source or a directive of the Content-Security-Policy
_TEMPLATE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?/[^\s;,'\"]*")


@dataclass(frozen=True, slots=True)
class Basemap:
    """An operator's basemap: raster tiles in Web Mercator, XYZ addressing."""

    tiles: str
    """Address with `{z}`, `{x}` and `{y}`."""
    attribution: str
    """Text."""
    max_zoom: int

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a source of the Content-Security-Policy."""
        parts = urlsplit(self.tiles)
        return f"{parts.scheme}://{parts.netloc}"

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self | None:
        """None where the viewer's own basemap is to be used. Raises SettingsError."""
        tiles = env.get("BASEMAP_TILES")
        if not tiles:
            return None
        if not _TEMPLATE.fullmatch(tiles) or not all(part in tiles for part in ("{z}", "{x}", "{y}")):
            raise SettingsError(f"BASEMAP_TILES={tiles!r} is not an http or https address with {{z}}, {{x}} and {{y}}")
        attribution = env.get("BASEMAP_ATTRIBUTION", "").strip()
        if not attribution:
            raise SettingsError("BASEMAP_ATTRIBUTION is not set; BASEMAP_TILES needs it")
        return cls(tiles, attribution, integer(env, "BASEMAP_MAX_ZOOM", 19, minimum=0, maximum=24))


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
