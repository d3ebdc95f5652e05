"""Resources that the handlers of this service share."""

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.catalogue.versions import DataVersions
from libs.pg.text_folding import TextFoldings
from services.features.aggregation.facet_counts import FacetCounts
from services.features.exporting.bundles import Bundles
from services.features.exporting.exports import Exports
from services.features.feeds.cap import CapSettings
from services.features.rows.event_aliases import EventAliases
from services.features.rows.event_impacts import EventImpacts
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from services.features.streaming.hub import Hub
from services.features.whole_pages import WholePages

ALIASES = web.AppKey("aliases", EventAliases)
BUNDLES = web.AppKey("bundles", Bundles)
CAP = web.AppKey("cap", CapSettings)
CATALOGUE = web.AppKey("catalogue", CatalogueClient)
EXPORTS = web.AppKey("exports", Exports)
FACETS = web.AppKey("facets", FacetCounts)
FOLDING = web.AppKey("folding", TextFoldings)
HUB = web.AppKey("hub", Hub)
IMPACTS = web.AppKey("impacts", EventImpacts)
STORE = web.AppKey("store", ItemsStore)
VALUES = web.AppKey("values", ValueRanges)
VERSIONS = web.AppKey("versions", DataVersions)
WHOLE_PAGES = web.AppKey("whole_pages", WholePages)
