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
    """Memory for encoded features, in bytes."""
    change_listeners: int = Field(default=1000, ge=0, le=100_000)
    """Maximum number of clients that follow changes at the same time."""
    cap_status: Literal["Test", "Exercise", "Actual"] = "Test"
    """Status of CAP alerts. Defaults to `Test`, so that alerts never look real by accident."""
    cap_sender: Annotated[str, Field(pattern=r"^[^\s,<&]+$")] | None = None
    """Sender of the alerts, such as alerts@example.org; without it, the host name."""
    exports_at_once: int = Field(default=2, ge=1, le=20)
    """Number of files written at the same time; each needs a database connection."""
    export_max_bytes: int = Field(default=2_000_000_000, ge=1_000, le=1_000_000_000_000)
    """Maximum size of one file, in bytes."""
    export_seconds: float = Field(default=600.0, ge=1, le=1_000_000)
    """Maximum time to write one file, in seconds."""
    export_kept_bytes: int = Field(default=4_000_000_000, ge=0, le=1_000_000_000_000)
    """Maximum size of all cached files, in bytes, for all processes that share the folder."""
    export_kept_seconds: float = Field(default=3600.0, ge=0, le=1_000_000)
    """Time for which an unused file stays cached, in seconds."""

    @property
    def export_folder(self) -> Path:
        """The folder in DAMS_STATE_DIR; without DAMS_STATE_DIR, in the system's folder for temporary files."""
        return (self.state_dir or Path(gettempdir()) / f"dams-{os.getuid()}") / "exports"
