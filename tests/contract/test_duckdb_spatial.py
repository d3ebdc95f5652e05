"""DuckDB's spatial extension reads GeoParquet, FlatGeobuf and GeoPackage with its own geometry type."""

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
import json, sys, duckdb
extensions, file = sys.argv[1:]
connection = duckdb.connect(config={"extension_directory": extensions, "autoinstall_known_extensions": "false"})
connection.load_extension("spatial")
read = connection.sql(f"FROM '{file}'" if file.endswith(".parquet") else f"FROM ST_Read('{file}')")
types = dict(zip(read.columns, map(str, read.types)))
box = read.filter("ST_Within(geom, ST_MakeEnvelope(-125, 32, -114, 42))")
print(json.dumps({
    "types": [types[name] for name in ("geom", "id", "magnitude", "tsunami")],
    "time": types["event_date"].split("_")[0],
    "places": {str(id_): place for id_, *place in read.project("id, ST_X(geom), ST_Y(geom)").fetchall()},
    "inside": sorted(id_ for (id_,) in box.project("id").fetchall()),
}))
"""


@pytest.mark.parametrize("format_", ["parquet", "fgb", "gpkg"])
def test_it_reads_files(api: Api, tmp_path: Path, format_: str) -> None:
    file = tmp_path / f"quakes.{format_}"
    file.write_bytes(api.get(f"/collections/{COLLECTION}/export", {"f": format_}).body)
    result = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(_PROGRAMS / "duckdb_ext" / "extensions"), str(file)],
        capture_output=True,
        text=True,
        check=False,
        # the extension needs the version of DuckDB beside it
        env={**os.environ, "PYTHONPATH": str(_PROGRAMS)},
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["types"] == ["GEOMETRY", "BIGINT", "DOUBLE", "BOOLEAN"]
    # FlatGeobuf has no zones, so GDAL returns its UTC times without one
    assert found["time"] == ("TIMESTAMP" if format_ == "fgb" else "TIMESTAMP WITH TIME ZONE")
    features = api.get(f"/collections/{COLLECTION}/items", {"limit": "10000", "f": "geojson"}).json()["features"]
    places = {str(each["id"]): each["geometry"]["coordinates"][:2] for each in features}
    assert len(places) > 1000
    assert {id_: pytest.approx(place) for id_, place in places.items()} == found["places"]
    inside = [int(id_) for id_, (x, y) in places.items() if -125 < x < -114 and 32 < y < 42]
    assert found["inside"] == sorted(inside) != []
