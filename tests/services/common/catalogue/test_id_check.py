"""Whether ids repeat, in step with the definition of the collection."""

from __future__ import annotations

from dataclasses import replace

import asyncpg

from libs.pg.pool import Database, PoolSettings
from services.common.catalogue.id_check import IdCheck
from services.common.introspection.introspect import Introspection


async def test_a_view_that_is_defined_anew_is_checked_at_once(database_url: str) -> None:
    owner = await asyncpg.connect(database_url)
    async with Database(PoolSettings(database_url, "test", size=2)) as database:
        check = IdCheck(database, trusted_seconds=3600)
        found = []
        await owner.execute("CREATE SCHEMA own")
        for code in ("n", "n / 2", "n + 1"):
            await owner.execute(
                f"CREATE OR REPLACE VIEW own.seen AS SELECT n, {code} AS code FROM generate_series(1, 4) AS n"  # noqa: S608 ours
            )
            (collection,) = await Introspection(database, ("own",)).collections()
            found.append(await check.repeats(replace(collection, key="code", key_repeats=True)))
        assert found == [False, True, False]
    await owner.close()
