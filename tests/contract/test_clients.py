"""Independent clients read the service: GDAL and OWSLib."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from urllib.parse import unquote

import pytest
from owslib.ogcapi.features import Features

from tests.client_programs import command
from tests.contract.conftest import COLLECTION, Api

_NAME = re.compile(r"\d+: (\S+)")
"""A line of ogrinfo's list."""

pytestmark = pytest.mark.system


def _gdal(program: str, *arguments: str, stderr: bool = False) -> str:
    # addresses of the stack are local, even if the machine has a proxy
    environment = {**os.environ, "no_proxy": "127.0.0.1", "GDAL_PAM_ENABLED": "NO"}
    result = subprocess.run(command(program, *arguments), capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr
    assert "ERROR" not in result.stderr, result.stderr
    return result.stdout + result.stderr * stderr


def test_gdal_lists_the_collections(api: Api) -> None:
    listed = {entry["id"] for entry in api.get("/collections?limit=1000").json()["collections"]}
    shown = _gdal("ogrinfo", "-ro", "-q", f"OAPIF:{api.base}")
    assert {name[1] for line in shown.splitlines() if (name := _NAME.match(line))} >= listed


def test_gdal_follows_the_pages_to_the_end(api: Api) -> None:
    url = f"/collections/{COLLECTION}/items"
    expected = api.get(url, {"limit": "1"}, Accept="application/geo+json").json()["numberMatched"]
    assert expected > 1000
    text = _gdal("ogr2ogr", "-f", "GeoJSON", "/vsistdout/", f"OAPIF:{api.base}", COLLECTION, "-oo", "PAGE_SIZE=300")
    features = json.loads(text)["features"]
    assert len(features) == expected
    assert len({feature["properties"].get("event_id", feature.get("id")) for feature in features}) == expected


def test_gdal_leaves_what_it_can_to_the_service(api: Api) -> None:
    items = f"/collections/{COLLECTION}/items"
    value = api.get(items, {"limit": "1"}, Accept="application/geo+json").json()["features"][0]["properties"]["title"]
    address = ("--debug", "HTTP", "-q", f"OAPIF:{api.base}", COLLECTION)
    shown = _gdal("ogrinfo", *address, "-where", f"title = '{value}' AND place IS NOT NULL", stderr=True)
    assert f"title (String) = {value}" in shown
    asked = [unquote(line) for line in shown.splitlines() if "HTTP: Fetch" in line and "/items" in line]
    # the first request explores the layer
    assert any(f"title={value}" in address for address in asked), asked


def test_gdal_filters_a_second_time_column_itself_below_not(api: Api) -> None:
    """A plain comparison of any time becomes `datetime`, which is about the first: what docs/clients.md says."""
    moment, column = "2018-02-05T12:30:00Z", "updated"
    filtered = api.get(
        f"/collections/{COLLECTION}/items",
        {"filter": f"{column} >= TIMESTAMP('{moment}')", "limit": "0", "f": "geojson"},
    )
    expected = filtered.json()["numberMatched"]

    def count(where: str) -> int:
        address = ("-ro", "-so", f"OAPIF:{api.base}", COLLECTION, "-oo", "PAGE_SIZE=10000")
        found = re.search(r"Feature Count: (\d+)", _gdal("ogrinfo", *address, "-where", where))
        assert found
        return int(found[1])

    assert count(f"NOT ({column} < '{moment}')") == expected > 0
    assert count(f"{column} >= '{moment}'") != expected


def test_the_gdal_of_pyogrio_leaves_it_to_the_service_too(api: Api) -> None:
    title = api.get(f"/collections/{COLLECTION}/items", {"limit": "1"}).json()["features"][0]["properties"]["title"]
    script = "import sys, pyogrio; print(len(pyogrio.raw.read(sys.argv[1], layer=sys.argv[2], where=sys.argv[3])[2]))"
    result = subprocess.run(
        [sys.executable, "-c", script, f"OAPIF:{api.base}", COLLECTION, f"title = '{title}' AND place IS NOT NULL"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "no_proxy": "127.0.0.1", "CPL_DEBUG": "HTTP"},
    )
    assert (result.returncode, result.stdout.strip()) == (0, "1"), result.stderr
    assert f"title={title}" in unquote(result.stderr), result.stderr


def test_gdal_takes_types_from_the_schema_of_a_feature(api: Api) -> None:
    """Also of columns that are null on the first page, which are text to GDAL otherwise."""
    script = (
        "import json, pyogrio, sys; found = pyogrio.read_info(sys.argv[1], layer=sys.argv[2]);"
        "print(json.dumps(dict(zip(map(str, found['fields']), found['ogr_types']))))"
    )
    kinds = {
        **{"number": "OFTReal", "boolean": "OFTInteger", "string": "OFTString"},
        **{"date-time": "OFTDateTime", "date": "OFTDate"},
    }
    checked = 0
    for collection in ("hazard.hazard_ts_nodes", "hazard.hazard_fl_alerts", COLLECTION):
        columns = api.get(f"/collections/{collection}/schema/feature").json()["properties"]["properties"]["properties"]
        found = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script, f"OAPIF:{api.base}", collection],
            check=True,
            capture_output=True,
            text=True,
        )
        types = json.loads(found.stdout)
        for name, column in columns.items():
            expected = kinds.get(column.get("format"), kinds.get(str(column.get("type"))))
            if expected is not None:
                assert types[name] == expected, (collection, name, types[name])
                checked += column["type"] == "number"
    assert checked > 5


def test_gdal_reads_a_vector_tile(api: Api) -> None:
    tile = f"MVT:{api.base}/collections/{COLLECTION}/tiles/WebMercatorQuad/0/0/0?limit=500"
    shown = json.loads(_gdal("ogr2ogr", "-f", "GeoJSON", "/vsistdout/", tile, "-oo", "X=0", "-oo", "Y=0", "-oo", "Z=0"))
    assert len(shown["features"]) == 500


def test_owslib_reads_the_features(api: Api) -> None:
    client = Features(f"{api.base}/")
    assert COLLECTION in client.feature_collections()
    assert client.conformance()["conformsTo"]
    first = client.collection_items(COLLECTION, limit=20)
    second = client.collection_items(COLLECTION, limit=20, offset=20)
    assert first["numberReturned"] == second["numberReturned"] == 20
    assert not {f["id"] for f in first["features"]} & {f["id"] for f in second["features"]}
    item = client.collection_item(COLLECTION, str(first["features"][0]["id"]))
    assert item["id"] == first["features"][0]["id"]
    assert client.collection_queryables(COLLECTION)["properties"]
