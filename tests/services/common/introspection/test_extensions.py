"""Objects of an extension are not collections, unless they are named."""

from __future__ import annotations

import asyncpg

from libs.pg.pool import Database, PoolSettings
from services.common.introspection.introspect import Introspection


async def test_only_what_is_named_of_an_extension_is_a_collection(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    await owner.execute(
        "CREATE TABLE public.dams (id integer PRIMARY KEY);"
        "CREATE FUNCTION public.wells() RETURNS SETOF public.dams STABLE LANGUAGE sql AS 'SELECT * FROM public.dams'"
    )
    await owner.close()
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        own = {entry.id for entry in await Introspection(database, ("public",)).collections()}
        assert own == {"public.dams", "public.wells"}
        named = Introspection(database, ("public",), ("public.spatial_ref_sys", "public.st_squaregrid"))
        more = {entry.id for entry in await named.collections()}
        assert more == own | {"public.spatial_ref_sys", "public.st_squaregrid"}
