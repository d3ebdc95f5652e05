"""Resources that the handlers of this service and the command share."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiohttp import web

from libs.cache.tile_cache import TileCache
from libs.catalogue.client import CatalogueClient
from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import reads, rotation
from libs.pg.text_folding import TextFoldings
from libs.web.basemap import Basemap
from services.tiles.settings import Settings
from services.tiles.store.tile_store import TileStore

CATALOGUE = web.AppKey("catalogue", CatalogueClient)
FOLDING = web.AppKey("folding", TextFoldings)
STORE = web.AppKey("store", TileStore)
BASEMAP: web.AppKey[Basemap | None] = web.AppKey("basemap")
MAX_FEATURES = web.AppKey("max_features", int)


@dataclass(frozen=True, slots=True)
class Resources:
    """Resources that live as long as the process or the command."""

    settings: Settings
    versions: DataVersions
    cache: TileCache
    catalogue: CatalogueClient
    store: TileStore
    folding: TextFoldings


def pool_of(settings: Settings, name: str) -> PoolSettings:
    """Return the settings of the connections for rendering; `name` is how PostgreSQL lists them."""
    return PoolSettings(
        settings.database_url,
        name,
        size=settings.pool_size,
        statement_timeout_ms=settings.tile_timeout_seconds * 1000,
        # the store limits whole requests instead: a tile with three statements must not be refused at the third
        waiting=None,
        share=settings.collection_connections,
        parallel=False,
    )


@asynccontextmanager
async def open_resources(settings: Settings, *, name: str = "dams-tiles") -> AsyncIterator[Resources]:
    """Open the resources; `name` is that of the connections."""
    pool = pool_of(settings, name)
    replicas = settings.database_read_urls or ()
    state = settings.state_dir / "tiles-catalogue.json" if settings.state_dir else None
    async with (
        rotation(pool, replicas) as rotating,
        reads(pool, replicas, rotating) as database,
        TileCache(
            settings.redis_url,
            share_bytes=settings.tile_cache_filtered_bytes,
            deadline=settings.redis_timeout_seconds,
        ) as cache,
        Database(pool.for_watching()) as watch,
        DataVersions(watch, rotating) as versions,
        TextFoldings(watch) as folding,
        CatalogueClient(settings.catalogue_url, state_file=state) as catalogue,
    ):
        store = TileStore(
            database,
            cache,
            versions,
            most_rendering=settings.pool_size + settings.tile_queue,
            share=settings.collection_share_percent / 100,
            max_features=settings.tile_max_features,
            max_bytes=settings.tile_max_bytes,
        )
        try:
            yield Resources(settings, versions, cache, catalogue, store, folding)
        finally:
            await store.close()
