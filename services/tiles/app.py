"""The tiles service: which resource is answered where."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from aiohttp import web

from libs.cache.tile_cache import TileCache
from libs.catalog.client import CatalogueClient
from libs.catalog.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.web.app import make_app
from libs.web.health import HEALTH_CHECKS
from services.tiles.descriptors import get_style, get_tilejson
from services.tiles.part import PART
from services.tiles.resources import CATALOGUE, MAX_FEATURES, STORE
from services.tiles.settings import Settings
from services.tiles.tile import get_tile
from services.tiles.tile_matrix_sets import IDS, tile_matrix_set
from services.tiles.tile_store import TileStore
from services.tiles.tilesets import get_tileset, get_tilesets
from services.tiles.tiling_schemes import get_tile_matrix_set, get_tile_matrix_sets


def make(env: Mapping[str, str]) -> web.Application:
    """The application, from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    handlers = {
        "tileMatrixSets": get_tile_matrix_sets,
        "tileMatrixSet": get_tile_matrix_set,
        ".collection.vector.getTileSetsList": get_tilesets,
        ".collection.vector.getTileSet": get_tileset,
        ".collection.vector.getTile": get_tile,
        ".collection.vector.getTileJSON": get_tilejson,
        ".collection.vector.getStyle": get_style,
    }
    app = make_app(settings.web, PART, handlers, templates=Path(__file__).parent / "templates")
    app[MAX_FEATURES] = settings.max_features
    for identifier in IDS:
        tile_matrix_set(identifier)

    async def resources(app: web.Application) -> AsyncIterator[None]:
        pool = PoolSettings(settings.database_url, "dams-tiles", size=settings.pool_size, parallel=False)
        state = settings.state_dir / "tiles-catalogue.json" if settings.state_dir else None
        async with (
            Database(pool) as database,
            TileCache(settings.redis_url) as cache,
            DataVersions(database) as versions,
            CatalogueClient(settings.catalogue_url, state_file=state) as app[CATALOGUE],
        ):
            app[STORE] = TileStore(database, cache, versions)
            app[HEALTH_CHECKS].extend([lambda app: app[CATALOGUE].health(), lambda _: database.health()])
            yield

    app.cleanup_ctx.append(resources)
    return app
