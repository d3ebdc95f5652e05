"""The tiles service: its routes and handlers."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from aiohttp import web

from libs.catalogue.one_server import on_one_server
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from libs.web.app import make_app
from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES
from libs.web.health import PART as PRESENT_PART
from libs.web.restarts import RESTARTED, retry_after_restart
from services.tiles.dataset.style import get_dataset_style
from services.tiles.dataset.tile import get_dataset_tile
from services.tiles.dataset.tilejson import get_dataset_tilejson
from services.tiles.dataset.tileset import get_dataset_tileset
from services.tiles.dataset.tilesets import get_dataset_tilesets
from services.tiles.part import PART, amend_part
from services.tiles.resources import BASEMAP, CATALOGUE, FOLDING, MAX_FEATURES, STORE, Resources, open_resources
from services.tiles.settings import Settings
from services.tiles.store.purging import Hook, Purging
from services.tiles.store.warm_up import WarmUp
from services.tiles.style import get_style
from services.tiles.tile import get_tile
from services.tiles.tile_matrix_sets import get_tile_matrix_set, get_tile_matrix_sets
from services.tiles.tilejson import get_tilejson
from services.tiles.tileset import get_tileset
from services.tiles.tilesets import get_tilesets


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    handlers = {
        "tileMatrixSets": get_tile_matrix_sets,
        "tileMatrixSet": get_tile_matrix_set,
        "dams.dataset.vector.getTileSetsList": get_dataset_tilesets,
        "dams.dataset.vector.getTileSet": get_dataset_tileset,
        "dams.dataset.vector.getTile": get_dataset_tile,
        "dams.dataset.vector.getTileJSON": get_dataset_tilejson,
        "dams.dataset.vector.getStyle": get_dataset_style,
        "dams.collection.vector.getTileSetsList": get_tilesets,
        "dams.collection.vector.getTileSet": get_tileset,
        "dams.collection.vector.getTile": get_tile,
        "dams.collection.vector.getTileJSON": get_tilejson,
        "dams.collection.vector.getStyle": get_style,
    }
    app = make_app(settings, PART, handlers, templates=Path(__file__).parent / "templates")
    app[MAX_FEATURES], app[BASEMAP] = settings.tile_max_features, settings.basemap
    for identifier in IDS:
        tile_matrix_set(identifier)

    async def resources(app: web.Application) -> AsyncIterator[None]:
        async with open_resources(settings) as opened, _warm_up(opened), _purge_process(opened):
            app[CATALOGUE], app[STORE], app[FOLDING] = opened.catalogue, opened.store, opened.folding
            app[RESTARTED] = opened.versions.wait_for_restart
            app[HEALTH_CHECKS].extend([lambda _: opened.catalogue.health(), lambda _: opened.versions.health()])
            app[PRESENT_PART].follow(lambda: (opened.catalogue.known,), amend_part)
            app[HEALTH_NOTES].extend([lambda: opened.cache.trouble, lambda: opened.versions.trouble])
            yield

    app.middlewares.append(retry_after_restart)
    if settings.database_read_urls:
        app.middlewares.append(on_one_server)
    app.cleanup_ctx.append(resources)
    return app


def _purge_process(opened: Resources) -> AbstractAsyncContextManager[object]:
    settings = opened.settings
    if settings.purge_url is None:
        return nullcontext()
    name, _, value = (settings.purge_header or "").partition(":")
    headers = {name: value} if name else {}
    hook = Hook(settings.purge_url, settings.purge_method, headers)
    return Purging(opened.store, opened.cache, opened.catalogue, hook)


def _warm_up(opened: Resources) -> WarmUp:
    settings = opened.settings
    return WarmUp(
        opened.store,
        opened.cache,
        opened.catalogue,
        max_features=settings.tile_max_features,
        zooms=settings.tile_warm_up,
    )
