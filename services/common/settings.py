"""Settings of the common service."""

from pydantic import Field

from libs.web.settings import HttpAddress, Names, Paths, Port, PostgresqlAddress, WebSettings


class Settings(WebSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8081
    database_url: PostgresqlAddress
    collection_schemas: Names = ("hazard",)
    collections_config: Paths | None = None
    extension_collections: Names | None = None
    nonspatial_collections: Names | None = None
    parts_url: HttpAddress | None = None
    catalogue_refresh_seconds: int = Field(default=5, ge=1, le=3600)
