"""Lists which tables of a database are public, and which are not and why."""

from __future__ import annotations

import asyncio
import os
from shlex import quote

from deploy.local.settings import StackSettings
from libs.ogc.errors import DomainError
from libs.pg.pool import Database, PoolSettings
from libs.web.settings import names_of
from services.common.catalogue.configuration import CatalogueConfig
from services.common.introspection.introspect import Introspection
from services.common.settings import Settings as CommonSettings


def public_report(settings: StackSettings, url: str) -> list[str]:
    """Return lines for the terminal: what of the database at `url` is public, and what is not and why.

    There are none where the database cannot be read: `make doctor` reports why.
    """
    given = {
        **os.environ,
        "DAMS_DATABASE_URL": url,
        "DAMS_PORT": "1",
        "DAMS_COLLECTION_SCHEMAS": settings.collection_schemas,
    }
    common = CommonSettings.from_env(given)
    extensions = common.extension_collections or ()
    try:
        names = asyncio.run(_names(url, names_of(settings.collection_schemas), extensions))
    except DomainError:
        return []
    config = CatalogueConfig.load(*(common.collections_config or ()))
    nonspatial = (*extensions, *(common.nonspatial_collections or ()))
    public = [name for name, spatial in names if config.offers(name, spatial=spatial, nonspatial=nonspatial)]
    wanted = [name for name, _ in names if config.offers(name, spatial=True)]
    left_out = sorted({*wanted} - {*public})
    excluded = sorted({name for name, _ in names} - {*wanted})
    lines = [_line("public", public)] if public else ["public: nothing"]
    if left_out:
        lines.append(_line("not public, as they have no geometry", left_out))
        setting = f"DAMS_NONSPATIAL_COLLECTIONS={quote(_list_entry(left_out[0]))}"
        lines.append(f"  to publish one: {setting} make up, or name it in DAMS_COLLECTIONS_CONFIG")
    if excluded:
        lines.append(_line("not public, as DAMS_COLLECTIONS_CONFIG excludes them", excluded))
    return lines


def _line(title: str, names: list[str]) -> str:
    return f"{title} ({len(names)}): {', '.join(map(_list_entry, names))}"


def _list_entry(name: str) -> str:
    """The name as one of a comma-separated list."""
    return f'"{name}"' if "," in name else name


async def _names(url: str, schemas: tuple[str, ...], extensions: tuple[str, ...]) -> list[tuple[str, bool]]:
    async with Database(PoolSettings(url, "dams-doctor", size=1)) as database:
        return await Introspection(database, schemas, extensions).names()
