"""Traces: the gateway's id, the service's span and that of the statement are joined, as a collector gets them."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from libs.tracing import spans
from libs.tracing.spans import trace_id
from tests.gateway.harness import running_gateway
from tests.services.conftest import HostileDatabase
from tests.services.in_process import services

TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = "b7ad6b7169203331"


class Collector(ThreadingHTTPServer):
    """Takes spans by OTLP: protobuf over HTTP."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.spans: list[Span] = []
        self.services: set[str] = set()
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        assert self.path == "/v1/traces"
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        self.server.keys.append(self.headers.get("x-key"))
        for resource in request.resource_spans:
            names = [each.value.string_value for each in resource.resource.attributes if each.key == "service.name"]
            self.server.services.update(names)
            for scope in resource.scope_spans:
                self.server.spans.extend(scope.spans)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    spans.stop()
    server.shutdown()
    server.server_close()
    thread.join()


ITEMS = "/collections/hostile.events/items?limit=3&f=geojson"


async def test_gateway_service_and_statement_are_one_trace(
    hostile: HostileDatabase, collector: Collector, tmp_path: Path
) -> None:
    async with services() as running:
        await running.start("common", hostile.env())
        features = await running.start("features", hostile.env())
        port = features.base.rpartition(":")[2]
        async with running_gateway(tmp_path, DAMS_FEATURES_UPSTREAM=f"127.0.0.1:{port}") as gateway:
            await gateway.published()
            spans.start("dams-features", collector.url, headers="x-key=secret")
            made = await features.get(f"{gateway.url}/api{ITEMS}")
            given = {"traceparent": f"00-{TRACE}-{PARENT}-01"}
            joined = await features.get(f"{gateway.url}/api{ITEMS}&offset=1", headers=given)
            malformed = {"traceparent": f"00-{'0' * 32}-{PARENT}-01"}
            alone = await features.get(f"{gateway.url}/api{ITEMS}&offset=2", headers=malformed)
            # requests that come every second have no trace
            await features.get("/internal/metrics")
            await asyncio.to_thread(spans.stop)
    assert [each.status for each in (made, joined, alone)] == [200, 200, 200]
    requests = {span.trace_id.hex(): span for span in collector.spans if span.kind == Span.SPAN_KIND_SERVER}
    ids = [made.headers["X-Request-Id"], TRACE, alone.headers["X-Request-Id"]]
    assert set(requests) == set(ids)
    assert requests[TRACE].parent_span_id.hex() == PARENT
    assert requests[ids[0]].parent_span_id.hex() == ids[0][:16]
    for trace in ids:
        request = requests[trace]
        assert request.name == "GET /collections/{collectionId}/items"
        said = {each.key: each.value.string_value or each.value.int_value for each in request.attributes}
        assert said == {
            "http.request.method": "GET",
            "http.route": "/collections/{collectionId}/items",
            "url.path": "/collections/hostile.events/items",
            "http.response.status_code": 200,
        }
        statements = [span for span in collector.spans if span.parent_span_id == request.span_id]
        texts = [
            each.value.string_value for span in statements for each in span.attributes if each.key == "db.query.text"
        ]
        assert any("hostile" in text and "SELECT" in text for text in texts)
        for span in statements:
            assert span.trace_id == request.trace_id
            assert request.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= request.end_time_unix_nano
    assert collector.services == {"dams-features"}
    assert set(collector.keys) == {"secret"}


async def test_a_share_of_the_traces_is_sent(hostile: HostileDatabase, collector: Collector) -> None:
    async with services() as running:
        await running.start("common", hostile.env())
        features = await running.start("features", hostile.env())
        spans.start("dams-features", collector.url, share=0.5)
        for digit in "08f":
            # the last half of the id decides
            parent = f"00-{'a' * 16}{digit}{'1' * 15}-{PARENT}-01"
            await features.get(ITEMS, headers={"traceparent": parent})
        await asyncio.to_thread(spans.stop)
    assert {span.trace_id.hex()[16] for span in collector.spans} == {"0"}


def test_what_makes_spans_is_not_loaded_where_nobody_wants_them() -> None:
    program = (
        "import sys; import services.features.app, services.tiles.app, services.common.app, services.viewer.app;"
        " print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "malformed",
    [None, "", "x", f"00-{'0' * 32}-{PARENT}-01", f"00-{TRACE}-{'0' * 16}-01", f"00-{TRACE.upper()}-{PARENT}-01"],
)
def test_a_malformed_traceparent_names_no_trace(malformed: str | None) -> None:
    assert trace_id(malformed) is None
    assert trace_id(f"00-{TRACE}-{PARENT}-00") == TRACE
