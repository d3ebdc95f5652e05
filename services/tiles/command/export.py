"""`tiles export`: tiles of an area as one PMTiles file, with a style that draws it."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm import tqdm

from libs.catalogue.chosen_collections import MOST, chosen_collections
from libs.catalogue.model import Collection
from libs.geo.boxes import Box
from libs.ogc.errors import DomainError, InvalidParameters
from services.tiles.archive.document import style, title
from services.tiles.archive.plan import Plan, plan
from services.tiles.archive.writing import Written, write_archive
from services.tiles.resources import Resources

MOST_TILES = 100_000
"""Default of the command's limit."""


async def export(
    resources: Resources,
    names: Sequence[str],
    zooms: range | None,
    bbox: Box | None,
    output: Path,
    *,
    most: int,
    concurrency: int,
    stop: asyncio.Event,
) -> int:
    """Export and return the exit status: 0, or 1 if the file cannot be written. Raises DomainError.

    `output` is replaced when the new file is complete. The style is written beside it.
    """
    wanted = plan(_find_collections(resources, names), zooms, bbox)
    number = wanted.number()
    if number > most:
        return _print_error(
            f"these are {number:,} tiles, more than {most:,}; take a smaller --bbox or fewer zooms (--zoom; now"
            f" {wanted.zooms[0]}-{wanted.zooms[-1]}), or raise --max-tiles"
        )
    part = output.with_name(f"{output.name}.{os.getpid()}.part")
    try:
        part.touch(exist_ok=False)
    except OSError as error:
        return _print_error(_unwritable(error))
    name = title(wanted.collections, resources.settings.site_title)
    writing = asyncio.create_task(_write(resources, wanted, part, name, concurrency=concurrency))
    try:
        written = await _unless(stop, writing)
        if written is None:
            print("interrupted; the tiles that were made are in the cache")  # noqa: T201
            return 1
        part.replace(output)
        beside = output.with_name(f"{output.name.removesuffix('.pmtiles')}.style.json")
        drawn = style(wanted, written.minzoom, written.maxzoom, name=name, file_name=output.name)
        beside.write_text(json.dumps(drawn, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        return _print_error(_unwritable(error))
    finally:
        part.unlink(missing_ok=True)
    _tell(written, output, beside)
    return 0


def _find_collections(resources: Resources, names: Sequence[str]) -> tuple[Collection, ...]:
    """Return the collections that the arguments name: ids, or several with commas between them.

    Raises InvalidParameters.
    """
    known = resources.catalogue.collections
    each = [part for name in names for part in ([name] if name in known else name.split(",")) if part]
    chosen, faults = chosen_collections(known, each, "")
    if faults:
        raise InvalidParameters(faults)
    if len(chosen.collections) > MOST:
        raise DomainError(f"these are {len(chosen.collections)} collections; a tile has {MOST} at the most")
    return chosen.collections


async def _write(resources: Resources, wanted: Plan, part: Path, name: str, *, concurrency: int) -> Written:
    with tqdm(total=wanted.number(), unit=" tiles", smoothing=0.05, disable=None) as bar, part.open("wb") as file:
        return await write_archive(
            resources.store,
            wanted,
            file,
            name=name,
            scratch=part.parent,
            max_features=resources.settings.tile_max_features,
            concurrency=concurrency,
            progress=bar.update,
        )


async def _unless(stop: asyncio.Event, writing: asyncio.Task[Written]) -> Written | None:
    """Return the result; None if it was stopped earlier."""
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({stopping, writing}, return_when=asyncio.FIRST_COMPLETED)
        if writing.done():
            return writing.result()
    finally:
        for task in (stopping, writing):
            task.cancel()
        await asyncio.gather(stopping, writing, return_exceptions=True)
    return None


def _tell(written: Written, output: Path, beside: Path) -> None:
    lines = [
        f"{output}: {written.tiles:,} tiles of the zooms {written.minzoom}-{written.maxzoom},"
        f" {output.stat().st_size:,} bytes; {written.made:,} made now, {written.empty:,} empty ones left out",
        f"{beside}: a style that draws it",
    ]
    if written.incomplete:
        lines.append(
            f"{written.incomplete:,} tiles lack features: DAMS_TILE_MAX_FEATURES or DAMS_TILE_MAX_BYTES left them out"
        )
    if written.changed:
        lines.append("The data changed meanwhile, so that tiles are of several states; exported again, they are of one")
    print("\n".join(lines))  # noqa: T201


def _unwritable(error: OSError) -> str:
    # a stack that root started runs its commands as the user of the services
    hint = "; the user of the services must be able to, as in /tmp" if isinstance(error, PermissionError) else ""
    return f"cannot write there: {error}{hint}"


def _print_error(sentence: str) -> int:
    print(f"tiles: {sentence}", file=sys.stderr)  # noqa: T201
    return 1
