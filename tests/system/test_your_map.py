"""docs/your-map.md: a database that was not made for this service, checked, shown and improved as the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.local.settings import REPOSITORY
from tests.eventually import eventually_true
from tests.gateway.harness import free_port
from tests.running_stack import gateway_port, running

pytestmark = pytest.mark.system

_BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", (REPOSITORY / "docs/your-map.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


_DOCTOR = (sys.executable, "-m", "deploy.local", "doctor")


def blocks(language: str) -> list[str]:
    return [block for name, block in _BLOCKS if name == language]


def said_by(*command: str, **settings: str) -> list[str]:
    result = subprocess.run(
        command, cwd=REPOSITORY, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.splitlines()


def readable(file: Any) -> str:
    """Return the name of the file, with the example of the page."""
    file.write(blocks("yaml")[0])
    file.flush()
    Path(file.name).chmod(0o644)
    return str(file.name)


def get_json(address: str) -> Any:
    with urllib.request.urlopen(address, timeout=30) as response:  # noqa: S310 - the stack's own address
        return json.load(response)


async def test_the_tutorial_leads_to_the_map_that_it_shows(database_url: str, tmp_path: Path) -> None:
    example, improvement = blocks("sql")
    settings = {"DAMS_DATABASE_URL": database_url, "DAMS_COLLECTION_SCHEMAS": "public", "DAMS_SITE_TITLE": "The town"}
    # a stack of `make up` may have the usual port
    of_doctor = settings | {"DAMS_STATE_DIR": str(tmp_path), "DAMS_GATEWAY_PORT": str(free_port())}
    owner = await asyncpg.connect(database_url)
    await owner.execute(example)
    before = said_by(*_DOCTOR, **of_doctor)
    (said,) = blocks("text")
    assert set(said.splitlines()) <= set(before)
    await owner.execute(improvement)
    await owner.close()
    after = said_by(*_DOCTOR, **of_doctor)
    assert [line for line in said.splitlines() if line in after] == said.splitlines()[-1:]
    # pytest's folders are closed to the user of the services
    with (
        tempfile.NamedTemporaryFile("w", suffix=".yaml") as file,
        running("your-map", purge=True, **settings, DAMS_COLLECTIONS_CONFIG=readable(file)) as state_dir,
    ):
        address = f"http://127.0.0.1:{gateway_port(state_dir)}/api"
        eventually_true(lambda: len(get_json(f"{address}/collections")["collections"]) == 3)
        titles = {each["id"]: each["title"] for each in get_json(f"{address}/collections")["collections"]}
        assert titles == {"public.Schools": "Schools", "public.parcels": "Parcels", "public.streets": "Streets"}
        drawn = get_json(f"{address}/tiles/WebMercatorQuad/style.json")
        labels = {
            layer["id"]: layer["layout"]["text-field"][1][1]
            for layer in drawn["layers"]
            if layer["id"].endswith(":label") and layer["source"] == "dataset"
        }
        # streets first, schools last: they are drawn where there is no room for all
        assert list(labels.items()) == [
            ("public.streets:label", "name"),
            ("public.parcels:label", "parcel_no"),
            ("public.Schools:label", "SchoolName"),
        ]
        legends = [[item["label"] for item in entry["classes"]] for entry in drawn["metadata"]["dams:legend"]]
        assert legends == [["Feature"], ["homes", "shops", "park"], ["main", "side"]]
        (command,) = [block for block in blocks("sh") if block.startswith("curl")]
        script = command.replace("http://127.0.0.1:8080/api", address).replace("curl", "curl -sS --fail", 1)
        rows = said_by("bash", "-c", script)
        assert [row.split(",")[2:4] for row in rows[1:]] == [[f"School {n}", str(150 * n)] for n in (3, 4, 5)]
