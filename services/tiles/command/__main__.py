"""The `tiles` command: make, forget and look at tiles in the cache, and take them along.

It uses the settings of the service from the environment, DAMS_DATABASE_URL, DAMS_REDIS_URL and DAMS_CATALOGUE_URL.
"""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from libs.cache.commands import CacheAway
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.zooms import IDS
from libs.ogc.errors import DomainError
from libs.web.settings import SettingsError
from services.tiles.command.area import Area
from services.tiles.command.export import MOST_TILES, export
from services.tiles.command.inspect import inspect, purge
from services.tiles.command.seed import seed
from services.tiles.command.show import show
from services.tiles.resources import Resources, open_resources
from services.tiles.settings import Settings

OK, FAILED, WRONG_ARGUMENTS, INTERRUPTED = 0, 1, 2, 130

_STOPPING = (signal.SIGINT, signal.SIGTERM)
_OF_THE_COMMAND = {"state_dir": None, "collection_share_percent": 100, "redis_timeout_seconds": 5.0}
"""Settings that differ from the service's: only the service stores the list of collections, and its timeouts are short.
"""

_EPILOG = """
exit status: 0 done, 1 some tiles could not be made or something cannot be reached, 2 wrong arguments,
130 interrupted (Ctrl-C); what was interrupted goes on where it was when it is started again.

examples:
  tiles seed hazard.hazard_ts_tracks --zoom 0-6
  tiles seed hazard.hazard_fl_events --zoom 8-12 --bbox 85,20,95,28 --concurrency 4
  tiles inspect
  tiles show hazard.hazard_eq_events 2/3/1 --query 'filter=magnitude>6'
  tiles export hazard.hazard_fl_events,hazard.hazard_ts_tracks --bbox 85,20,95,28 --zoom 0-8 --output field.pmtiles
  tiles purge hazard.hazard_eq_events --matrix-set WebMercatorQuad --zoom 10-24
"""


