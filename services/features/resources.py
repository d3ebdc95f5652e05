"""What the handlers of this service share."""

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.catalogue.versions import DataVersions
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from services.features.whole_pages import WholePages

CATALOGUE = web.AppKey("catalogue", CatalogueClient)
STORE = web.AppKey("store", ItemsStore)
VALUES = web.AppKey("values", ValueRanges)
VERSIONS = web.AppKey("versions", DataVersions)
WHOLE_PAGES = web.AppKey("whole_pages", WholePages)
