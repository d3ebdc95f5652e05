"""What the handlers of this service share: the catalogue, its collections encoded, the parts, what is going on."""

from aiohttp import web

from services.common.catalogue.keeper import CatalogueKeeper
from services.common.documents.encoded import EncodedCollections
from services.common.parts import PartsClient
from services.common.situation.situation import Situation

KEEPER = web.AppKey("catalogue_keeper", CatalogueKeeper)
PARTS = web.AppKey("parts", PartsClient)
ENCODED = web.AppKey("encoded_collections", EncodedCollections)
SITUATION = web.AppKey("situation", Situation)
