"""Settings of a start are those of the commands after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local import remembered
from deploy.local.settings import StackError


def test_what_was_given_is_there_again(tmp_path: Path) -> None:
    assert remembered.recall(tmp_path) == {}
    environment = {
        "DAMS_GATEWAY_PORT": "8090",
        "DAMS_PUBLIC_URL": "https://example.org/api",
        "DAMS_FEATURES_PROCESSES": " ",
        "HOME": "/root",
    }
    assert remembered.given_variables(environment | {"DAMS_STATE_DIR": "elsewhere"}) == {
        "DAMS_GATEWAY_PORT": "8090",
        "DAMS_PUBLIC_URL": "https://example.org/api",
    }
    remembered.remember(tmp_path, remembered.given_variables(environment))
    assert remembered.recall(tmp_path) == remembered.given_variables(environment)
    remembered.forget(tmp_path)
    remembered.forget(tmp_path)
    assert remembered.recall(tmp_path) == {}


def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    remembered.remember(tmp_path, {"DAMS_DATABASE_URL": "postgresql://a:secret@b/c"})
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_names_of_another_release_are_passed_over(tmp_path: Path) -> None:
    remembered.remember(tmp_path, {"DAMS_GATEWAY_PORT": "8090", "NO_LONGER_THERE": "1"})
    assert remembered.recall(tmp_path) == {"DAMS_GATEWAY_PORT": "8090"}


@pytest.mark.parametrize("text", ["", "{", "3"])
def test_a_damaged_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(StackError, match=r"settings\.json cannot be read"):
        remembered.recall(tmp_path)
