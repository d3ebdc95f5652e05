"""STAC clients search through the gateway, and the static catalogue has all items."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pystac
import pytest
from pystac_client import Client

from tests.monty import faults, validate
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system


def _search(base: str) -> None:
    client = Client.open(f"{base}/stac")
    assert {each.id for each in client.get_collections()} == {"dams-events", "dams-hazards", "dams-impacts"}
    wanted: dict[str, Any] = {"bbox": [-100, 0, 0, 60], "datetime": "2017-09-01/2017-09-30"}
    posted = list(client.search(collections=["dams-events"], limit=3, **wanted).items())
    given = list(client.search(collections=["dams-events"], limit=100, method="GET", **wanted).items())
    assert [item.id for item in posted] == [item.id for item in given]
    assert "AL112017" in [item.id for item in posted]
    assert len(posted) > 3
    for item in posted:
        assert faults(item.to_dict(transform_hrefs=False)) == []
    hazards = client.get_collection("dams-hazards")
    assert hazards is not None
    storm = hazards.get_item("AL112017")
    assert storm is not None
    assert storm.properties["monty:hazard_codes"][0] == "MH0306"
    validate(storm)


async def test_pystac_client_searches_and_pages(stack: RunningStack) -> None:
    await asyncio.to_thread(_search, stack.base_url)


def _all_ids(base: str) -> set[str]:
    # thousands: as JSON, because objects of pystac take most of a minute
    pages = Client.open(f"{base}/stac").search(collections=["dams-hazards"], limit=1000).pages_as_dicts()
    return {item["id"] for page in pages for item in page["features"]}


async def test_static_catalogue_has_all_items(stack: RunningStack, tmp_path: Path) -> None:
    target = tmp_path / "stac"
    target.mkdir()
    (target / "old.json").write_text("{}")
    command = [sys.executable, "-m", "deploy.publish", "stac", str(target), "--service", stack.base_url]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not (target / "old.json").exists()
    catalogue = pystac.Catalog.from_file(str(target / "catalog.json"))
    children = {child.id: child for child in catalogue.get_children()}
    assert {child.id for child in children.values()} == {"dams-events", "dams-hazards", "dams-impacts"}
    files = list((target / "dams-hazards").glob("*.json"))
    written = {
        document["id"] for file in files for document in [orjson.loads(file.read_bytes())] if file.stem != "collection"
    }
    assert written == await asyncio.to_thread(_all_ids, stack.base_url)
    links = children["dams-hazards"].get_item_links()
    assert {Path(link.get_absolute_href() or "") for link in links} == {
        file for file in files if file.stem != "collection"
    }
    for item in islice(children["dams-hazards"].get_items(), 20):
        validate(item)
        (event,) = [link for link in item.links if link.rel == "related"]
        assert pystac.Item.from_file(event.get_absolute_href() or "").id == item.id
