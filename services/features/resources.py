"""What the handlers of this service share."""

from aiohttp import web

from libs.catalog.client import CatalogueClient
from services.features.items_store import ItemsStore

CATALOGUE = web.AppKey("catalogue", CatalogueClient)
STORE = web.AppKey("store", ItemsStore)
