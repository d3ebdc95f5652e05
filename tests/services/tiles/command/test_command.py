"""The `tiles` command as an operator runs it, beside the running service.

A separate process costs a second and a half. Only the effects of a signal need one (and `make tiles`, in tests/system).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.local.settings import REPOSITORY
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.tiles_of_box import number_in
from libs.geo.zooms import IDS
from services.tiles.command.__main__ import parser, run
from services.tiles.command.area import Area
from tests.services.in_process import Services
from tests.services.tiles.cache import OwnRedis, keys, tier
from tests.services.tiles.conftest import Placed


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run of the command."""

    status: int
    out: str
    err: str


class Command:
    """Runs it with the settings of the services."""

    def __init__(self, placed: Placed, cached: Services, redis_url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.env = {
            **os.environ,
            **placed.env,
            "DAMS_REDIS_URL": redis_url,
            "DAMS_CATALOGUE_URL": cached["common"].base,
        }

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, "-m", "services.tiles.command", *arguments]
        return await asyncio.create_subprocess_exec(*command, cwd=REPOSITORY, env=self.env, stdout=pipe, stderr=pipe)

    async def __call__(self, *arguments: str) -> Outcome:
        self._capsys.readouterr()
        try:
            status = await run(parser().parse_args(arguments), self.env)
        except SystemExit as end:
            status = int(end.code or 0)
        return Outcome(status, *self._capsys.readouterr())


@pytest.fixture
def command(placed: Placed, cached: Services, own_redis: OwnRedis, capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(placed, cached, own_redis.url, capsys)


async def test_seeded_tiles_are_those_that_the_service_finds(
    command: Command, cached: Services, own_redis: OwnRedis
) -> None:
    first = await command("seed", "placed.points", "placed.lines", "--zoom", "0-2")
    assert (first.status, first.err) == (0, "")
    assert "42 tiles in" in first.out
    assert "42 made, 0 there already" in first.out
    assert "0 errors" in first.out
    for z in range(3):
        for x in range(2**z):
            for y in range(2**z):
                path = f"/collections/placed.points/tiles/WebMercatorQuad/{z}/{x}/{y}"
                assert tier(await cached["tiles"].get(path)) == "redis"
    again = await command("seed", "placed.points", "--zoom", "0-3")
    assert "64 made, 21 there already" in again.out
    sizes = [len(value) - 4 for key, value in (await keys(own_redis.url)).items() if b":t:" in key]
    shown = (await command("inspect")).out.splitlines()
    assert shown[-1].split() == ["all", "106", shown[-1].split()[2], "0", "0", f"{sum(sizes):,}"]


async def test_areas_and_matrix_sets(command: Command) -> None:
    across = ("--bbox", "170,-10,-170,10", "--matrix-set", "WorldCRS84Quad")
    seeded = await command("seed", "placed.points", "--zoom", "3", *across)
    # of 22.5 degrees each: one column on each side of the antimeridian, one row on each side of the equator
    assert "4 tiles in" in seeded.out
    inspected = (await command("inspect", "placed.points", "--zoom", "3", *across)).out.splitlines()
    assert inspected[1].split()[:4] == ["placed.points", "WorldCRS84Quad", "3", "4"]
    assert "0" in (await command("inspect", "--matrix-set", "WebMercatorQuad")).out.splitlines()[-1].split()[1]
    west = await command("inspect", "--zoom", "3", "--bbox", "-175,-10,-170,10", "--matrix-set", "WorldCRS84Quad")
    assert west.out.splitlines()[-1].split()[1] == "2"
    elsewhere = await command("purge", "--bbox", "10,10,20,20")
    assert elsewhere.out == "0 tiles forgotten\n"


async def test_purge_forgets_what_is_meant_and_nothing_else(command: Command, own_redis: OwnRedis) -> None:
    await command("seed", "placed.points", "placed.lines", "--zoom", "0-1")
    before = await keys(own_redis.url)
    assert len(before) == 10
    assert (await command("purge", "placed.points", "--zoom", "1", "--dry-run")).out == "4 tiles would be forgotten\n"
    assert await keys(own_redis.url) == before
    assert (await command("purge", "placed.points", "--zoom", "1")).out == "4 tiles forgotten\n"
    left = await keys(own_redis.url)
    assert len(left) == 6
    assert not [key for key in left if key.endswith(b":placed.points") and b":WebMercatorQuad:1:" in key]
    assert (await command("purge", "--outdated")).out == "0 tiles forgotten\n"
    async with own_redis.client() as client:
        await client.set("dams:tile:3:t:oldbuild:oldtoken:WebMercatorQuad:1:0:0::placed.points", b"\0\0\0\0\0\0\0\0")
    assert (await command("purge", "--outdated")).out == "1 tiles forgotten\n"
    assert await keys(own_redis.url) == left


async def test_an_interrupted_seed_keeps_what_it_made_and_goes_on(command: Command, own_redis: OwnRedis) -> None:
    process = await command.start("seed", "placed.polygons", "--zoom", "0-7", "--concurrency", "1")
    while len(await keys(own_redis.url)) < 20:
        assert process.returncode is None
        await asyncio.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = await asyncio.wait_for(process.communicate(), 10)
    assert process.returncode == 130, (out, err)
    assert out.startswith(b"interrupted; what was made is kept\n")
    assert b"Traceback" not in err
    cached_tiles = len(await keys(own_redis.url))
    again = await command("seed", "placed.polygons", "--zoom", "0-2")
    assert f"{21 - min(cached_tiles, 21)} made" in again.out


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["seed", "placed.nowhere"], 1, "There is no collection 'placed.nowhere'"),
        (["seed", "placed.points", "--zoom", "99"], 1, "has no tile matrix 99"),
        (["seed", "placed.points", "--zoom", "3-1"], 2, "the first zoom is greater"),
        (["seed", "placed.points", "--bbox", "1,2,3"], 2, "is not four numbers"),
        (["seed", "placed.points", "--bbox", "0,0,0,99"], 2, "is not within"),
        (["seed", "placed.points", "--concurrency", "0"], 2, "1 to 64"),
        (["seed", "placed.points", "--matrix-set", "Nowhere"], 2, "invalid choice"),
        (["seed"], 2, "required"),
        (["inspect", "--zoom", "a"], 2, "is not like"),
    ],
)
async def test_faults_are_reported_with_a_status(
    command: Command, arguments: list[str], status: int, message: str
) -> None:
    outcome = await command(*arguments)
    assert (outcome.status, outcome.out) == (status, "")
    assert message in outcome.err
    assert "Traceback" not in outcome.err


