from __future__ import annotations

import os
import subprocess
import sys

import pytest

from deploy.local.settings import REPOSITORY
from libs.web.settings import SettingsError, postgresql_url

_MALFORMED = [
    "database",
    "http://localhost/database",
    "postgresql:database",
    "postgresql://me:secret@localhost:port/database",
    "postgresql://me:secret@[::1/database",
    "host=localhost dbname=database",
]


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://localhost/database",
        "postgres://me:se%40cret@db.example:5433/database?sslmode=require",
        "postgresql://me@one:5432,two:5433/database?target_session_attrs=any",
        "postgresql:///database?host=/run/postgresql",
        "postgresql://me:secret@%2Frun%2Fpostgresql:5432/database",
        "postgresql://me@[::1]:5432/database",
    ],
)
def test_addresses_of_databases(url: str) -> None:
    assert postgresql_url({"DATABASE_URL": url}, "DATABASE_URL") == url


@pytest.mark.parametrize("url", _MALFORMED)
def test_what_is_no_address_is_named_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match="DATABASE_URL is not an address like postgresql://") as told:
        postgresql_url({"DATABASE_URL": url}, "DATABASE_URL")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize("service", ["common", "features", "tiles"])
def test_a_service_says_so_and_ends(service: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", f"services.{service}"],
        env={**os.environ, "DATABASE_URL": _MALFORMED[3]},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.strip() == (
        f"{service}: DATABASE_URL is not an address like postgresql://user@host:5432/database"
    )
