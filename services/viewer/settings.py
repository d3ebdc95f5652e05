"""Settings of the viewer service."""

from pathlib import Path

from libs.web.basemap import BasemapSettings
from libs.web.settings import HttpAddress, Port, WebSettings


class Settings(WebSettings, BasemapSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8084
    catalogue_url: HttpAddress = "http://127.0.0.1:8081"
    state_dir: Path | None = None

    @property
    def state_file(self) -> Path | None:
        """Where the last good catalogue survives a restart."""
        return self.state_dir / "viewer-catalogue.json" if self.state_dir else None
