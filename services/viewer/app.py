"""The viewer service: its pages and routes."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.web.app import make_app
from libs.web.health import HEALTH_CHECKS
from services.viewer.assets import DIST, Assets
from services.viewer.basemap_picture import get_basemap_picture
from services.viewer.docs import get_api_explorer
from services.viewer.gazetteer import Gazetteer
from services.viewer.map import get_map
from services.viewer.overview_map import get_dataset_map, get_overview_map
from services.viewer.part import PART
from services.viewer.places import get_places, get_places_within
from services.viewer.resources import ASSETS, BASEMAP, CATALOGUE, EMBED_ORIGINS, GAZETTEER
from services.viewer.settings import Settings


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    handlers = {
        "getMap": get_map,
        "getDatasetMap": get_dataset_map,
        "getOverviewMap": get_overview_map,
        "getApiExplorer": get_api_explorer,
        "getPlaces": get_places,
        "getPlacesWithin": get_places_within,
        "getBasemapPicture": get_basemap_picture,
    }
    assets = Assets()
    files = {"/assets/{name}": assets.asset, "/basemap/{path:.+}": assets.basemap}
    app = make_app(settings, PART, handlers, assets=files, templates=Path(__file__).parent / "templates")
    app[ASSETS], app[BASEMAP] = assets, settings.basemap
    app[EMBED_ORIGINS] = settings.embed_origins
    app[GAZETTEER] = Gazetteer(DIST / "places.tsv")

    async def resources(app: web.Application) -> AsyncIterator[None]:
        async with CatalogueClient(settings.catalogue_url, state_file=settings.state_file) as app[CATALOGUE]:
            app[HEALTH_CHECKS].append(lambda app: app[CATALOGUE].health())
            yield

    app.cleanup_ctx.append(resources)
    return app
