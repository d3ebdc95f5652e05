"""Spans, sent to a collector by OTLP where one is set. Where none is, nothing of OpenTelemetry is loaded."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from libs.tracing.sending import Tracing

_tracing: Tracing | None = None
_NO_SPAN: AbstractContextManager[object] = nullcontext()


def start(service: str, endpoint: str, *, headers: str | None = None, share: float = 1.0) -> None:
    """From now on spans go to the collector at `endpoint`, to its path `/v1/traces`, as protobuf over HTTP.

    `headers` are sent with them, as `OTEL_EXPORTER_OTLP_HEADERS` spells them. `share` is the part of all traces that is
    sent, between 0 and 1; it is chosen by their ids, alike in all services. They are sent by a thread of their own, and
    are lost where the collector does not answer.
    """
    global _tracing  # noqa: PLW0603 - of the process, as its logs are
    from libs.tracing.sending import Tracing  # noqa: PLC0415 - takes memory that is not wanted without it

    _tracing = Tracing(service, endpoint, headers=headers, share=share)


def stop() -> None:
    """Sends what has not been sent yet; after that there are no spans. Blocks as long as sending takes."""
    global _tracing
    tracing, _tracing = _tracing, None
    if tracing is not None:
        tracing.close()


def tracing() -> Tracing | None:
    """What makes spans, None where nobody wants them."""
    return _tracing


def statement_span(text: str) -> AbstractContextManager[object]:
    """The span of a statement, within that of the request that it is for; nothing where no spans are made.

    Its text has no values of clients in it: these are binds.
    """
    return _NO_SPAN if _tracing is None else _tracing.statement(text)
