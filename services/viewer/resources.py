"""Resources of the handlers, which live as long as the process."""

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.web.basemap import Basemap
from services.viewer.assets import Assets
from services.viewer.gazetteer import Gazetteer

CATALOGUE = web.AppKey("catalogue", CatalogueClient)
ASSETS = web.AppKey("assets", Assets)
GAZETTEER = web.AppKey("gazetteer", Gazetteer)
EMBED_ORIGINS = web.AppKey("embed_origins", tuple)
BASEMAP: web.AppKey[Basemap | None] = web.AppKey("basemap")