async def test_without_redis_there_is_nothing_to_fill(command: Command, own_redis: OwnRedis) -> None:
    await own_redis.stop()
    for arguments in (["seed", "placed.points"], ["inspect"], ["purge"]):
        outcome = await command(*arguments)
        assert outcome.status == 1
        assert "Error" in outcome.err
        assert "Traceback" not in outcome.err
    command.env["DAMS_REDIS_URL"] = ""
    assert "DAMS_REDIS_URL is not set" in (await command("inspect")).err
    del command.env["DAMS_DATABASE_URL"]
    assert (await command("inspect")).status == 2


async def test_the_stored_list_of_collections_is_the_services_own(command: Command, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    command.env["DAMS_STATE_DIR"] = str(state)
    assert (await command("show", "placed.points", "0/0/0")).status == 0
    assert not any(state.iterdir())


@pytest.mark.parametrize("identifier", IDS)
def test_an_area_is_the_same_set_of_tiles_seen_from_both_sides(identifier: str) -> None:
    tms = tile_matrix_set(identifier)
    area = Area([identifier], None, (170.0, -50.0, -170.0, 60.0))
    for z in sorted(tms.matrices)[:5]:
        chosen = list(area.tiles(tms, z, None))
        assert len(chosen) == len(set(chosen)) <= area.number(tms, z, None) <= 2 * number_in(tms.matrix(z), None)
        assert set(chosen) <= set(Area(None, None, None).tiles(tms, z, None))


async def test_show_tells_what_is_in_a_tile(command: Command, cached: Services) -> None:
    shown = await command("show", "placed.points", "0/0/0")
    assert (shown.status, shown.err) == (0, "")
    lines = shown.out.splitlines()
    assert lines[0].startswith("Tile 0/0/0 of ")
    document = await cached["tiles"].json("/collections/placed.points/tiles/WebMercatorQuad/0/0/0", f="json")
    (layer,) = document["layers"]
    assert lines[1] == f"{layer['featureCount']:,} features, 0 left out, 0 simplified"
    sizes = document["bytes"]
    assert lines[2] == f"{sizes['encoded']:,} bytes, {sizes['gzip']:,} as gzip, from postgis"
    kinds = f"{layer['featureCount']:,} × Point"
    assert f"layer placed.points: {kinds}; version 2, extent 4096" in lines
    assert any(re.match(r"name +string +[\d,]+ +points \d+ · points \d+ · ", line) for line in lines)
    # the service had it made for the page; now both find it
    again = await command("show", "placed.points", "0/0/0", "--json")
    known = json.loads(again.out)
    assert known["tier"] == "redis"
    assert known["layers"] == document["layers"]
    assert "links" not in known


async def test_show_takes_a_set_and_parameters(command: Command) -> None:
    chosen = await command("show", "placed.points", "0/0/0", "--query", "ids=1,2,3&properties=", "--json")
    (layer,) = json.loads(chosen.out)["layers"]
    assert sorted(feature["id"] for feature in layer["features"]) == [1, 2, 3]
    assert layer["properties"] == []
    polar = await command("show", "placed.points", "--matrix-set", "CDB1GlobalGrid", "--json", "--", "-10/190/42")
    assert json.loads(polar.out)["boundingBox"]["lowerLeft"] == [10, 47]
    empty = await command("show", "placed.points", "0/0/0", "--query", "ids=987654")
    assert "0 features, 0 left out" in empty.out


async def test_show_says_what_is_wrong(command: Command) -> None:
    for arguments, message in (
        (("nowhere.none", "0/0/0"), "nowhere.none"),
        (("placed.points", "0/1/0"), "there is no tile at column 1, row 0"),
        (("placed.points", "0/0/0", "--query", "limit=none"), "limit must be a whole number"),
        (("placed.points", "0/0/0", "--query", "colour=red"), "colour"),
    ):
        outcome = await command("show", *arguments)
        assert (outcome.status, outcome.out) == (1, "")
        assert message in outcome.err
    assert (await command("show", "placed.points", "0/0")).status == 2
