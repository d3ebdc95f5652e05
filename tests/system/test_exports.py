"""A file is the same from every gateway, and its parts are of one file, although each machine has its own folder."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.eventually import eventually_true
from tests.running_stack import RunningStack
from tests.system.keeping import Answer, Client

pytestmark = pytest.mark.system

_PARTS = 24
_FORMATS = ("csv", "fgb", "geojson", "geojsonseq", "gpkg", "json", "ndjson", "parquet")
_SELECTIONS = (
    "/collections/hazard.hazard_eq_events/export?filter=magnitude%3E6.5",
    "/collections/hazard.hazard_ts_nodes/export?datetime=2017-01-01T00:00:00Z/2018-12-31T00:00:00Z",
)


@pytest.mark.parametrize("format_", _FORMATS)
@pytest.mark.parametrize("selection", _SELECTIONS)
def test_parts_that_are_asked_for_by_range_alone_are_the_whole(
    stack: RunningStack, selection: str, format_: str
) -> None:
    path = f"{selection}&f={format_}"
    whole = _whole(stack, path)
    joined = b""
    for first, last in _parts(len(whole.body)):
        told = _told(stack, path)
        assert (told.headers["ETag"], told.headers["Content-Length"]) == (whole.headers["ETag"], str(len(whole.body)))
        part = _got(stack, path, Range=f"bytes={first}-{last}")
        assert (part.status, part.headers["ETag"]) == (206, whole.headers["ETag"])
        assert part.headers["Content-Range"] == f"bytes {first}-{last}/{len(whole.body)}"
        joined += part.body
    assert joined == whole.body


def test_curl_goes_on_where_it_stopped(stack: RunningStack, tmp_path: Path) -> None:
    path = f"{_SELECTIONS[0]}&f=gpkg"
    body = _whole(stack, path).body
    file = tmp_path / "begun.gpkg"
    file.write_bytes(body[: len(body) // 3])
    subprocess.run(["curl", "-sSfC", "-", "-o", str(file), f"{stack.base_url}{path}"], check=True)
    assert file.read_bytes() == body


def _whole(stack: RunningStack, path: str) -> Answer:
    """Return the complete file: a response has a length only when the file is complete."""
    found: list[Answer] = []

    def made() -> bool:
        found.append(_got(stack, path))
        assert found[-1].status == 200
        return "Content-Length" in found[-1].headers

    eventually_true(made)
    return found[-1]


def _parts(size: int) -> Iterator[tuple[int, int]]:
    """First and last byte of each."""
    step = size // _PARTS + 1
    for first in range(0, size, step):
        yield first, min(first + step, size) - 1


def _got(stack: RunningStack, path: str, **headers: str) -> Answer:
    """Send a request on a new connection, which may lead to any gateway."""
    with closing(Client(stack.base_url)) as client:
        return client.get(path, **headers)


def _told(stack: RunningStack, path: str) -> Answer:
    with closing(Client(stack.base_url)) as client:
        return client.head(path)
