"""Everything is published to a folder and to an S3 server: read without the service, incremental, with versions."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import duckdb
import geopandas
import pystac
import pytest
from obstore.store import S3Store
from pmtiles.reader import MmapSource, Reader

from deploy.local.ports import choose_ports
from tests.eventually import eventually_true
from tests.monty import faults
from tests.own_environment import own_program
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

_QUAKES, _GAUGES = "hazard.hazard_eq_events", "hazard.hazard_fl_glofas_gauges_forecast"
# a new version of the data with the same rows, so that other tests find what they expect
_CHANGE = "UPDATE hazard.hazard_fl_glofas_gauges_forecast SET source = source WHERE id = 1"
_IMPACTS = "dams-impacts"
_ONLY = ("--collection", _QUAKES, "--collection", _GAUGES, "--collection", _IMPACTS)


async def _execute(stack: RunningStack, statement: str) -> None:
    connection = await asyncpg.connect(stack.owner_url("dams"))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _publish(stack: RunningStack, target: str, *arguments: str, **environment: str) -> str:
    command = [sys.executable, "-m", "deploy.publish", "all", target, "--service", stack.base_url, *arguments]
    done = await asyncio.to_thread(
        subprocess.run,
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DAMS_STATE_DIR": str(stack.state_dir), **environment},
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def _files(folder: Path) -> dict[str, int]:
    return {str(file.relative_to(folder)): file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}


def _manifest(folder: Path) -> Any:
    version = json.loads((folder / "catalog.json").read_text())["dams:version"]
    return json.loads((folder / f"versions/{version}/manifest.json").read_text())


def _rows(folder: Path, entry: Any) -> int:
    files = [str(folder / part["path"]) for part in entry["parts"]]
    return len(duckdb.read_parquet(files))


async def test_a_folder_has_everything_and_changes_only_what_changed(stack: RunningStack, tmp_path: Path) -> None:
    target = tmp_path / "published"
    arguments = (*_ONLY, "--zoom", "0-1")
    await _publish(stack, str(target), *arguments)
    first = _manifest(target)
    collections = first["collections"]
    quakes = collections[_QUAKES]
    assert _rows(target, quakes) == sum(part["rows"] for part in quakes["parts"]) > 1000
    frame = geopandas.read_parquet(target / quakes["parts"][0]["path"])
    assert frame.crs.to_authority() == ("OGC", "CRS84")
    years = [part["path"].split("/")[-2] for part in quakes["parts"]]
    assert years == [f"year={year}" for year in sorted(frame_years(target, quakes))]
    with (target / quakes["tiles"]["path"]).open("rb") as file:
        assert len(Reader(MmapSource(file)).get(0, 0, 0)) > 100
    catalogue = pystac.Catalog.from_file(str(target / "catalog.json"))
    assert {child.id for child in catalogue.get_children()} == collections.keys()
    assert collections.keys() == {_QUAKES, _GAUGES, _IMPACTS}
    for child in catalogue.get_children():
        assert isinstance(child, pystac.Collection)
        for asset in child.assets.values():
            assert _exists(asset.get_absolute_href()), asset.href
    impacts = (target / collections[_IMPACTS]["items"]).read_text().splitlines()
    assert faults(json.loads(impacts[0])) == []

    before = _files(target)
    assert "nothing has changed" in await _publish(stack, str(target), *arguments)
    assert _files(target) == before

    await _execute(stack, _CHANGE)
    await asyncio.sleep(3)
    await _publish(stack, str(target), *arguments)
    second, after = _manifest(target), _files(target)
    assert {name for name in second["collections"] if second["collections"][name] != collections[name]} == {_GAUGES}
    assert _rows(target, second["collections"][_GAUGES]) == _rows(target, collections[_GAUGES])
    # what was there stays, and so does the version before
    assert {name for name in before if after.get(name) != before[name]} == {"catalog.json"}
    assert {name.split("/")[1] for name in after.keys() - before.keys() if name.startswith("data/")} == {_GAUGES}
    root = json.loads((target / "catalog.json").read_text())
    (previous,) = [link for link in root["links"] if link["rel"] == "predecessor-version"]
    assert pystac.Catalog.from_file(str(target / previous["href"])).extra_fields["dams:version"] == first["version"]


def frame_years(folder: Path, entry: Any) -> set[int]:
    """Return the years of the events in all files."""
    frames = [geopandas.read_parquet(folder / part["path"], columns=["event_date", "geom"]) for part in entry["parts"]]
    return {int(year) for frame in frames for year in frame["event_date"].dt.year}


def _exists(address: str | None) -> bool:
    if address is None:
        return False
    if address.startswith("http"):
        return _requested(address)
    return Path(address).exists()


def _requested(address: str, *arguments: str) -> bool:
    return subprocess.run(["curl", "-sf", "-o", "/dev/null", *arguments, address], check=False).returncode == 0


def _root(folder: Path) -> Any:
    return json.loads((folder / "catalog.json").read_text())


@pytest.fixture(scope="module")
def s3() -> Iterator[dict[str, str]]:
    """A server that speaks S3, with its address and a key as the variables that clients read."""
    program = own_program("s3", "moto_server")
    port = choose_ports(["s3"], {}, program.parent)["s3"]
    server = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stderr=subprocess.DEVNULL)
    try:
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_REGION": "us-east-1",
        }
    finally:
        server.terminate()
        server.wait()


def _listed(store: S3Store) -> dict[str, str | None]:
    return {each["path"]: each["e_tag"] for page in store.list() for each in page}


async def test_a_bucket_of_s3_has_all_collections_and_changes_only_what_changed(
    stack: RunningStack, s3: dict[str, str]
) -> None:
    endpoint = s3["AWS_ENDPOINT_URL"]
    eventually_true(lambda: _requested(f"{endpoint}/published", "-X", "PUT"), seconds=60)
    await _publish(stack, "s3://published/all", "--no-tiles", **s3)
    store = S3Store(
        "published",
        endpoint=endpoint,
        access_key_id="tests",
        secret_access_key="tests",
        region="us-east-1",
        client_options={"allow_http": True},
    )
    before = _listed(store)
    assert {"all/catalog.json", "all/lock.json"} & before.keys() == {"all/catalog.json"}
    assert len({path.split("/")[2] for path in before if path.startswith("all/data/")}) > 13
    await _execute(stack, _CHANGE)
    await asyncio.sleep(3)
    await _publish(stack, "s3://published/all", "--no-tiles", "--collection", _GAUGES, **s3)
    after = _listed(store)
    assert {path for path in before if after.get(path) != before[path]} == {"all/catalog.json"}
    assert {path.split("/")[2] for path in after.keys() - before.keys() if path.startswith("all/data/")} == {_GAUGES}
