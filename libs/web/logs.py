"""Structured logs: one JSON object per line, or readable text."""

import asyncio
import logging
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import orjson

_LINES = 200
_SECONDS = 0.2

_REQUESTS = logging.getLogger("dams.access")


class _JsonFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        fields = dict(getattr(record, "fields", {}))
        if record.exc_info:
            fields["error"] = self.formatException(record.exc_info)
        return self.line(record.created, record.levelname, record.name, record.getMessage(), fields).decode()

    def line(self, created: float, level: str, logger: str, message: str, fields: Mapping[str, Any]) -> bytes:
        """Return one entry; `created` is in seconds since 1970."""
        seconds = int(created)
        entry = {
            "time": f"{_second(seconds)}.{int((created - seconds) * 1000):03}+00:00",
            "level": level,
            "service": self._service,
            "logger": logger,
            "message": message,
            **fields,
        }
        return orjson.dumps(entry, default=str)


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        return f"{super().format(record)} {fields}".rstrip()


class _Batches(logging.Handler):
    """Writes lines in batches: a system call for each costs as much as a small query.

    A line waits only a moment, and not at all if it is a warning or no event loop runs.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.add(self.format(record).encode(errors="backslashreplace"), at_once=record.levelno > logging.INFO)
        except Exception:
            # a line that cannot be written must not fail a request
            self.handleError(record)

    def add(self, line: bytes, *, at_once: bool = False) -> None:
        """Add a complete line."""
        self._lines.append(line)
        if at_once or len(self._lines) >= _LINES:
            self.flush()
        elif self._timer is None:
            try:
                self._timer = asyncio.get_running_loop().call_later(_SECONDS, self.flush)
            except RuntimeError:
                self.flush()

    def flush(self) -> None:
        with self.lock or nullcontext():
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            lines, self._lines = self._lines, []
        if lines:
            with suppress(OSError):
                sys.stdout.buffer.write(b"\n".join((*lines, b"")))
                sys.stdout.buffer.flush()


def log_request(fields: Mapping[str, Any]) -> None:
    """Log a completed request."""
    handler = next((handler for handler in logging.root.handlers if isinstance(handler, _Batches)), None)
    if handler is None or not isinstance(handler.formatter, _JsonFormatter):
        _REQUESTS.info("request", extra={"fields": fields})
    elif _REQUESTS.isEnabledFor(logging.INFO):
        # a log record for each request would cost ten times the line
        handler.add(handler.formatter.line(time.time(), "INFO", _REQUESTS.name, "request", fields))


def setup_logs(service: str, log_format: str, level: str) -> None:
    """Send all logs of this process to standard output."""
    # do not collect fields that our lines never use: source location, thread and process
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = _Batches()
    handler.setFormatter(
        _JsonFormatter(service)
        if log_format == "json"
        else _TextFormatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
