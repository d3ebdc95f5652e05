"""Settings of the tiles service."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.ogc.errors import NotFound
from libs.web.basemap import Basemap
from libs.web.settings import SettingsError, WebSettings, integer, postgresql_url, url

_ZOOMS = re.compile(r"(?P<set>\w+)/(?P<first>-?\d{1,2})(?:-(?P<last>-?\d{1,2}))?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Settings:
    """See ARCHITECTURE.md for the variables."""

    web: WebSettings
    database_url: str = field(repr=False)
    catalogue_url: str
    redis_url: str | None = field(repr=False)
    state_dir: Path | None
    pool_size: int
    max_features: int
    max_bytes: int
    """Of an encoded tile, before it is compressed."""
    timeout_seconds: int
    queue: int
    share_mb: int
    warm_up: tuple[tuple[str, int], ...]
    """Tile matrix sets and zooms."""
    basemap: Basemap | None
    """What styles draw below the data; None for the viewer's."""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> Self:
        """Raises SettingsError."""
        return cls(
            web=WebSettings.from_env(env, port=8083),
            database_url=postgresql_url(env, "DATABASE_URL"),
            catalogue_url=url(env, "CATALOGUE_URL", "http://127.0.0.1:8081") or "",
            redis_url=env.get("REDIS_URL") or None,
            state_dir=Path(env["STATE_DIR"]) if env.get("STATE_DIR") else None,
            pool_size=integer(env, "POOL_SIZE", 10, minimum=1, maximum=200),
            max_features=integer(env, "TILE_MAX_FEATURES", 10_000, minimum=1, maximum=1_000_000),
            max_bytes=integer(env, "TILE_MAX_BYTES", 3_000_000, minimum=1_000, maximum=100_000_000),
            timeout_seconds=integer(env, "TILE_TIMEOUT_SECONDS", 10, minimum=1, maximum=600),
            queue=integer(env, "TILE_QUEUE", 100, minimum=0, maximum=100_000),
            share_mb=integer(env, "TILE_CACHE_FILTERED_MB", 64, minimum=0, maximum=1_000_000),
            warm_up=_warm_up(env.get("TILE_WARM_UP") or "WebMercatorQuad/0-2"),
            basemap=Basemap.from_env(env),
        )


def _warm_up(text: str) -> tuple[tuple[str, int], ...]:
    """`WebMercatorQuad/0-2,WorldCRS84Quad/0` as sets and zooms; `none` for nothing. Raises SettingsError."""
    if text.strip() == "none":
        return ()
    zooms: list[tuple[str, int]] = []
    for part in text.split(","):
        found = _ZOOMS.match(part.strip())
        if found is None:
            raise SettingsError(f"TILE_WARM_UP: {part.strip()!r} is not like WebMercatorQuad/0-2")
        first, last = int(found["first"]), int(found["last"] or found["first"])
        try:
            matrices = tile_matrix_set(found["set"]).matrices
        except NotFound as error:
            raise SettingsError(f"TILE_WARM_UP: {error}") from None
        if first > last or not {first, last} <= matrices.keys():
            raise SettingsError(f"TILE_WARM_UP: {found['set']} has no zooms {first} to {last}")
        zooms += [(found["set"], zoom) for zoom in range(first, last + 1)]
    return tuple(zooms)
