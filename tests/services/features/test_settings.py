"""The settings of the features service, and the values that it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import gettempdir

import pytest

from libs.web.settings import SettingsError
from services.features.settings import Settings

NEEDED = {"DAMS_DATABASE_URL": "postgresql://u@h/d"}


def settings(**env: str) -> Settings:
    return Settings.from_env({**NEEDED, **env})


def test_what_nobody_says_otherwise() -> None:
    found = settings()
    assert (found.port, found.catalogue_url, found.state_dir) == (8082, "http://127.0.0.1:8081", None)
    assert (found.features_kept_bytes, found.change_listeners) == (32_000_000, 1000)
    # never taken for real
    assert (found.cap_status, found.cap_sender) == ("Test", None)
    assert (found.exports_at_once, found.export_max_bytes) == (2, 2_000_000_000)
    assert (found.export_kept_bytes, found.export_kept_seconds) == (4_000_000_000, 3600.0)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        ("DAMS_FEATURES_KEPT_BYTES", 0, 1_000_000_000),
        ("DAMS_CHANGE_LISTENERS", 0, 100_000),
        ("DAMS_EXPORTS_AT_ONCE", 1, 20),
        ("DAMS_EXPORT_MAX_BYTES", 1_000, 1_000_000_000_000),
        ("DAMS_EXPORT_KEPT_BYTES", 0, 1_000_000_000_000),
        ("DAMS_EXPORT_KEPT_SECONDS", 0, 1_000_000),
    ],
)
def test_numbers_have_bounds(name: str, least: int, most: int) -> None:
    for number in (least, most):
        assert getattr(settings(**{name: str(number)}), name.lower().removeprefix("dams_")) == number
    for number in (least - 1, most + 1):
        with pytest.raises(SettingsError, match=name):
            settings(**{name: str(number)})


def test_alerts_are_of_a_status_and_a_sender_that_cap_has() -> None:
    for status in ("Test", "Exercise", "Actual"):
        assert settings(DAMS_CAP_STATUS=status).cap_status == status
    for sender in ("floods@example.org", "x"):
        assert settings(DAMS_CAP_SENDER=sender).cap_sender == sender
    for wrong in ({"DAMS_CAP_STATUS": "Draft"}, *({"DAMS_CAP_SENDER": text} for text in ("a b", "a,b", "a<b", "a&b"))):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            settings(**wrong)


def test_exports_are_in_the_folder_of_state_or_in_one_of_this_user() -> None:
    assert settings(DAMS_STATE_DIR="/state").export_folder == Path("/state/exports")
    assert settings().export_folder == Path(gettempdir()) / f"dams-{os.getuid()}" / "exports"
