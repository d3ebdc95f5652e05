"""A publication counts the rows that lose their geometry."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deploy.publish.publication import Publication
from deploy.publish.service import Service
from deploy.publish.target import Target

COLLECTION = {"id": "own.places", "title": "Places", "links": []}
DOCUMENTS: dict[str, Any] = {
    "/changes?f=json": {"changes": [{"data": {"collectionId": "own.places", "version": "v1"}}]},
    "/collections?f=json&type=Table&limit=1000&offset=0": {"collections": [COLLECTION]},
    "/collections/own.places/changes?f=json": {"changes": [{"data": {"version": "v1"}}]},
    "/collections/own.places/schema?f=schemajson": {"properties": {}},
    "/stac": {"id": "dams", "title": "T", "description": "D"},
    "/stac/collections": {"collections": []},
}


class _Recorded(Service):
    """The responses of a service, with so many geometries omitted from an export."""

    def __init__(self, omitted: int) -> None:
        super().__init__("http://service")
        self._omitted = omitted

    def json(self, address: str) -> Any:
        return DOCUMENTS[address]

    def download(self, address: str, file: Path) -> Mapping[str, str]:
        pq.write_table(pa.table({"id": [1, 2, 3]}), file)
        return {"DAMS-Geometries-Omitted": str(self._omitted)} if self._omitted else {}


@pytest.mark.parametrize("omitted", [0, 2])
def test_rows_without_their_geometry_are_counted(tmp_path: Path, omitted: int) -> None:
    lines: list[str] = []
    done = Publication(_Recorded(omitted), Target(str(tmp_path)), None, lines.append).publish()
    manifest = orjson.loads((tmp_path / "versions" / str(done.version) / "manifest.json").read_bytes())
    assert manifest["collections"]["own.places"]["geometriesOmitted"] == omitted
    assert ("2 without their geometry" in lines[0]) is bool(omitted)
