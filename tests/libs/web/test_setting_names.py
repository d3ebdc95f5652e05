"""Former names and files of secrets are read; variables that are nearly settings are reported with theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.web.setting_names import NAMES, SettingsError, adopt, misspelt, remarks, resolve


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("DAMS_FEATURES_PROCESS", "DAMS_FEATURES_PROCESSES"),
        ("FEATURE", "DAMS_FEATURES_PROCESSES"),
        ("GATEWAY_PROT", "DAMS_GATEWAY_PORT"),
        ("DAMS_GATEWAY_PROT", "DAMS_GATEWAY_PORT"),
        ("dams_gateway_port", "DAMS_GATEWAY_PORT"),
        ("COLLECTION_SCHEMA", "DAMS_COLLECTION_SCHEMAS"),
        ("DATABSE_URL", "DAMS_DATABASE_URL"),
        ("DAMS_DATABASE_URL_FIL", "DAMS_DATABASE_URL_FILE"),
    ],
)
def test_a_name_that_is_nearly_a_setting(name: str, meant: str) -> None:
    assert misspelt({name: "1", "PATH": "/bin"}) == [
        f"{name} is not a setting and has no effect; did you mean {meant}?"
    ]


def test_the_prefix_alone_makes_a_name_ours() -> None:
    assert misspelt({"DAMS_COLOUR": "red"}) == ["DAMS_COLOUR is not a setting and has no effect"]


def test_names_of_other_programs_are_left_alone() -> None:
    others = (
        *("PATH", "HOME", "HOSTNAME", "PORTS", "PWD", "LANG", "PGHOST", "PGPORT", "MAKEFLAGS", "LOGNAME", "TITLE"),
        # of Kubernetes and of OpenTelemetry
        *("GATEWAY_SERVICE_PORT", "GATEWAY_PORT_80_TCP", "OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_PROTOCOL"),
        *("PYTHONPATH", "VIRTUAL_ENV", "DOCKER_HOST", "KUBERNETES_PORT", "REDIS_PORT", "POSTGRES_PORT"),
        *("DAMS_POSTGRESQL_RW_SERVICE_HOST", "DAMS_TEST_URL", "DAMS_STACK"),
    )
    assert remarks(dict.fromkeys(others, "x")) == []
    assert remarks(dict.fromkeys(NAMES, "x")) == []


@pytest.mark.parametrize(
    ("old", "text", "new", "value"),
    [
        ("SITE_TITLE", "Ours", "DAMS_SITE_TITLE", "Ours"),
        ("FEATURES", "3", "DAMS_FEATURES_PROCESSES", "3"),
        ("CDN_MAX_AGE", "60", "DAMS_CDN_MAX_AGE_SECONDS", "60"),
        ("REDIS_TIMEOUT_MS", "250", "DAMS_REDIS_TIMEOUT_SECONDS", "0.25"),
        ("TILE_CACHE_FILTERED_MB", "64", "DAMS_TILE_CACHE_FILTERED_BYTES", "64000000"),
        ("TILE_CACHE_FILTERED_MB", "x", "DAMS_TILE_CACHE_FILTERED_BYTES", "x"),
        ("TRUSTED_PROXIES", "10.0.0.1", "DAMS_TRUSTED_GATEWAYS", "10.0.0.1"),
        ("GATEWAY_TRUSTED_PROXIES", "10.0.0.1", "DAMS_TRUSTED_PROXIES", "10.0.0.1"),
    ],
)
def test_a_former_name_is_read_with_a_warning(old: str, text: str, new: str, value: str) -> None:
    assert resolve({old: text, "HOME": "/root"}) == {new: value, "HOME": "/root"}
    (said,) = remarks({old: text})
    assert said.startswith(f"{old} is now {new}")
    assert said.endswith("the next version no longer reads the old name")


def test_a_current_name_precedes_a_former_one() -> None:
    both = {"SITE_TITLE": "old", "DAMS_SITE_TITLE": "new"}
    assert resolve(both) == {"DAMS_SITE_TITLE": "new"}
    assert remarks(both) == ["SITE_TITLE has no effect, because DAMS_SITE_TITLE is set"]


def test_an_address_of_a_cluster_service_is_no_former_name() -> None:
    of_kubernetes = {"GATEWAY_PORT": "tcp://10.96.0.7:80"}
    assert resolve(of_kubernetes) == {}
    assert remarks(of_kubernetes) == []


def test_a_secret_may_be_the_content_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("postgresql://me:hunter2@db/x\n")
    assert resolve({"DAMS_DATABASE_URL_FILE": str(file)})["DAMS_DATABASE_URL"] == "postgresql://me:hunter2@db/x"
    assert remarks({"DAMS_DATABASE_URL_FILE": str(file)}) == []


def test_a_secret_and_its_file_exclude_each_other(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text("x")
    with pytest.raises(SettingsError, match="DAMS_REDIS_URL and DAMS_REDIS_URL_FILE are both set"):
        resolve({"DAMS_REDIS_URL": "redis://a", "DAMS_REDIS_URL_FILE": str(file)})


def test_a_missing_file_of_a_secret_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"DAMS_REDIS_URL_FILE='.*/none' cannot be read: No such file"):
        resolve({"DAMS_REDIS_URL_FILE": str(tmp_path / "none")})


def test_adopted_names_replace_the_former_ones(tmp_path: Path) -> None:
    file = tmp_path / "header"
    file.write_text("Key: s3cret")
    environment = {"SITE_TITLE": "Ours", "DAMS_PURGE_HEADER_FILE": str(file), "HOME": "/root"}
    assert len(adopt(environment)) == 1
    assert environment == {"DAMS_SITE_TITLE": "Ours", "DAMS_PURGE_HEADER": "Key: s3cret", "HOME": "/root"}
