"""A publication counts the rows that lose their geometry, and only one publisher writes to a target."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deploy.publish.lock import DEAD_AFTER, LOCK, LockedError, locked
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


def _files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_a_second_publisher_is_refused_and_writes_nothing(tmp_path: Path) -> None:
    target = Target(str(tmp_path))
    with locked(target):
        with pytest.raises(LockedError, match="is publishing there"):
            Publication(_Recorded(0), target, None, print).publish()
        assert _files(tmp_path) == {LOCK}
    Publication(_Recorded(0), target, None, print).publish()
    assert "catalog.json" in _files(tmp_path)
    assert LOCK not in _files(tmp_path)


def test_the_lock_of_a_dead_publisher_is_replaced(tmp_path: Path) -> None:
    busy = datetime.now(UTC) - DEAD_AFTER - timedelta(minutes=1)
    (tmp_path / LOCK).write_bytes(orjson.dumps({"owner": "dead", "busy": busy.isoformat()}))
    Publication(_Recorded(0), Target(str(tmp_path)), None, print).publish()
    assert "catalog.json" in _files(tmp_path)


def test_a_publisher_that_lost_its_lock_publishes_nothing(tmp_path: Path) -> None:
    class Slow(_Recorded):
        def download(self, address: str, file: Path) -> Mapping[str, str]:
            (tmp_path / LOCK).write_bytes(orjson.dumps({"owner": "other", "busy": datetime.now(UTC).isoformat()}))
            return super().download(address, file)

    with pytest.raises(LockedError, match="taken over"):
        Publication(Slow(0), Target(str(tmp_path)), None, print).publish()
    assert "catalog.json" not in _files(tmp_path)
    assert LOCK in _files(tmp_path)
