"""Stop redis-py from loading OpenTelemetry's SDK, which it does for its own metrics wherever that is installed.

The SDK takes 2.7 MB per process, and few operators use traces (`libs/tracing/`). Import this module before redis.
"""

import importlib
import sys

if "opentelemetry" not in sys.modules:
    # marks a module as not installed (Python's import system, section 5.3.1)
    sys.modules["opentelemetry"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("redis.observability.providers")
    finally:
        del sys.modules["opentelemetry"]
