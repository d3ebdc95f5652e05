"""What the handlers of this service share: the catalogue, its collections encoded, and the parts."""

from aiohttp import web

from services.common.catalogue.keeper import CatalogueKeeper
from services.common.documents.encoded import EncodedCollections
from services.common.parts import PartsClient

KEEPER = web.AppKey("catalogue_keeper", CatalogueKeeper)
PARTS = web.AppKey("parts", PartsClient)
ENCODED = web.AppKey("encoded_collections", EncodedCollections)
