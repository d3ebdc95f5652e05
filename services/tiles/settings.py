"""Settings of the tiles service."""

import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from libs.cache.links import redis_address
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import NotFound
from libs.web.basemap import BasemapSettings
from libs.web.settings import DatabaseSettings, HttpAddress, Port, as_written

_ZOOMS = re.compile(r"(?P<set>\w+)/(?P<first>-?\d{1,2})(?:-(?P<last>-?\d{1,2}))?\Z", re.ASCII)


def _warm_up(text: str) -> tuple[tuple[str, int], ...]:
    """Parse `WebMercatorQuad/0-2,WorldCRS84Quad/0` into sets and zooms; `none` for nothing. Raises ValueError."""
    if text.strip() == "none":
        return ()
    zooms: list[tuple[str, int]] = []
    for part in text.split(","):
        found = _ZOOMS.match(part.strip())
        if found is None:
            raise ValueError(f"names {part.strip()!r}, which is not like WebMercatorQuad/0-2")
        first, last = int(found["first"]), int(found["last"] or found["first"])
        try:
            matrices = tile_matrix_set(found["set"]).matrices
        except NotFound:
            raise ValueError(f"names {found['set']}, which is no tile matrix set") from None
        if first > last or not {first, last} <= matrices.keys():
            raise ValueError(f"names zooms {first} to {last}, which {found['set']} does not have")
        zooms += [(found["set"], zoom) for zoom in range(first, last + 1)]
    return tuple(zooms)


def _header(text: str) -> str:
    """Return the text if it is one header, `Name: value`. Raises ValueError."""
    if not re.fullmatch(r"[A-Za-z0-9-]+: *[\x20-\x7e]+", text):
        raise ValueError("is not a header like Fastly-Key: value")
    return text


class Settings(DatabaseSettings, BasemapSettings):
    """See docs/operations.md for the variables."""

    port: Port = 8083
    catalogue_url: HttpAddress = "http://127.0.0.1:8081"
    redis_url: Annotated[str, AfterValidator(redis_address)] | None = Field(default=None, repr=False)
    redis_timeout_seconds: float = Field(default=0.1, ge=0.005, le=10)
    state_dir: Path | None = None
    tile_max_features: int = Field(default=10_000, ge=1, le=1_000_000)
    tile_max_bytes: int = Field(default=3_000_000, ge=1_000, le=100_000_000)
    """Maximum size of an encoded tile before compression, in bytes."""
    tile_timeout_seconds: int = Field(default=10, ge=1, le=600)
    tile_queue: int = Field(default=100, ge=0, le=100_000)
    tile_cache_filtered_bytes: int = Field(default=64_000_000, ge=0, le=1_000_000_000_000)
    purge_url: HttpAddress | None = Field(default=None, repr=False)
    purge_method: Literal["POST", "PURGE", "BAN", "DELETE"] = "POST"
    purge_header: Annotated[str, AfterValidator(_header)] | None = Field(default=None, repr=False)
    tile_warm_up: Annotated[tuple[tuple[str, int], ...], BeforeValidator(_warm_up)] = as_written("WebMercatorQuad/0-2")
    """Tile matrix sets and zooms to render after a change."""
