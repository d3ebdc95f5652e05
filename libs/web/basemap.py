"""An operator's basemap, instead of the viewer service's own."""

import re
from dataclasses import dataclass
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from libs.web.settings import EnvironmentSettings

# excludes characters that end a source or a directive of the Content-Security-Policy
_TEMPLATE = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]+)?/[^\s;,'\"]*")


@dataclass(frozen=True, slots=True)
class Basemap:
    """Raster tiles of 256 pixels in Web Mercator, XYZ addressing."""

    tiles: str
    """Address with `{z}`, `{x}` and `{y}`."""
    attribution: str
    """Attribution as plain text."""
    max_zoom: int

    @property
    def origin(self) -> str:
        """Scheme, host and port, as a source of the Content-Security-Policy."""
        parts = urlsplit(self.tiles)
        return f"{parts.scheme}://{parts.netloc}"


def _template(text: str) -> str:
    if not _TEMPLATE.fullmatch(text) or not all(part in text for part in ("{z}", "{x}", "{y}")):
        raise ValueError("is not an http or https address with {z}, {x} and {y}")
    return text


class BasemapSettings(EnvironmentSettings):
    """The basemap of services that draw one, or use one in styles."""

    basemap_tiles: Annotated[str, AfterValidator(_template)] | None = None
    basemap_attribution: str | None = None
    basemap_max_zoom: int = Field(default=19, ge=0, le=24)

    @model_validator(mode="after")
    def _has_attribution(self) -> Self:
        if self.basemap_tiles and not (self.basemap_attribution or "").strip():
            raise ValueError("DAMS_BASEMAP_ATTRIBUTION is not set; DAMS_BASEMAP_TILES needs it")
        return self

    @property
    def basemap(self) -> Basemap | None:
        """The basemap; None for our own."""
        if not self.basemap_tiles:
            return None
        return Basemap(self.basemap_tiles, (self.basemap_attribution or "").strip(), self.basemap_max_zoom)
