from __future__ import annotations

import os
import subprocess
import sys

import pytest
from pydantic import Field, ValidationError

from deploy.local.settings import REPOSITORY
from libs.web.settings import (
    DatabaseSettings,
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
    assert Database.from_env({"DAMS_DATABASE_URL": url}).database_url == url


@pytest.mark.parametrize("url", _MALFORMED)
def test_what_is_no_address_is_named_without_its_password(url: str) -> None:
    with pytest.raises(SettingsError, match="DAMS_DATABASE_URL is not an address like postgresql://") as raised:
        Database.from_env({"DAMS_DATABASE_URL": url})
    assert "secret" not in str(raised.value)


def test_a_password_that_is_not_escaped_is_told_of() -> None:
    for password in ("p@ss:w/rd", "se#cret", "se?cret"):
        url = f"postgresql://me:{password}@localhost/database"
        with pytest.raises(SettingsError, match="a password has %2F for /"):
            Database.from_env({"DAMS_DATABASE_URL": url})
    with pytest.raises(SettingsError) as raised:
        Database.from_env({"DAMS_DATABASE_URL": "mysql://me:p/w@localhost/database"})
    assert "a password has" not in str(raised.value)


@pytest.mark.parametrize("service", ["common", "features", "tiles"])
def test_a_service_says_so_and_ends(service: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", f"services.{service}"],
        env={**os.environ, "DAMS_DATABASE_URL": _MALFORMED[3]},
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert result.returncode == os.EX_CONFIG
    assert result.stderr.strip() == (
        f"{service}: DAMS_DATABASE_URL is not an address like postgresql://user@host:5432/database"
    )


def test_invalid_collections_file_is_an_invalid_setting() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "services.common"],
        env={
            **os.environ,
            "DAMS_DATABASE_URL": "postgresql://localhost:1/none",
            "DAMS_COLLECTIONS_CONFIG": "/nowhere.yaml",
        },
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
    found = Example.from_env(
        {
            "DAMS_NEEDED": "x",
            "DAMS_NUMBER": "",
            "DAMS_ADDRESS": " ",
            "DAMS_HOST": " ",
            "DAMS_SOCKET": "",
            "DAMS_LOG_LEVEL": "",
        }
    )
    assert (found.number, found.address, found.host, found.socket, found.log_level) == (
        5,
        None,
        "127.0.0.1",
        None,
        "INFO",
    )


def test_values_are_read_as_what_they_mean() -> None:
    values = {
        "DAMS_NEEDED": "x",
        "DAMS_NAMES": ' a ,b,, "c, d"',
        "DAMS_ADDRESS": "https://x.example/api//",
        "DAMS_INVALID_PARAMETER_STATUS": "400",
    }
    found = Example.from_env({**values, "DAMS_NUMBER": "7", "DAMS_OTHER": "ignored"})
    assert (found.names, found.address, found.number) == (("a", "b", "c, d"), "https://x.example/api", 7)
    assert found.invalid_parameter_status == 400


@pytest.mark.parametrize(
    ("name", "values"),
    [("DAMS_LOG_FORMAT", ("json", "text")), ("DAMS_LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR"))],
)
def test_logs_are_as_the_operator_wants_them(name: str, values: tuple[str, ...]) -> None:
    assert [
        getattr(Example.from_env({"DAMS_NEEDED": "x", name: text}), name.lower().removeprefix("dams_"))
        for text in values
    ] == [*values]
    with pytest.raises(SettingsError, match=name):
        Example.from_env({"DAMS_NEEDED": "x", name: values[0].swapcase()})


def test_what_opens_the_collector_of_traces_is_in_no_message() -> None:
    found = Example.from_env({"DAMS_NEEDED": "x", "OTEL_EXPORTER_OTLP_HEADERS": "key=s3cret"})
    assert found.traces_headers == "key=s3cret"
    assert "s3cret" not in repr(found)


def test_what_was_read_does_not_change() -> None:
    found = Example.from_env({"DAMS_NEEDED": "x"})
    with pytest.raises(ValidationError):
        found.number = 3


