"""Resources that the handlers share: the catalogue, its encoded collections, the parts, the current situation."""

from aiohttp import web

from services.common.catalogue.keeper import CatalogueKeeper
from services.common.documents.encoded import EncodedCollections
from services.common.parts import PartsClient
from services.common.situation.situation import Situation

KEEPER = web.AppKey("catalogue_keeper", CatalogueKeeper)
PARTS = web.AppKey("parts", PartsClient)
ENCODED = web.AppKey("encoded_collections", EncodedCollections)
SITUATION = web.AppKey("situation", Situation)
