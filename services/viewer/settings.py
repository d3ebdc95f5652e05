"""Settings of the viewer service."""

import re
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

from libs.web.basemap import BasemapSettings
from libs.web.settings import HttpAddress, Port, WebSettings

# excludes characters that end a source or a directive of the Content-Security-Policy
_ORIGIN = re.compile(r"https?://[A-Za-z0-9*.-]+(:[0-9]+)?")


def _parts(given: str | tuple[str, ...]) -> tuple[str, ...]:
    if isinstance(given, tuple):
        return given
    return () if given.strip() == "none" else tuple(given.replace(",", " ").split())


def _origins(texts: tuple[str, ...]) -> tuple[str, ...]:
    for text in texts:
        if text != "*" and not _ORIGIN.fullmatch(text):
            raise ValueError(f"has {text!r}, which is no origin such as https://www.example.org, nor * or none")
    return texts


Origins = Annotated[tuple[str, ...], BeforeValidator(_parts), AfterValidator(_origins)]
"""Origins of pages: scheme, host and port, separated by commas; `*` allows all, `none` no page."""


class Settings(WebSettings, BasemapSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8084
    catalogue_url: HttpAddress = "http://127.0.0.1:8081"
    state_dir: Path | None = None
    embed_origins: Origins = ("*",)
    """Origins of pages that may embed our maps."""

    @property
    def state_file(self) -> Path | None:
        """The file with the last good catalogue, which survives a restart."""
        return self.state_dir / "viewer-catalogue.json" if self.state_dir else None
