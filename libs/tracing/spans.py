"""Spans, sent to a collector by OTLP if one is configured. Otherwise OpenTelemetry is not loaded."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libs.tracing.sending import Tracing

_tracing: Tracing | None = None
_TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}", re.ASCII)
_NO_SPAN: AbstractContextManager[object] = nullcontext()


def start(service: str, endpoint: str, *, headers: str | None = None, share: float = 1.0) -> None:
    """Send spans to the collector at `endpoint` from now on: to its path `/v1/traces`, as protobuf over HTTP.

    `headers` are sent with them, in the format of `OTEL_EXPORTER_OTLP_HEADERS`. `share` is the fraction of traces to
    send, between 0 and 1; it is decided by trace id, equally in all services. A separate thread sends the spans; they
    are lost if the collector does not answer.
    """
    global _tracing  # noqa: PLW0603 - of the process, as its logs are
    from libs.tracing.sending import Tracing  # noqa: PLC0415 - takes memory that is not wanted without it

    _tracing = Tracing(service, endpoint, headers=headers, share=share)


def stop() -> None:
    """Send the remaining spans, and stop recording. Blocks until they are sent."""
    global _tracing
    tracing, _tracing = _tracing, None
    if tracing is not None:
        tracing.close()


def tracing() -> Tracing | None:
    """Return the tracing in use; None if traces are disabled."""
    return _tracing


def statement_span(text: str) -> AbstractContextManager[object]:
    """Open the span of a statement within that of its request; does nothing if traces are disabled.

    Its text contains no values of clients: these are binds.
    """
    return _NO_SPAN if _tracing is None else _tracing.statement(text)


def trace_id(traceparent: str | None) -> str | None:
    """Return the trace id in the header `traceparent` (W3C Trace Context, 3.2); None if missing or malformed."""
    found = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    return found[1] if found else None
