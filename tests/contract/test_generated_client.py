"""A Python client generated from the published document reads the service, with types."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

PACKAGE = "generated_dams_client"
# the generator knows few media types by name and needs a list of others that are bytes or text
BYTES = ("vnd.mapbox-vector-tile", "flatgeobuf", "vnd.apache.parquet", "geopackage+sqlite3", "zip")
CONFIG = {
    "post_hooks": [],
    "content_type_overrides": {
        **{f"application/{name}": "application/octet-stream" for name in BYTES},
        "application/atom+xml": "text/xml",
        "application/cap+xml": "text/xml",
        "image/svg+xml": "text/xml",
        "image/tiff": "application/octet-stream",
        "text/event-stream": "text/plain",
    },
}


@pytest.fixture(scope="module")
def generated(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield the folder of the generated package, on the import path."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(api.document))
    (folder / "config.json").write_text(json.dumps(CONFIG))
    result = subprocess.run(
        [
            *(sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"),
            *("--path", "openapi.json", "--config", "config.json", "--output-path", PACKAGE),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        # wide, or wrapped warnings are unreadable
        env={**os.environ, "COLUMNS": "200"},
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "warning" not in (result.stdout + result.stderr).lower(), result.stdout
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def client(generated: Path, api: Api) -> Iterator[Any]:
    """Return a client of the running service."""
    module = importlib.import_module(f"{PACKAGE}.client")
    with module.Client(base_url=api.base, raise_on_unexpected_status=True) as made:
        yield made


def _operation(tag: str, name: str) -> ModuleType:
    return importlib.import_module(f"{PACKAGE}.api.{tag}.{name}")


def _model(name: str) -> Any:
    return getattr(importlib.import_module(f"{PACKAGE}.models"), name)


def test_a_client_that_was_told_nothing_reads_tiles(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It knows no vector tiles, and reads what comes as the first type that it knows."""
    (tmp_path / "openapi.json").write_text(json.dumps(api.document))
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--path", "openapi.json"]
    subprocess.run([*command, "--output-path", "plain_dams_client"], cwd=tmp_path, check=True, capture_output=True)
    monkeypatch.syspath_prepend(tmp_path)
    tile = importlib.import_module("plain_dams_client.api.ogc_tiles_api.dams_collection_vector_get_tile")
    sets = importlib.import_module("plain_dams_client.models").DamsCollectionVectorGetTileTileMatrixSetId
    with importlib.import_module("plain_dams_client.client").Client(base_url=api.base) as client:
        found = tile.sync_detailed(COLLECTION, sets.WEBMERCATORQUAD, 0, 0, 0, client=client)
    assert found.status_code == 200
    assert len(found.content) > 100


def test_there_is_a_function_for_every_operation(generated: Path, api: Api) -> None:
    modules = [file for file in (generated / PACKAGE / "api").glob("*/*.py") if file.name != "__init__.py"]
    assert len(modules) == sum(len(item.keys() & {"get", "post"}) for item in api.document["paths"].values())


def test_it_lists_the_collections(client: Any) -> None:
    answer = _operation("ogc_common", "get_collections").sync(client=client)
    assert isinstance(answer, _model("Collections"))
    found = {entry.id: entry for entry in answer.collections}
    assert answer.number_matched == len(found)
    assert all(isinstance(entry, _model("Collection")) for entry in answer.collections)
    assert found[COLLECTION].extent.spatial.bbox[0][0] < -100
    assert {"self", "items"} <= {link.rel for link in found[COLLECTION].links}


def test_it_lists_features(client: Any) -> None:
    answer = _operation("ogc_features_api", "get_items").sync(
        COLLECTION, client=client, limit=5, filter_="magnitude > 5", sortby=["-magnitude"]
    )
    assert isinstance(answer, _model("Items"))
    assert answer.number_returned == len(answer.features) == 5
    magnitudes = [feature.properties["magnitude"] for feature in answer.features]
    assert magnitudes == sorted(magnitudes, reverse=True)
    for feature in answer.features:
        assert isinstance(feature, _model("Item"))
        assert isinstance(feature.geometry, _model("Point"))
        assert len(feature.geometry.coordinates) == 2
    assert {"next", "self"} <= {link.rel for link in answer.links}
    first = answer.features[0]
    one = _operation("ogc_features_api", "get_item").sync(COLLECTION, str(first.id), client=client)
    assert one.geometry == first.geometry


def test_a_property_is_a_parameter(client: Any) -> None:
    answer = _operation("ogc_features_api", "get_items").sync(COLLECTION, client=client, network="us")
    assert {feature.properties["network"] for feature in answer.features} == {"us"}
    tile = _operation("ogc_tiles_api", "dams_collection_vector_get_tile")
    matrix_set = _model("DamsCollectionVectorGetTileTileMatrixSetId").WEBMERCATORQUAD
    place = (COLLECTION, matrix_set, 0, 0, 0)
    assert tile.sync_detailed(*place, client=client, network="nowhere").content == b""
    assert tile.sync_detailed(*place, client=client, network="us").content


def test_a_box_is_a_list_of_numbers(client: Any) -> None:
    answer = _operation("ogc_features_api", "get_items").sync(
        COLLECTION, client=client, bbox=[-180, 0, 0, 90], limit=50
    )
    assert answer.features
    for feature in answer.features:
        longitude, latitude = feature.geometry.coordinates
        assert longitude <= 0 <= latitude


def test_faults_are_typed(client: Any) -> None:
    answer = _operation("ogc_features_api", "get_items").sync(COLLECTION, client=client, filter_="(")
    assert isinstance(answer, _model("HTTPValidationError"))
    assert answer.detail[0].loc == ["query", "filter"]
    missing = _operation("ogc_common", "get_collection").sync("no.such", client=client)
    assert isinstance(missing, _model("Error"))


def test_it_reads_tilesets(client: Any) -> None:
    matrix_set = _model("DamsCollectionVectorGetTileSetTileMatrixSetId").WEBMERCATORQUAD
    answer = _operation("ogc_tiles_api", "dams_collection_vector_get_tile_set").sync(
        COLLECTION, matrix_set, client=client
    )
    assert isinstance(answer, _model("TileSet"))
    assert answer.links
