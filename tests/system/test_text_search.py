"""The commands of docs/search.md, as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import mapbox_vector_tile
import orjson
import pytest

from tests.architecture.documents import page
from tests.running_stack import RunningStack

pytestmark = pytest.mark.system

ADDRESS = "http://127.0.0.1:8080/api"


@pytest.fixture
def run(stack: RunningStack, tmp_path: Path) -> Any:
    """Runs a command in an empty folder; returns its output, of JSON the value."""

    def run(command: str) -> Any:
        script = command.replace("curl", "curl -sS --fail", 1).replace(ADDRESS, stack.base_url)
        environment = {**os.environ, "B": f"{stack.base_url}/collections"}
        done = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{script}\n{done.stderr}"
        return orjson.loads(done.stdout) if done.stdout else None

    return run


def commands() -> list[str]:
    blocks = [fence.content for fence in page("docs/search.md").fences]
    assert blocks[0].startswith(f"B={ADDRESS}/collections\n")
    return [*blocks[0].splitlines()[1:], *blocks[1:]]


def test_each_command_finds_something(run: Any, tmp_path: Path) -> None:
    two_terms, forms, tile, facets, collections, posted = map(run, commands())
    assert two_terms["features"]
    assert all(re.search("taiwan|gulf of alaska", str(feature), re.IGNORECASE) for feature in two_terms["features"])
    assert "rain" in str(forms["features"]).casefold()
    assert tile is None
    [layer] = mapbox_vector_tile.decode((tmp_path / "taiwan.mvt").read_bytes()).values()
    assert 0 < len(layer["features"]) == facets["numberMatched"]
    assert facets["facets"]["country"]["buckets"]
    found = {entry["id"] for entry in collections["collections"]}
    assert found >= {"hazard.hazard_fl_events", "hazard.hazard_ts_events"}
    assert 0 < posted["numberMatched"] <= facets["numberMatched"]
