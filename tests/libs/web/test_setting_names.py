"""Variables that are nearly settings are reported with the name that was meant."""

from __future__ import annotations

import pytest

from libs.web.setting_names import NAMES, misspelt


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("FEATURE", "FEATURES"),
        ("GATEWAY_PROT", "GATEWAY_PORT"),
        ("gateway_port", "GATEWAY_PORT"),
        ("COLLECTION_SCHEMA", "COLLECTION_SCHEMAS"),
        ("DATABSE_URL", "DATABASE_URL"),
    ],
)
def test_a_name_that_is_nearly_a_setting(name: str, meant: str) -> None:
    assert misspelt({name: "1", "PATH": "/bin"}) == [
        f"{name} is not a setting and has no effect; did you mean {meant}?"
    ]


def test_names_of_other_programs_are_left_alone() -> None:
    others = (
        *("PATH", "HOME", "HOSTNAME", "PORTS", "PWD", "LANG", "PGHOST", "PGPORT", "MAKEFLAGS", "LOGNAME", "TITLE"),
        # of Kubernetes and of OpenTelemetry
        *("GATEWAY_SERVICE_PORT", "GATEWAY_PORT_80_TCP", "OTEL_TRACES_SAMPLER", "OTEL_EXPORTER_OTLP_PROTOCOL"),
        *("PYTHONPATH", "VIRTUAL_ENV", "DOCKER_HOST", "KUBERNETES_PORT", "REDIS_PORT", "POSTGRES_PORT"),
    )
    assert misspelt(dict.fromkeys(others, "x")) == []
    assert misspelt(dict.fromkeys(NAMES, "x")) == []
