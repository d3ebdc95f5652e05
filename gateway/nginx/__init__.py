"""nginx as the gateway runs it: its configuration in Python, and its process."""

import sys

if "pkg_resources" not in sys.modules:
    # nginx-config-builder falls back to pkgutil if pkg_resources, which takes 5.6 MB, is not installed; None marks a
    # module as not installed (Python's import system, section 5.3.1)
    sys.modules["pkg_resources"] = None  # type: ignore[assignment]
    try:
        import nginx  # noqa: F401
    finally:
        del sys.modules["pkg_resources"]
