"""A part of the benchmark that fails ends no other part, and a peer may answer an empty tile with 204."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tools.benchmarks.alone import run_alone
from tools.benchmarks.answers import ask, difference, features_of
from tools.benchmarks.load import Target
from tools.benchmarks.settings import BenchmarkError


async def _measured(error: Exception | None) -> str:
    if error is not None:
        raise error
    return "measured"


async def test_failing_parts_leave_the_others_measured(capsys: pytest.CaptureFixture[str]) -> None:
    faults: list[str] = []
    errors = {"wrong": BenchmarkError("2 features against 1"), "cut": ConnectionResetError("cut"), "good": None}
    found = [await run_alone(name, f"the {name} one", _measured(error), faults) for name, error in errors.items()]
    assert found == [None, None, "measured"]
    assert faults == ["wrong: 2 features against 1", "cut: ConnectionResetError: cut"]
    shown = capsys.readouterr().out.splitlines()
    assert [line.split("not counted: ") for line in shown] == [
        [f"{'the wrong one':<31}", "2 features against 1"],
        [f"{'the cut one':<31}", "ConnectionResetError: cut"],
    ]


@contextmanager
def _server(status: int) -> Iterator[Target]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Target("peer", server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


def test_empty_tile_with_204_equals_one_with_200() -> None:
    found = []
    for status in (200, 204):
        with _server(status) as peer:
            found.append(features_of(ask(peer, "/0/0/0", encoding="gzip").content, "shapes"))
    assert difference(found[0], found[1], "shapes") is None
    # a tile that has features on one side only still differs
    assert difference({1: "Polygon", 2: "Polygon"}, found[1], "points") is not None


@pytest.mark.parametrize("status", [304, 404, 500])
def test_other_status_of_a_peer_is_an_error(status: int) -> None:
    with _server(status) as peer, pytest.raises(BenchmarkError, match=f"with {status}"):
        ask(peer, "/0/0/0")
