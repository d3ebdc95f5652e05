"""geopandas reads GeoParquet with pyarrow, which is 150 MB: a whole file, and a box by the boxes of its rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.clients]

_PROGRAMS = Path(__file__).parents[2] / ".local" / "clients"
_SCRIPT = """
import json, sys, geopandas
quakes = geopandas.read_parquet(sys.argv[1])
inside = geopandas.read_parquet(sys.argv[1], bbox=(-125, 32, -114, 42))
columns = ["id", "event_id", "magnitude", "tsunami", "event_date"]
print(json.dumps({
    "crs": quakes.crs.to_authority(),
    "kinds": [quakes[name].dtype.kind for name in columns],
    "zone": str(quakes["event_date"].dt.tz),
    "magnitude": float(quakes["magnitude"].sum()),
    "places": {str(id_): [shape.x, shape.y] for id_, shape in zip(quakes["id"], quakes.geometry)},
    "inside": sorted(map(int, inside["id"])),
}))
"""


def test_geopandas_reads_geoparquet(api: Api, tmp_path: Path) -> None:
    file = tmp_path / "quakes.parquet"
    file.write_bytes(api.get(f"/collections/{COLLECTION}/export", {"f": "parquet"}).body)
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(file)],
        capture_output=True,
        text=True,
        check=False,
        # only pyarrow comes from there
        env={**os.environ, "PYTHONPATH": str(_PROGRAMS)},
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    features = api.get(f"/collections/{COLLECTION}/items", {"limit": "10000", "f": "geojson"}).json()["features"]
    # CRS84: longitude first
    assert (found["crs"], found["zone"]) == (["OGC", "CRS84"], "UTC")
    assert found["kinds"] in (["i", "O", "f", "b", "M"], ["i", "O", "f", "O", "M"]), found["kinds"]
    assert found["magnitude"] == pytest.approx(sum(each["properties"]["magnitude"] or 0 for each in features))
    places = {str(each["id"]): each["geometry"]["coordinates"][:2] for each in features}
    assert len(places) > 1000
    assert {id_: pytest.approx(place) for id_, place in places.items()} == found["places"]
    inside = [int(id_) for id_, (x, y) in places.items() if -125 <= x <= -114 and 32 <= y <= 42]
    assert found["inside"] == sorted(inside) != []
