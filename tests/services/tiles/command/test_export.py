"""`tiles export`: what other programs read in the file are the tiles of the service."""

from __future__ import annotations

import asyncio
import json
import signal
import zlib
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import pyogrio
import pytest
from pmtiles.reader import MmapSource, Reader, all_tiles
from pmtiles.tile import Compression, TileType

from tests.eventually import eventually
from tests.services.in_process import Client, Services
from tests.services.tiles.command.test_command import Command, command  # noqa: F401 a fixture

NAMES = "placed.points,placed.polygons"
Place = tuple[int, int, int]


def read(file: Path) -> tuple[dict[str, Any], dict[str, Any], dict[Place, bytes]]:
    """Header, metadata and tiles."""
    with file.open("rb") as opened:
        source = MmapSource(opened)
        reader = Reader(source)
        return dict(reader.header()), reader.metadata(), dict(all_tiles(source))


def names_in(folder: Path) -> set[str]:
    """Return the names of the files."""
    return {path.name for path in folder.iterdir()}


async def of_service(tiles: Client, place: Place, collections: str = NAMES) -> bytes:
    address = "/tiles/WebMercatorQuad/" + "/".join(map(str, place))
    answer = await tiles.get(address, {"collections": collections})
    assert answer.status == 200, answer.body
    return answer.body


async def test_an_archive_has_the_tiles_of_the_service(command: Command, cached: Services, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "field kit.pmtiles"
    done = await command("export", NAMES, "--zoom", "1-5", "--bbox", "-20,-30,60,40", "--output", str(file))
    assert (done.status, done.err) == (0, ""), done
    header, metadata, tiles = read(file)
    wanted = [(z, x, y) for z in range(1, 6) for x in range(2**z) for y in range(2**z) if meets(z, x, y)]
    own = {place: await of_service(cached["tiles"], place) for place in wanted}
    assert {place: zlib.decompress(tile, 31) for place, tile in tiles.items()} == {k: v for k, v in own.items() if v}
    assert 0 < len(tiles) < len(wanted)
    assert f"{len(wanted) - len(tiles)} empty ones left out" in done.out
    assert (header["tile_type"], header["tile_compression"]) == (TileType.MVT, Compression.GZIP)
    assert header["clustered"]
    assert [header[name] / 1e7 for name in ("min_lon_e7", "min_lat_e7", "max_lon_e7", "max_lat_e7")] == [
        -20,
        -30,
        60,
        40,
    ]
    assert (header["center_lon_e7"], header["center_lat_e7"]) == (20 * 10**7, 5 * 10**7)
    assert (header["min_zoom"], header["max_zoom"], header["center_zoom"]) == (1, 5, 1)
    tilejson = await cached["tiles"].json("/tiles/WebMercatorQuad/tilejson.json", collections=NAMES)
    assert [layer["id"] for layer in metadata["vector_layers"]] == NAMES.split(",")
    assert [each["fields"] for each in metadata["vector_layers"]] == [
        each["fields"] for each in tilejson["vector_layers"]
    ]
    assert metadata["name"] == tilejson["name"]
    assert {"field kit.pmtiles", "field kit.style.json"} <= names_in(tmp_path)
    assert not [name for name in names_in(tmp_path) if name.endswith(".part")]


def meets(z: int, x: int, y: int) -> bool:
    """Return whether a tile meets 20°W to 60°E, 30°S to 40°N. The latitudes of rows were computed by hand."""
    # of 2^z rows, the 40th parallel north and the 30th south are at these shares from the top
    top, bottom = 0.378558, 0.587428
    return int((160 / 360) * 2**z) <= x <= int((240 / 360) * 2**z) and int(top * 2**z) <= y <= int(bottom * 2**z)


async def test_what_is_cached_is_not_made_again(command: Command, tmp_path: Path) -> None:  # noqa: F811
    where = ("--zoom", "0-3", "--output", str(tmp_path / "a.pmtiles"))
    assert (await command("seed", "placed.points", "placed.lines", "--zoom", "0-3")).status == 0
    assert "; 0 made now" in (await command("export", "placed.points", "placed.lines", *where)).out


async def test_the_style_draws_the_layers_that_are_there(command: Command, tmp_path: Path) -> None:  # noqa: F811
    await command("export", NAMES, "--zoom", "0-2", "--output", str(tmp_path / "a b.pmtiles"))
    style = json.loads((tmp_path / "a b.style.json").read_text())
    assert style["sources"] == {"dataset": {"type": "vector", "url": "pmtiles://a%20b.pmtiles"}}
    # nothing that needs a server
    assert "http" not in json.dumps(style)
    assert not {"glyphs", "sprite", "font-faces"} & style.keys()
    _, _, tiles = read(tmp_path / "a b.pmtiles")
    inside = {name for tile in tiles.values() for name in mapbox_vector_tile.decode(zlib.decompress(tile, 31))}
    assert {layer["source-layer"] for layer in style["layers"] if layer["type"] != "background"} == inside
    assert inside == set(NAMES.split(","))


async def test_gdal_reads_it(command: Command, cached: Services, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "a.pmtiles"
    await command("export", "placed.polygons", "--zoom", "0-2", "--output", str(file))
    assert [name for name, _ in pyogrio.list_layers(file)] == ["placed.polygons"]
    own = {
        feature["properties"]["name"]
        for x in range(4)
        for y in range(4)
        for layer in mapbox_vector_tile.decode(await of_service(cached["tiles"], (2, x, y), "placed.polygons")).values()
        for feature in layer["features"]
    }
    _, _, _, (names,) = pyogrio.raw.read(file, columns=["name"])
    # of the last zoom
    assert set(names) == own
    assert len(own) > 20


async def test_one_that_is_interrupted_leaves_nothing(command: Command, tmp_path: Path) -> None:  # noqa: F811
    output = ("--output", str(tmp_path / "a.pmtiles"))
    process = await command.start("export", "placed.polygons", "--zoom", "0-8", *output)

    async def begins() -> None:
        assert names_in(tmp_path) & {f"a.pmtiles.{process.pid}.part"}

    await eventually(begins)
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), 10)
    assert (process.returncode, b"Traceback" in err) == (130, False), (out, err)
    assert out == b"interrupted; the tiles that were made are in the cache\n"
    assert not {name for name in names_in(tmp_path) if name.startswith("a.")}


