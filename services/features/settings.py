"""Settings of the features service."""

from pathlib import Path
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
    cap_status: Literal["Test", "Exercise", "Actual"] = "Test"
    """Of alerts in CAP: what is not said to be actual must not look so."""
    cap_sender: Annotated[str, Field(pattern=r"^[^\s,<&]+$")] | None = None
    """Who sends the alerts, such as alerts@example.org; without it the name of the host."""
