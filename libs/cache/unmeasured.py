"""Keeps redis-py from loading the SDK of OpenTelemetry, as it does where that is installed, for metrics of its own.

It takes 2.7 MB of each process, and traces are wanted by few (`libs/tracing/`). To be imported before redis.
"""

import importlib
import sys

if "opentelemetry" not in sys.modules:
    # what stands for a module that is not installed (import system of Python, section 5.3.1)
    sys.modules["opentelemetry"] = None  # type: ignore[assignment]
    try:
        importlib.import_module("redis.observability.providers")
    finally:
        del sys.modules["opentelemetry"]
