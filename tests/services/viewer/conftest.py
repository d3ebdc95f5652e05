"""The built viewer, and the service with a catalogue made for these tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import orjson
import pytest
from aiohttp.test_utils import TestClient, TestServer

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from services.viewer.app import make

HOSTILE = '</script><script>alert(1)</script> & "quoted" <b>'


def collection(identifier: str, **fields: object) -> Collection:
    """A collection of points with a time column."""
    schema, _, name = identifier.partition(".")
    values: dict[str, object] = {
        "oid": 1,
        "kind": "table",
        "title": name,
        "description": None,
        "columns": (Column("event_id", "text", "string"), Column("magnitude", "double precision", "number")),
        "geometries": (GeometryColumn("geom", "Point", 4326, bbox=(-10.0, -20.0, 30.0, 40.0)),),
        "times": (TimeColumn("empty", "timestamptz"), TimeColumn("at", "timestamptz", "2020-01-01", "2020-02-01")),
    }
    return Collection(id=identifier, schema=schema, name=name, **{**values, **fields})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
async def client(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[TestClient]:  # type: ignore[type-arg]
    """The service with the last good catalogue of a `common` that is down."""
    collections = [
        collection("hazard.hazard_eq_events", title=HOSTILE),
        collection("hazard.no_geometry", geometries=()),
        collection("other.rivers"),
    ]
    state = tmp_path_factory.mktemp("viewer")
    document = {"collections": [entry.to_json() for entry in collections]}
    (state / "viewer-catalogue.json").write_bytes(orjson.dumps(document))
    # a port on which no process listens
    app = make({"DAMS_STATE_DIR": str(state), "DAMS_CATALOGUE_URL": "http://127.0.0.1:9"})
    async with TestClient(TestServer(app)) as client:
        yield client
