"""Resources that the handlers of this service share, and their start and end."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.catalogue.one_server import on_one_server
from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import reads, rotation
from libs.pg.text_folding import TextFoldings
from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES
from libs.web.health import PART as PRESENT_PART
from libs.web.restarts import RESTARTED, retry_after_restart
from services.features.aggregation.facet_counts import FacetCounts
from services.features.exporting.bundles import Bundles
from services.features.exporting.exports import Exports
from services.features.exporting.folder import ExportFolder
from services.features.feeds.cap import CapSettings
from services.features.formats.geojson import encode_each
from services.features.part import amend_part
from services.features.rows.counts import Counts
from services.features.rows.event_impacts import EventImpacts
from services.features.rows.event_parts import EventAliases
from services.features.rows.failing_rows import FailingRows
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.item_versions import ItemVersions
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from services.features.sending import WHOLE_PAGES, WholePages
from services.features.settings import Settings
from services.features.stac.search import Items
from services.features.stac.summaries import Summaries
from services.features.streaming.changed_items import ChangedItems
from services.features.streaming.hub import Hub
from services.features.streaming.journal import Journal

ALIASES = web.AppKey("aliases", EventAliases)
BUNDLES = web.AppKey("bundles", Bundles)
CAP = web.AppKey("cap", CapSettings)
CATALOGUE = web.AppKey("catalogue", CatalogueClient)
DATABASE = web.AppKey("database", Database)
EXPORTS = web.AppKey("exports", Exports)
FACETS = web.AppKey("facets", FacetCounts)
FOLDING = web.AppKey("folding", TextFoldings)
HUB = web.AppKey("hub", Hub)
ITEM_VERSIONS = web.AppKey("item_versions", ItemVersions)
IMPACTS = web.AppKey("impacts", EventImpacts)
STAC_ITEMS = web.AppKey("stac_items", Items)
STORE = web.AppKey("store", ItemsStore)
SUMMARIES = web.AppKey("summaries", Summaries)
VALUES = web.AppKey("values", ValueRanges)
VERSIONS = web.AppKey("versions", DataVersions)


def add_resources(app: web.Application, settings: Settings) -> None:
    """Open the resources when the application starts, close them when it ends."""
    app.middlewares.append(retry_after_restart)
    if settings.database_read_urls:
        app.middlewares.append(on_one_server)
    app.cleanup_ctx.append(partial(_open, settings=settings))
    app.on_shutdown.append(_end_streams)


async def _end_streams(app: web.Application) -> None:
    # streams never end by themselves: close them before the process waits for open requests
    app[HUB].close()


async def _open(app: web.Application, settings: Settings) -> AsyncIterator[None]:
    app[CAP] = CapSettings(settings.cap_status, settings.cap_sender)
    share = settings.collection_connections
    pool = PoolSettings(settings.database_url, "dams-features", size=settings.pool_size, share=share)
    replicas = settings.database_read_urls or ()
    state = settings.state_dir / "features-catalogue.json" if settings.state_dir else None
    async with (
        rotation(pool, replicas) as rotating,
        reads(pool, replicas, rotating) as database,
        Database(pool.for_watching()) as watch,
        Database(pool.for_exports(settings.exports_at_once)) as reading,
        DataVersions(watch, rotating) as versions,
        TextFoldings(watch) as app[FOLDING],
        CatalogueClient(settings.catalogue_url, state_file=state) as app[CATALOGUE],
        Hub(
            Journal(versions),
            lambda: app[CATALOGUE].known,
            most=settings.change_listeners,
            items=ChangedItems(watch, versions),
        ) as app[HUB],
    ):
        at_once, of_collection = max(1, settings.pool_size // 2), max(1, share // 2)
        counts = Counts(database, versions, seconds=0.5, at_once=at_once, of_collection=of_collection)
        kept_bytes = settings.features_kept_bytes
        cache = FeatureCache(database, versions, encode_each, kept_bytes) if kept_bytes else None
        failing = FailingRows(versions)
        app[FACETS] = FacetCounts(database, versions, failing, at_once=at_once, of_collection=of_collection)
        app[STORE] = ItemsStore(database, counts, cache, failing)
        app[DATABASE] = database
        app[ALIASES], app[IMPACTS] = EventAliases(database), EventImpacts(database)
        app[ITEM_VERSIONS] = ItemVersions(database)
        app[STAC_ITEMS] = Items(app[STORE], app[IMPACTS], database)
        app[SUMMARIES] = Summaries(database, versions, app[IMPACTS])
        folder = ExportFolder(
            settings.export_folder,
            kept_bytes=settings.export_kept_bytes,
            kept_seconds=settings.export_kept_seconds,
        )
        await asyncio.to_thread(folder.clear)
        app[EXPORTS] = Exports(
            reading,
            app[STORE],
            folder,
            at_once=settings.exports_at_once,
            most_bytes=settings.export_max_bytes,
            most_seconds=settings.export_seconds,
        )
        app[BUNDLES] = Bundles(
            app[STORE], folder, most_bytes=settings.export_max_bytes, most_seconds=settings.export_seconds
        )
        app[VALUES] = ValueRanges(database, versions)
        app[VERSIONS], app[RESTARTED] = versions, versions.wait_for_restart
        app[WHOLE_PAGES] = WholePages()
        app[PRESENT_PART].follow(lambda: (app[CATALOGUE].known, app[FOLDING].current), amend_part)
        app[HEALTH_CHECKS].extend([lambda app: app[CATALOGUE].health(), lambda _: versions.health()])
        app[HEALTH_NOTES].append(lambda: versions.trouble)
        yield
        await app[EXPORTS].close()
        await app[BUNDLES].close()
        await app[VALUES].close()
        await app[FACETS].close()
        await counts.close()