async def test_across_the_antimeridian(command: Command, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "a.pmtiles"
    done = await command("export", "placed.points", "--zoom", "3", "--bbox", "170,-10,-170,10", "--output", str(file))
    assert done.status == 0
    header, _, tiles = read(file)
    assert set(tiles) == {(3, x, y) for x in (0, 7) for y in (3, 4)}
    # readers want west below east
    assert (header["min_lon_e7"], header["max_lon_e7"]) == (-180 * 10**7, 180 * 10**7)
    assert abs(header["center_lon_e7"]) == 180 * 10**7


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["placed.pionts"], 1, "did you mean placed.points"),
        (["placed.points", "--zoom", "0-9"], 1, "these are 349,525 tiles, more than 100,000"),
        (["placed.points", "--zoom", "2", "--max-tiles", "15"], 1, "these are 16 tiles, more than 15"),
        (["placed.points", "--zoom", "25"], 1, "has no tile matrix 25"),
        (["placed.points", "--zoom", "8", "--bbox", "41.5,-47.5,41.6,-47.4"], 1, "All of these tiles are empty"),
        (["placed.points", "--matrix-set", "WorldCRS84Quad"], 2, "no tile matrix set but WebMercatorQuad"),
        (["placed.points", "--max-tiles", "0"], 2, "whole number above 0"),
    ],
)
async def test_what_cannot_be_exported(
    command: Command,  # noqa: F811
    tmp_path: Path,
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    (tmp_path / "a.pmtiles").write_text("what was there")
    outcome = await command("export", *arguments, "--output", str(tmp_path / "a.pmtiles"))
    assert (outcome.status, outcome.out) == (status, "")
    assert message in outcome.err
    assert (tmp_path / "a.pmtiles").read_text() == "what was there"
    assert names_in(tmp_path) & {"a.style.json"} == set()
    assert not [name for name in names_in(tmp_path) if name.endswith(".part")]


async def test_where_it_cannot_be_written(command: Command, tmp_path: Path) -> None:  # noqa: F811
    nowhere = await command("export", "placed.points", "--output", str(tmp_path / "none" / "a.pmtiles"), "--zoom", "0")
    assert nowhere.status == 1
    assert "cannot write there" in nowhere.err
    named = await command("export", "placed.points", "--output", str(tmp_path / "a.mbtiles"))
    assert (named.status, "does not end with .pmtiles" in named.err) == (2, True)