def test_all_faults_are_reported_at_once_each_by_its_variable() -> None:
    values = {
        "DAMS_NUMBER": "10",
        "DAMS_PORT": "x",
        "DAMS_NAMES": ",",
        "DAMS_ADDRESS": "ftp://x",
        "DAMS_INVALID_PARAMETER_STATUS": "500",
        "DAMS_LOG_FORMAT": "xml",
        "DAMS_TRUSTED_GATEWAYS": "10.0.0.0/8,x",
        "DAMS_SECRET": "too long",
    }
    with pytest.raises(SettingsError) as raised:
        Example.from_env(values)
    assert sorted(str(raised.value).split("; ")) == [
        "DAMS_ADDRESS='ftp://x' is not an http or https address",
        "DAMS_INVALID_PARAMETER_STATUS=500 should be 422 or 400",
        "DAMS_LOG_FORMAT='xml' should be 'json' or 'text'",
        "DAMS_NAMES=',' names nothing",
        "DAMS_NEEDED is not set",
        "DAMS_NUMBER='10' should be less than or equal to 9",
        "DAMS_PORT='x' should be a valid integer, unable to parse string as an integer",
        "DAMS_SECRET String should have at most 3 characters",
        "DAMS_TRUSTED_GATEWAYS='10.0.0.0/8,x' is not a list of addresses and networks: "
        "'x' does not appear to be an IPv4 or IPv6 network",
    ]


URL = "postgresql://localhost/database"


@pytest.mark.parametrize(
    ("size", "share", "connections"), [(10, 50, 5), (1, 1, 1), (3, 50, 1), (7, 100, 7), (200, 1, 2), (10, 99, 9)]
)
def test_one_collection_has_its_share_of_the_connections(size: int, share: int, connections: int) -> None:
    found = DatabaseSettings.from_env(
        {
            "DAMS_PORT": "1",
            "DAMS_DATABASE_URL": URL,
            "DAMS_POOL_SIZE": str(size),
            "DAMS_COLLECTION_SHARE_PERCENT": str(share),
        }
    )
    assert found.collection_connections == connections


def test_replicas_are_a_list_of_addresses() -> None:
    said = {"DAMS_PORT": "1", "DAMS_DATABASE_URL": URL}
    assert DatabaseSettings.from_env(said).database_read_urls is None
    found = DatabaseSettings.from_env({**said, "DAMS_DATABASE_READ_URLS": f"{URL}1 , {URL}2"})
    assert found.database_read_urls == (f"{URL}1", f"{URL}2")
    with pytest.raises(SettingsError, match="DAMS_DATABASE_READ_URLS is not an address"):
        DatabaseSettings.from_env({**said, "DAMS_DATABASE_READ_URLS": f"{URL}1,"})


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [
        ("DAMS_PORT", ("1", "65535"), ("0", "65536")),
        ("DAMS_REQUEST_TIMEOUT_SECONDS", ("0.1", "600"), ("0", "601")),
        ("DAMS_CDN_MAX_AGE_SECONDS", ("0", "31536000"), ("-1", "31536001")),
        ("OTEL_TRACES_SAMPLER_ARG", ("0", "1"), ("-0.1", "1.1")),
        ("DAMS_POOL_SIZE", ("1", "200"), ("0", "201")),
        ("DAMS_COLLECTION_SHARE_PERCENT", ("1", "100"), ("0", "101")),
        ("DAMS_INVALID_PARAMETER_STATUS", ("400", "422"), ("404", "x")),
    ],
)
def test_numbers_have_bounds(name: str, within: tuple[str, ...], beyond: tuple[str, ...]) -> None:
    said = {"DAMS_PORT": "1", "DAMS_DATABASE_URL": URL}
    for text in within:
        assert DatabaseSettings.from_env({**said, name: text})
    for text in beyond:
        with pytest.raises(SettingsError, match=name):
            DatabaseSettings.from_env({**said, name: text})


def test_what_nobody_says_is_as_it_is_written_down() -> None:
    found = DatabaseSettings.from_env({"DAMS_PORT": "1", "DAMS_DATABASE_URL": URL})
    assert (found.pool_size, found.collection_share_percent, found.request_timeout_seconds) == (10, 50, 8.7)
    assert (found.invalid_parameter_status, found.cdn_max_age_seconds, found.traces_share) == (422, 0, 1.0)
    assert all(address in found.trusted_gateways for address in ("127.0.0.1", "::1", ""))
    assert (found.log_format, found.log_level, found.host) == ("json", "INFO", "127.0.0.1")


def test_a_title_of_ones_own_leaves_no_hazards_in_the_description() -> None:
    def description(**said: str) -> str:
        return Example.from_env({"DAMS_NEEDED": "x", **said}).site_description

    assert description().startswith("Earthquakes, floods")
    without = Example.from_env({"DAMS_NEEDED": "x"}).describe_site(has_hazards=False)
    assert without.startswith("Collections as OGC API Features")
    assert description(DAMS_SITE_TITLE="Parcels").startswith("Collections as OGC API Features")
    assert description(DAMS_SITE_TITLE="Parcels", DAMS_SITE_DESCRIPTION="Ours.") == "Ours."
