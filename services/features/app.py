"""The features service: its routes and handlers."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from aiohttp import web

from libs.catalogue.client import CatalogueClient
from libs.catalogue.one_server import on_one_server
from libs.catalogue.versions import DataVersions
from libs.pg.pool import Database, PoolSettings
from libs.pg.replicas import reads, rotation
from libs.pg.text_folding import TextFoldings
from libs.web.app import make_app
from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES
from libs.web.health import PART as PRESENT_PART
from libs.web.restarts import RESTARTED, asked_again
from services.features.aggregation.facet_counts import FacetCounts
from services.features.alert import get_alert
from services.features.asyncapi import get_asyncapi
from services.features.bundle import get_bundle
from services.features.changes import get_changes, get_collection_changes
from services.features.event import get_event
from services.features.export import get_export
from services.features.exporting.bundles import Bundles
from services.features.exporting.exports import Exports
from services.features.exporting.folder import ExportFolder
from services.features.facets import get_facets
from services.features.feed import get_feed
from services.features.feeds.cap import CapSettings
from services.features.formats.geojson import encode_each
from services.features.functions import get_functions
from services.features.impact import get_facilities, get_impact
from services.features.impacts_of import get_impacts
from services.features.intensity import get_intensity
from services.features.item import get_item
from services.features.items import get_items
from services.features.part import PART, amended
from services.features.programs import get_programs
from services.features.queryables import get_queryables
from services.features.resources import (
    ALIASES,
    BUNDLES,
    CAP,
    CATALOGUE,
    EXPORTS,
    FACETS,
    FOLDING,
    HUB,
    IMPACTS,
    STORE,
    VALUES,
    VERSIONS,
    WHOLE_PAGES,
)
from services.features.rows.counts import Counts
from services.features.rows.event_aliases import EventAliases
from services.features.rows.event_impacts import EventImpacts
from services.features.rows.failing_rows import FailingRows
from services.features.rows.feature_cache import FeatureCache
from services.features.rows.items_store import ItemsStore
from services.features.rows.value_ranges import ValueRanges
from services.features.schema import get_feature_schema, get_schema
from services.features.settings import Settings
from services.features.sortables import get_sortables
from services.features.streaming.changed_items import ChangedItems
from services.features.streaming.hub import Hub
from services.features.streaming.journal import Journal
from services.features.whole_pages import WholePages

_HANDLERS = {
    "getQueryables": get_queryables,
    "getSortables": get_sortables,
    "getSchema": get_schema,
    "getFeatureSchema": get_feature_schema,
    "getAlert": get_alert,
    "getAsyncApi": get_asyncapi,
    "getChanges": get_changes,
    "getEvent": get_event,
    "getBundle": get_bundle,
    "getImpact": get_impact,
    "getFacilities": get_facilities,
    "getImpacts": get_impacts,
    "getIntensity": get_intensity,
    "getCollectionChanges": get_collection_changes,
    "getFacets": get_facets,
    "getFeed": get_feed,
    "getFunctions": get_functions,
    "getItems": get_items,
    "getItem": get_item,
    "getExport": get_export,
    "getPrograms": get_programs,
}


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    app = make_app(settings, PART, _HANDLERS, templates=Path(__file__).parent / "templates")

    app[CAP] = CapSettings(settings.cap_status, settings.cap_sender)

    async def resources(app: web.Application) -> AsyncIterator[None]:
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
            app[ALIASES], app[IMPACTS] = EventAliases(database), EventImpacts(database)
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
            app[BUNDLES] = Bundles(app[STORE], folder, settings.export_max_bytes)
            app[VALUES] = ValueRanges(database, versions)
            app[VERSIONS], app[RESTARTED] = versions, versions.restarted
            app[PRESENT_PART].follow(lambda: (app[CATALOGUE].known, app[FOLDING].current), amended)
            app[WHOLE_PAGES] = WholePages()
            app[HEALTH_CHECKS].extend([lambda app: app[CATALOGUE].health(), lambda _: versions.health()])
            app[HEALTH_NOTES].append(lambda: versions.trouble)
            yield
            await app[EXPORTS].close()
            await app[VALUES].close()
            await app[FACETS].close()
            await counts.close()

    async def end_streams(app: web.Application) -> None:
        # streams never end by themselves: close them before the process waits for open requests
        app[HUB].close()

    app.middlewares.append(asked_again)
    if settings.database_read_urls:
        app.middlewares.append(on_one_server)
    app.cleanup_ctx.append(resources)
    app.on_shutdown.append(end_streams)
    return app
