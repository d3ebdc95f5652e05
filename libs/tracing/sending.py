"""Make and send spans with OpenTelemetry's SDK. Import it only if traces are enabled: it takes memory."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, StatusCode, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.re import parse_env_headers


class Tracing:
    """Spans of one program, sent to one collector."""

    def __init__(self, service: str, endpoint: str, *, headers: str | None, share: float) -> None:
        """The parameters are those of `libs.tracing.spans.start`."""
        sent = parse_env_headers(headers, liberal=True) if headers else None
        exporter = OTLPSpanExporter(f"{endpoint.rstrip('/')}/v1/traces", headers=sent)
        # ignore the client's sampling flag: otherwise a client could have any number of traces sent
        self._provider = TracerProvider(
            sampler=TraceIdRatioBased(share), resource=Resource.create({"service.name": service})
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("dams")
        self._propagator = TraceContextTextMapPropagator()

    def request(
        self, name: str, traceparent: str | None, attributes: Mapping[str, str]
    ) -> AbstractContextManager[Span]:
        """Open the span of a request, in the trace that `traceparent` names, or in a new one."""
        context = self._propagator.extract({"traceparent": traceparent} if traceparent else {})
        return self._tracer.start_as_current_span(name, context=context, kind=SpanKind.SERVER, attributes=attributes)

    def statement(self, text: str) -> AbstractContextManager[object]:
        """Open the span of a statement within that of its request; without a request, there is no span."""
        if not get_current_span().get_span_context().is_valid:
            return nullcontext()
        attributes = {"db.system.name": "postgresql", "db.query.text": text}
        return self._tracer.start_as_current_span("SQL", kind=SpanKind.CLIENT, attributes=attributes)

    @staticmethod
    def record_status(span: Span, status: int) -> None:
        """Record the HTTP status in the span of a request."""
        span.set_attribute("http.response.status_code", status)
        if status >= 500:
            span.set_status(StatusCode.ERROR)

    def close(self) -> None:
        """Send the spans that have not been sent. Blocks until that is done."""
        self._provider.shutdown()
