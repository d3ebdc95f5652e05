"""Structured logs: one JSON object a line, or readable text."""

import asyncio
import logging
import sys
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from functools import lru_cache

import orjson

_LINES = 200
_SECONDS = 0.2


class _JsonFormatter(logging.Formatter):
    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": f"{_second(int(record.created))}.{int(record.msecs):03}+00:00",
            "level": record.levelname,
            "service": self._service,
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return orjson.dumps(entry, default=str).decode()


@lru_cache(maxsize=4)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class _TextFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        fields = " ".join(f"{name}={value}" for name, value in getattr(record, "fields", {}).items())
        return f"{super().format(record)} {fields}".rstrip()


class _Batches(logging.Handler):
    """Lines written some at a time: a system call for each costs as much as a small query.

    A line waits a moment at the most, and none where it is a warning or no event loop runs.
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[str] = []
        self._timer: asyncio.TimerHandle | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._lines.append(self.format(record))
            if record.levelno > logging.INFO or len(self._lines) >= _LINES:
                self.flush()
            elif self._timer is None:
                try:
                    self._timer = asyncio.get_running_loop().call_later(_SECONDS, self.flush)
                except RuntimeError:
                    self.flush()
        except Exception:
            # a line that cannot be written is no reason for a request to fail
            self.handleError(record)

    def flush(self) -> None:
        with self.lock or nullcontext():
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            lines, self._lines = self._lines, []
        if lines:
            with suppress(OSError):
                sys.stdout.buffer.write("".join(f"{line}\n" for line in lines).encode(errors="backslashreplace"))
                sys.stdout.buffer.flush()


def setup_logs(service: str, log_format: str, level: str) -> None:
    """Send all logs of this process to standard output."""
    # what no line of ours tells: where in the source and in which thread it was written
    logging._srcfile = None
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = _Batches()
    handler.setFormatter(
        _JsonFormatter(service)
        if log_format == "json"
        else _TextFormatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    )
    logging.basicConfig(level=level, handlers=[handler], force=True)
