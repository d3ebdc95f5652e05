"""The Python client that openapi-generator makes from the published document reads the service, with types."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.contract.conftest import COLLECTION, Api

pytestmark = [pytest.mark.system, pytest.mark.slow, pytest.mark.clients]

PACKAGE = "openapi_generator_dams_client"
_PROGRAMS = Path(__file__).parents[2] / ".local" / "clients"


@pytest.fixture(scope="module")
def generated(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The generated package, imported."""
    folder = tmp_path_factory.mktemp("openapi-generator")
    (folder / "openapi.json").write_text(json.dumps(api.document))
    (jar,) = _PROGRAMS.glob("**/openapi-generator.jar")
    command = ["java", "-jar", str(jar), "generate", "-g", "python", "-i", "openapi.json", "-o", "client"]
    result = subprocess.run(
        [*command, f"--additional-properties=packageName={PACKAGE}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    sys.path.insert(0, str(folder / "client"))
    yield importlib.import_module(PACKAGE)
    sys.path.remove(str(folder / "client"))


def test_it_reads(generated: ModuleType, api: Api) -> None:
    client = generated.ApiClient(generated.Configuration(host=api.base))
    features, tiles = generated.OGCFeaturesAPIApi(client), generated.OGCTilesAPIApi(client)

    page = features.get_items(COLLECTION, bbox=[-180, 0, 0, 90], network="us", limit=5)
    assert isinstance(page, generated.Items)
    assert len(page.features) == 5
    for feature in page.features:
        longitude, latitude = feature.geometry.actual_instance.coordinates
        assert longitude <= 0 <= latitude
        assert feature.properties["network"] == "us"
    one = features.get_item(COLLECTION, str(page.features[0].id.actual_instance))
    assert one.properties == page.features[0].properties
    with pytest.raises(generated.ApiException) as raised:
        features.get_items(COLLECTION, filter="(")
    assert (raised.value.status, raised.value.data.detail[0].loc) == (422, ["query", "filter"])

    # each requests the one media type that it can read
    place = (COLLECTION, "WebMercatorQuad")
    assert len(tiles.dams_collection_vector_get_tile(*place, 0, 0, 0, bbox=[-180, 0, 0, 90], network="us")) > 100
    assert tiles.dams_collection_vector_get_tile_json(*place).tiles
    assert tiles.dams_collection_vector_get_style(*place).layers
    assert tiles.dams_collection_vector_get_tile_set(*place).links
    collections = generated.OGCCommonApi(client).get_collections(bbox=[-180, -90, 180, 90]).collections
    assert COLLECTION in [collection.id for collection in collections]
