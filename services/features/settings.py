"""Settings of the features service."""

from pathlib import Path

from pydantic import Field

from libs.web.settings import HttpAddress, Port, PostgresqlAddress, WebSettings


class Settings(WebSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8082
    database_url: PostgresqlAddress
    catalogue_url: HttpAddress = "http://127.0.0.1:8081"
    state_dir: Path | None = None
    pool_size: int = Field(default=10, ge=1, le=200)
    features_kept_bytes: int = Field(default=32_000_000, ge=0, le=1_000_000_000)
    """What features that were encoded before may take."""
