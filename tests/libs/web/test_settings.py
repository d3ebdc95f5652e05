from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import Field, ValidationError

from deploy.local.settings import REPOSITORY
from libs.web.settings import (
    EnvironmentSettings,
    HttpAddress,
    Names,
    Port,
    PostgresqlAddress,
    SettingsError,
    WebSettings,
)


class Database(EnvironmentSettings):
    database_url: PostgresqlAddress


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
    assert Database.from_env({"DATABASE_URL": url}).database_url == url


@pytest.mark.parametrize("url", _MALFORMED)
def test_what_is_no_address_is_named_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match="DATABASE_URL is not an address like postgresql://") as raised:
        Database.from_env({"DATABASE_URL": url})
    assert "secret" not in str(raised.value)


def test_a_password_that_is_not_escaped_is_told_of() -> None:
    for url in ("postgresql://me:p@ss:w/rd@localhost/database", "postgresql://me:se#cret@localhost/database"):
        with pytest.raises(SettingsError, match="a password has %2F for /"):
            Database.from_env({"DATABASE_URL": url})
    with pytest.raises(SettingsError) as raised:
        Database.from_env({"DATABASE_URL": "mysql://me:p/w@localhost/database"})
    assert "a password has" not in str(raised.value)


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
    assert result.returncode == os.EX_CONFIG
    assert result.stderr.strip() == (
        f"{service}: DATABASE_URL is not an address like postgresql://user@host:5432/database"
    )


def test_a_collections_file_that_cannot_be_used_is_a_setting_that_does_not_fit() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "services.common"],
        env={**os.environ, "DATABASE_URL": "postgresql://localhost:1/none", "COLLECTIONS_CONFIG": "/nowhere.yaml"},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (result.returncode, "Traceback" in result.stderr) == (os.EX_CONFIG, False)
    assert result.stderr.splitlines()[-1].startswith("common: ")
    assert "No such file or directory: '/nowhere.yaml'" in result.stderr


class Example(WebSettings):
    port: Port = 1
    names: Names = ("a", "b")
    address: HttpAddress | None = None
    number: int = Field(default=5, ge=1, le=9)
    secret: str = Field(default="", repr=False, max_length=3)
    needed: str


def test_an_empty_value_counts_as_none() -> None:
    found = Example.from_env({"NEEDED": "x", "NUMBER": "", "ADDRESS": "", "HOST": "", "SOCKET": "", "LOG_LEVEL": ""})
    assert (found.number, found.address, found.host, found.socket, found.log_level) == (
        5,
        None,
        "127.0.0.1",
        None,
        "INFO",
    )


def test_values_are_read_as_what_they_mean() -> None:
    values = {
        "NEEDED": "x",
        "NAMES": " a ,b,, c",
        "ADDRESS": "https://x.example/api//",
        "INVALID_PARAMETER_STATUS": "400",
    }
    found = Example.from_env({**values, "NUMBER": "7", "OTHER": "ignored"})
    assert (found.names, found.address, found.number) == (("a", "b", "c"), "https://x.example/api", 7)
    assert found.invalid_parameter_status == 400


def test_what_was_read_does_not_change() -> None:
    found = Example.from_env({"NEEDED": "x"})
    with pytest.raises(ValidationError):
        found.number = 3


def test_all_faults_are_reported_at_once_each_by_its_variable() -> None:
    values = {
        "NUMBER": "10",
        "PORT": "x",
        "NAMES": ",",
        "ADDRESS": "ftp://x",
        "INVALID_PARAMETER_STATUS": "500",
        "LOG_FORMAT": "xml",
        "TRUSTED_PROXIES": "10.0.0.0/8,x",
        "SECRET": "too long",
    }
    with pytest.raises(SettingsError) as raised:
        Example.from_env(values)
    assert sorted(str(raised.value).split("; ")) == [
        "ADDRESS='ftp://x' is not an http or https address",
        "INVALID_PARAMETER_STATUS=500 should be 422 or 400",
        "LOG_FORMAT='xml' should be 'json' or 'text'",
        "NAMES=',' names nothing",
        "NEEDED is not set",
        "NUMBER='10' should be less than or equal to 9",
        "PORT='x' should be a valid integer, unable to parse string as an integer",
        "SECRET String should have at most 3 characters",
        "TRUSTED_PROXIES='10.0.0.0/8,x' is not a list of addresses and networks: "
        "'x' does not appear to be an IPv4 or IPv6 network",
    ]
