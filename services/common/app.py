"""The common service: its routes and handlers."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path

from aiohttp import web

from libs.pg.diagnosis import diagnose
from libs.pg.pool import Database, PoolSettings
from libs.web.app import make_app
from libs.web.health import HEALTH_CHECKS, HEALTH_NOTES
from services.common.catalogue.keeper import CatalogueKeeper
from services.common.collection import get_collection
from services.common.collections import get_collections
from services.common.conformance import get_conformance
from services.common.documents.encoded import EncodedCollections
from services.common.internal_catalogue import get_internal_catalogue
from services.common.landing import get_landing
from services.common.part import PART
from services.common.parts import PartsClient
from services.common.resources import ENCODED, KEEPER, PARTS, SITUATION
from services.common.settings import Settings
from services.common.situation.situation import Situation


def make(env: Mapping[str, str]) -> web.Application:
    """Return the application, set up from its environment. Raises SettingsError."""
    settings = Settings.from_env(env)
    handlers = {
        "getLandingPage": get_landing,
        "getConformance": get_conformance,
        "getCollections": get_collections,
        "getCollection": get_collection,
    }
    app = make_app(settings, PART, handlers, templates=Path(__file__).parent / "templates")
    app[ENCODED] = EncodedCollections()
    app.router.add_get("/internal/catalogue", get_internal_catalogue)

    async def resources(app: web.Application) -> AsyncIterator[None]:
        pool = PoolSettings(
            settings.database_url, "dams-common", size=2, statement_timeout_ms=20_000, lock_timeout_ms=500
        )
        async with (
            Database(pool) as database,
            CatalogueKeeper(
                database,
                settings.collection_schemas,
                partial(diagnose, settings.database_url, settings.collection_schemas),
                refresh_seconds=settings.catalogue_refresh_seconds,
                config_files=settings.collections_config or (),
                extension_collections=settings.extension_collections or (),
                nonspatial_collections=settings.nonspatial_collections or (),
            ) as app[KEEPER],
            PartsClient(settings.parts_url, PART) as app[PARTS],
            Situation(database, app[KEEPER].situation, refresh_seconds=settings.catalogue_refresh_seconds) as app[
                SITUATION
            ],
        ):
            app[HEALTH_CHECKS].append(lambda app: app[KEEPER].health())
            app[HEALTH_NOTES].append(app[KEEPER].emptiness)
            yield

    app.cleanup_ctx.append(resources)
    return app
