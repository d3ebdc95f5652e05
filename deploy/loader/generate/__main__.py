"""Makes hazard data of any size: `python -m deploy.loader.generate earthquakes --rows 1000000 --table trial.quakes`.

The database's address, as its owner, is in DAMS_DATABASE_OWNER_URL. The same seed gives the same rows.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator

import asyncpg

from deploy.loader.generate.areas import floods
from deploy.loader.generate.belts import earthquakes
from deploy.loader.generate.chunks import Chunk
from deploy.loader.generate.filling import GenerateError, fill, finish, parts_of, prepare
from deploy.loader.generate.tracks import FIRST_SEASON, SEASONS, storm_nodes
from libs.web.setting_names import adopt_for_command

_URL = "DAMS_DATABASE_OWNER_URL"
_LIKE = {
    "earthquakes": "hazard.hazard_eq_events",
    "storm-nodes": "hazard.hazard_ts_nodes",
    "floods": "hazard.hazard_fl_events",
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.loader.generate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "kind", choices=_LIKE, help="earthquakes along plate boundaries, storms' positions, flooded areas"
    )
    parser.add_argument("--rows", type=int, required=True, help="how many features")
    parser.add_argument("--table", required=True, help="schema.name; made like that of its kind where it is missing")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vertices", type=int, default=100_000, help="the most corners of a flood")
    parser.add_argument("--by-season", action="store_true", help="storm-nodes: partition the table by season")
    parser.add_argument("--with-real-rows", action="store_true", help="add to a table that holds others than simulated")
    return parser


def _chunks(arguments: argparse.Namespace) -> Iterator[Chunk]:
    if arguments.kind == "floods":
        return floods(arguments.rows, arguments.seed, vertices=arguments.vertices)
    return (earthquakes if arguments.kind == "earthquakes" else storm_nodes)(arguments.rows, arguments.seed)


async def _generate(arguments: argparse.Namespace) -> None:
    like, table = _LIKE[arguments.kind], arguments.table
    parts_of(table)
    seasons = range(FIRST_SEASON, FIRST_SEASON + SEASONS) if arguments.by_season else None
    connection = await asyncpg.connect(os.environ[_URL], statement_cache_size=0)
    try:
        home = await connection.fetchval(
            "SELECT n.nspname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typname = 'geometry'"
        )
        if home is None or await connection.fetchval("SELECT to_regclass($1)", like) is None:
            raise GenerateError("the schema is missing: run `python -m deploy.database apply` first")
        await connection.set_type_codec("geometry", schema=home, encoder=bytes, decoder=bytes, format="binary")
        made = await prepare(connection, table, like, seasons, real=arguments.with_real_rows)
        taken = await fill(connection, table, _chunks(arguments), arguments.rows, made=made)
        print(f"{table}: {arguments.rows} rows in {taken:.0f} s, {arguments.rows / taken:.0f} a second")
        if made:
            begun = time.monotonic()
            await finish(connection, table, like, by_season=arguments.by_season)
            print(f"{table}: indexes in {time.monotonic() - begun:.0f} s")
    finally:
        await connection.close()


def main(argv: list[str] | None = None) -> int:
    """Make the rows and return the exit code: 0 done, 1 failed with a message, 2 wrong arguments."""
    adopt_for_command()
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.by_season and arguments.kind != "storm-nodes":
        parser.error("--by-season is for storm-nodes")
    if arguments.rows < 1 or not 3 <= arguments.vertices <= 1_000_000:
        parser.error("--rows begin at 1, --vertices at 3 and end at 1000000")
    if not os.environ.get(_URL):
        parser.error(f"{_URL} is missing: the address of the database, as its owner")
    try:
        asyncio.run(_generate(arguments))
    except (OSError, asyncpg.PostgresError, GenerateError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
