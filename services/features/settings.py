"""Settings of the features service."""

import os
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Literal

from pydantic import Field

from libs.web.settings import DatabaseSettings, HttpAddress, Port


class Settings(DatabaseSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8082
    catalogue_url: HttpAddress = "http://127.0.0.1:8081"
    state_dir: Path | None = None
    features_kept_bytes: int = Field(default=32_000_000, ge=0, le=1_000_000_000)
    """What features that were encoded before may take."""
    change_listeners: int = Field(default=1000, ge=0, le=100_000)
    """Who may listen to changes at the same time."""
    cap_status: Literal["Test", "Exercise", "Actual"] = "Test"
    """Of alerts in CAP: what is not said to be actual must not look so."""
    cap_sender: Annotated[str, Field(pattern=r"^[^\s,<&]+$")] | None = None
    """Who sends the alerts, such as alerts@example.org; without it the name of the host."""
    exports_at_once: int = Field(default=2, ge=1, le=20)
    """Files that are made at the same time; each has a connection of its own to the database."""
    export_max_bytes: int = Field(default=2_000_000_000, ge=1_000, le=1_000_000_000_000)
    """Of one file."""
    export_seconds: float = Field(default=600.0, ge=1, le=1_000_000)
    """Maximum time to make one file."""
    export_kept_bytes: int = Field(default=4_000_000_000, ge=0, le=1_000_000_000_000)
    """What files that were made before may take, of all processes that share the folder."""
    export_kept_seconds: float = Field(default=3600.0, ge=0, le=1_000_000)
    """Since somebody last asked for them."""

    @property
    def export_folder(self) -> Path:
        """In STATE_DIR; without one, among the temporary files of the system."""
        return (self.state_dir or Path(gettempdir()) / f"dams-{os.getuid()}") / "exports"
