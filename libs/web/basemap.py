"""An operator's basemap, in place of the one that the viewer service hands out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlsplit

from libs.web.settings import SettingsError, integer

# no sign that would end a source or a directive of the Content-Security-Policy
_TEMPLATE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?/[^\s;,'\"]*")


@dataclass(frozen=True, slots=True)
class Basemap:
    """Raster tiles of 256 pixels in Web Mercator, XYZ addressing."""

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
        """None where our own basemap is to be used. Raises SettingsError."""
        tiles = env.get("BASEMAP_TILES")
        if not tiles:
            return None
        if not _TEMPLATE.fullmatch(tiles) or not all(part in tiles for part in ("{z}", "{x}", "{y}")):
            raise SettingsError(f"BASEMAP_TILES={tiles!r} is not an http or https address with {{z}}, {{x}} and {{y}}")
        attribution = env.get("BASEMAP_ATTRIBUTION", "").strip()
        if not attribution:
            raise SettingsError("BASEMAP_ATTRIBUTION is not set; BASEMAP_TILES needs it")
        return cls(tiles, attribution, integer(env, "BASEMAP_MAX_ZOOM", 19, minimum=0, maximum=24))
