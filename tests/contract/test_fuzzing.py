"""Schemathesis makes valid and invalid requests from the document: each response matches it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.conftest import Api

pytestmark = pytest.mark.system

SECONDS = 20
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
]


def test_every_request_that_the_document_suggests_is_answered_as_it_says(api: Api, tmp_path: Path) -> None:
    result = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{api.base}/openapi.json"),
            *("--checks", ",".join(CHECKS), "--phases", "examples,coverage,fuzzing"),
            *("--max-time", str(SECONDS), "--workers", "1", "--seed", "4", "--no-shrink", "--continue-on-failure"),
            *("--warnings", "off", "--no-color", "--generation-database", "none"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    assert "generated" in result.stdout, result.stdout
