"""Libraries that the gateway must not load, because they take memory that it never uses."""

from __future__ import annotations

import subprocess
import sys


def test_gateway_loads_no_library_for_packaging_or_validation() -> None:
    program = "import sys, gateway.__main__; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert "nginx" in loaded
    assert {"pkg_resources", "setuptools", "openapi_spec_validator"}.isdisjoint(loaded)
