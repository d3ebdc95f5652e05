"""Writing an archive: its tiles in order, in bounded memory, and what it reports."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

import pytest
from pmtiles.reader import MmapSource, Reader, all_tiles

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.ogc.errors import NotFound, Unavailable
from services.tiles.archive.plan import plan
from services.tiles.archive.writing import Written, write_archive
from services.tiles.request.tile_request import TileRequest
from services.tiles.store.tile_store import Tile, TileStore

WORLD = (-180.0, -90.0, 180.0, 90.0)
PLACES = Collection(
    "s.a",
    "s",
    "a",
    1,
    "table",
    "A",
    None,
    (Column("id", "integer", "integer"),),
    (GeometryColumn("geom", "Point", 4326, bbox=WORLD),),
)


class Known:
    """A store whose tiles hold their place; those of zoom 0 and of the last column are empty."""

    def __init__(self) -> None:
        self.states = ["1"]
        self.under_way = self.most = self.asked = 0
        self.lacking: tuple[int, int, int] | None = None
        self.stuck = False

    def label(self, _: object) -> str:
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]

    def key(self, _: TileRequest) -> str:
        return "key"

    async def tile(self, request: TileRequest, _: str, turns: asyncio.Semaphore, *, lasting: bool = False) -> Tile:
        assert not lasting
        assert request.limit == 77
        place = request.z, request.x, request.y
        async with turns:
            self.asked += 1
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            # the later ones are ready first
            await asyncio.sleep(0.002 if request.x == 0 else 0)
            self.under_way -= 1
        if place == self.lacking:
            raise Unavailable("busy", retry_after=7)
        if self.stuck:
            await asyncio.Event().wait()
        if request.z == 0 or request.x == 2**request.z - 1:
            return Tile(b"", "redis", nothing_near=True)
        made = request.y == 0
        return Tile(repr(place).encode(), "postgis" if made else "redis", left_out=request.y)


def names_in(folder: Path) -> set[str]:
    """Return the names of the files."""
    return {path.name for path in folder.iterdir()}


async def _write(store: Known, folder: Path, zooms: range, *, concurrency: int = 2) -> tuple[Written, int]:
    wanted, done = plan([PLACES], zooms, WORLD), 0

    def progress() -> None:
        nonlocal done
        done += 1

    with (folder / "a.pmtiles").open("wb") as file:
        written = await write_archive(
            cast("TileStore", store),
            wanted,
            file,
            name="Kit",
            scratch=folder,
            max_features=77,
            concurrency=concurrency,
            progress=progress,
        )
    return written, done


async def test_the_tiles_are_in_their_places_and_are_counted(tmp_path: Path) -> None:
    store = Known()
    written, done = await _write(store, tmp_path, range(4), concurrency=3)
    with (tmp_path / "a.pmtiles").open("rb") as file:
        source = MmapSource(file)
        metadata, tiles = Reader(source).metadata(), dict(all_tiles(source))
    wanted = {(z, x, y) for z in (1, 2, 3) for x in range(2**z - 1) for y in range(2**z)}
    assert tiles == {place: repr(place).encode() for place in wanted}
    assert (written.tiles, written.empty, done) == (len(wanted), 1 + 2 + 4 + 8, 85)
    # `made` counts the tiles of the first row, `incomplete` those of the other rows, each of which omits features
    assert written.made == sum(y == 0 for _, _, y in wanted)
    assert written.incomplete == sum(y > 0 for _, _, y in wanted)
    # the first zoom that has tiles
    assert (written.minzoom, written.maxzoom, written.changed) == (1, 3, False)
    assert metadata["vector_layers"][0]["minzoom"] == 1
    assert metadata["vector_layers"][0]["dams:version"] == "1"
    assert store.most == 3
    assert names_in(tmp_path) == {"a.pmtiles"}


async def test_it_says_whether_the_data_changed_meanwhile(tmp_path: Path) -> None:
    store = Known()
    store.states = ["1", "2"]
    written, _ = await _write(store, tmp_path, range(2))
    assert written.changed


async def test_one_that_cannot_be_had_is_named_and_the_others_are_given_up(tmp_path: Path) -> None:
    store = Known()
    store.lacking = (3, 1, 1)
    with pytest.raises(Unavailable, match=r"^Tile 3/1/1: .*busy") as raised:
        await _write(store, tmp_path, range(3, 7))
    assert raised.value.retry_after == 7
    # no more than a few are ahead of the file
    assert store.asked < 30


async def test_who_gives_up_does_not_wait_for_what_is_under_way(tmp_path: Path) -> None:
    store = Known()
    store.lacking, store.stuck = (3, 0, 0), True
    async with asyncio.timeout(20):
        with pytest.raises(Unavailable, match=r"^Tile 3/0/0"):
            await _write(store, tmp_path, range(3, 4), concurrency=8)
    assert store.asked > 1


async def test_an_archive_of_nothing_is_none(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="All of these tiles are empty"):
        await _write(Known(), tmp_path, range(1))