class _Parser(argparse.ArgumentParser):
    """Accepts a value that begins with a minus, such as a western longitude, instead of reading it as an option."""

    def parse_known_args(  # type: ignore[override] # of the overloads the one that the command uses
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        joined: list[str] = []
        for each in sys.argv[1:] if args is None else args:
            if joined and joined[-1] in ("--bbox", "--zoom"):
                joined[-1] += f"={each}"
            else:
                joined.append(each)
        return super().parse_known_args(joined, namespace)


def parser() -> argparse.ArgumentParser:
    """Return the command line's parser."""
    result = _Parser(
        prog="tiles", description=__doc__, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = result.add_subparsers(dest="command", required=True)
    seeding = commands.add_parser("seed", help="make tiles that are not in the cache yet")
    seeding.add_argument("collections", nargs="+", metavar="collection", help="ids of collections")
    _concurrency(seeding)
    _area(seeding, "0-4")
    _export(commands.add_parser("export", help="write tiles into a PMTiles file, with a style that draws it"))
    for name, text in (("purge", "forget tiles"), ("inspect", "show what is in the cache")):
        other = commands.add_parser(name, help=text)
        other.add_argument("collections", nargs="*", metavar="collection", help="ids of collections, default all")
        _area(other, None)
        other.add_argument("--outdated", action="store_true", help="only tiles of data or software that have changed")
        if name == "purge":
            other.add_argument("--dry-run", action="store_true", help="only say how many there are")
    showing = commands.add_parser("show", help="show what is in one tile")
    showing.add_argument("collection", help="id of a collection")
    showing.add_argument("tile", type=_tile, metavar="Z/X/Y", help="matrix, column, row; -- before a negative one")
    showing.add_argument("--matrix-set", choices=IDS, metavar="ID", default="WebMercatorQuad", help="tile matrix set")
    showing.add_argument("--query", default="", metavar="TEXT", help="parameters as in an address: 'limit=5&ids=1,2'")
    showing.add_argument("--json", action="store_true", help="everything, features too, as JSON")
    return result


def _export(command: argparse.ArgumentParser) -> None:
    command.add_argument("collections", nargs="+", metavar="collection", help="ids; several may have commas between")
    command.add_argument("--output", type=_archive, required=True, metavar="FILE.pmtiles", help="is replaced if there")
    command.add_argument("--zoom", type=_zooms, help="such as 3 or 0-6; default: as in TileJSON")
    _bbox_option(command)
    command.add_argument("--max-tiles", type=_count, default=MOST_TILES, help=f"most tiles, default {MOST_TILES:,}")
    command.add_argument("--matrix-set", type=_mercator, metavar="ID", help="WebMercatorQuad, the only one of PMTiles")
    _concurrency(command)


def _concurrency(command: argparse.ArgumentParser) -> None:
    command.add_argument("--concurrency", type=_number, default=2, help="tiles made at the same time, default 2")


def _bbox_option(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--bbox", type=_bbox, metavar="W,S,E,N", help="in degrees of longitude and latitude; default: where data are"
    )


def _area(command: argparse.ArgumentParser, zoom: str | None) -> None:
    command.add_argument(
        "--matrix-set",
        action="append",
        choices=IDS,
        metavar="ID",
        help=f"tile matrix set, may be repeated; default {'WebMercatorQuad' if zoom else 'all'}",
    )
    command.add_argument(
        "--zoom", type=_zooms, default=_zooms(zoom) if zoom else None, help=f"such as 3 or 0-6; default {zoom or 'all'}"
    )
    _bbox_option(command)


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 64:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 to 64")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def _archive(text: str) -> Path:
    if not text.endswith(".pmtiles") or Path(text).name == ".pmtiles":
        raise argparse.ArgumentTypeError(f"{text!r} does not end with .pmtiles, such as field.pmtiles")
    return Path(text)


def _mercator(text: str) -> str:
    if text != "WebMercatorQuad":
        raise argparse.ArgumentTypeError(f"{text!r}: PMTiles (version 3) has no tile matrix set but WebMercatorQuad")
    return text


def _tile(text: str) -> tuple[int, int, int]:
    try:
        z, x, y = map(int, text.split("/"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not three whole numbers, matrix/column/row") from None
    return z, x, y


def _zooms(text: str) -> range:
    first, dash, last = text.partition("-") if not text.startswith("-") else _negative(text)
    try:
        found = range(int(first), int(last if dash else first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not like 3 or 0-6") from None
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r}: the first zoom is greater than the last")
    return found


def _negative(text: str) -> tuple[str, str, str]:
    # the zooms of CDB1GlobalGrid start at -10
    first, dash, last = text[1:].partition("-")
    return f"-{first}", dash, last


def _bbox(text: str) -> tuple[float, float, float, float]:
    try:
        west, south, east, north = (float(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not four numbers: west,south,east,north") from None
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise argparse.ArgumentTypeError(f"{text!r} is not within -180,-90,180,90 with south before north")
    return west, south, east, north


async def run(arguments: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Run the command and return its exit status; errors are printed to standard error."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in _STOPPING:
        loop.add_signal_handler(number, stop.set)
    try:
        return await _execute(arguments, env, stop)
    except (SettingsError, DomainError, CacheAway) as error:
        print(f"tiles: {error}", file=sys.stderr)  # noqa: T201
        return WRONG_ARGUMENTS if isinstance(error, SettingsError) else FAILED
    finally:
        for number in _STOPPING:
            loop.remove_signal_handler(number)


async def _execute(arguments: argparse.Namespace, env: Mapping[str, str], stop: asyncio.Event) -> int:
    settings = Settings.from_env(env).model_copy(update=_OF_THE_COMMAND)
    if arguments.command == "show":
        async with open_resources(settings, name="dams-tiles-command") as found:
            return await _show(arguments, found)
    if arguments.command == "export":
        async with open_resources(settings, name="dams-tiles-command") as found:
            return INTERRUPTED if (status := await _export_to(arguments, found, stop)) and stop.is_set() else status
    matrix_sets = arguments.matrix_set or (["WebMercatorQuad"] if arguments.command == "seed" else None)
    area = Area(matrix_sets, arguments.zoom, arguments.bbox)
    async with open_resources(settings, name="dams-tiles-command") as found:
        status = await _run(arguments, area, found, stop)
    return INTERRUPTED if stop.is_set() else status


async def _show(arguments: argparse.Namespace, found: Resources) -> int:
    collection, tms = found.catalogue.collection(arguments.collection), tile_matrix_set(arguments.matrix_set)
    return await show(found, collection, tms, arguments.tile, parameters=arguments.query, as_json=arguments.json)


async def _export_to(arguments: argparse.Namespace, found: Resources, stop: asyncio.Event) -> int:
    return await export(
        found,
        arguments.collections,
        arguments.zoom,
        arguments.bbox,
        arguments.output,
        most=arguments.max_tiles,
        concurrency=arguments.concurrency,
        stop=stop,
    )


async def _run(arguments: argparse.Namespace, area: Area, found: Resources, stop: asyncio.Event) -> int:
    collections = [found.catalogue.collection(name) for name in arguments.collections]
    if arguments.command == "seed":
        return await seed(found, collections, area, concurrency=arguments.concurrency, stop=stop)
    names = {collection.id for collection in collections}
    if arguments.command == "purge":
        return await purge(found, names, area, outdated=arguments.outdated, really=not arguments.dry_run, stop=stop)
    return await inspect(found, names, area, outdated=arguments.outdated, stop=stop)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return asyncio.run(run(parser().parse_args(arguments), os.environ))


if __name__ == "__main__":
    sys.exit(main())
