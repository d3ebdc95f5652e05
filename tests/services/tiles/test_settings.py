"""What an operator may set of the tiles service, and what it is where nothing is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.web.settings import SettingsError
from services.tiles.settings import Settings

ENV = {"DATABASE_URL": "postgresql://nobody@127.0.0.1/nothing"}
NUMBERS = {
    "REDIS_TIMEOUT_MS": (5, 100, 10_000),
    "TILE_MAX_FEATURES": (1, 10_000, 1_000_000),
    "TILE_MAX_BYTES": (1_000, 3_000_000, 100_000_000),
    "TILE_TIMEOUT_SECONDS": (1, 10, 600),
    "TILE_QUEUE": (0, 100, 100_000),
    "TILE_CACHE_FILTERED_MB": (0, 64, 1_000_000),
}
"""The least, the default and the most of each."""


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_bounds(name: str) -> None:
    least, usual, most = NUMBERS[name]
    assert getattr(Settings.from_env(ENV), name.lower()) == usual
    for fits in (least, most):
        assert getattr(Settings.from_env({**ENV, name: str(fits)}), name.lower()) == fits
    for wrong in (least - 1, most + 1):
        with pytest.raises(SettingsError, match=name):
            Settings.from_env({**ENV, name: str(wrong)})


def test_what_is_not_said_is_usual() -> None:
    found = Settings.from_env(ENV)
    assert (found.port, found.catalogue_url) == (8083, "http://127.0.0.1:8081")
    assert (found.redis_url, found.state_dir, found.purge_url, found.purge_header) == (None, None, None, None)
    assert found.purge_method == "POST"
    assert Settings.from_env({**ENV, "STATE_DIR": "/a"}).state_dir == Path("/a")


@pytest.mark.parametrize("header", ["Fastly-Key: abc", "X-1:abc", "Authorization: Bearer a b~"])
def test_a_header_is_a_name_and_a_value(header: str) -> None:
    assert Settings.from_env({**ENV, "PURGE_HEADER": header}).purge_header == header


@pytest.mark.parametrize("header", ["Fastly-Key", "Fastly Key: a", "Key:", ": a", "Key: a\nOther: b", "Key: é"])
def test_anything_else_is_none(header: str) -> None:
    with pytest.raises(SettingsError, match="PURGE_HEADER"):
        Settings.from_env({**ENV, "PURGE_HEADER": header})


def test_secrets_are_in_no_message() -> None:
    secret = {
        "PURGE_HEADER": "Key: s3cret",
        "PURGE_URL": "https://cdn.example/s3cret",
        "REDIS_URL": "redis://:s3cret@r",
    }
    assert "s3cret" not in repr(Settings.from_env({**ENV, **secret}))


@pytest.mark.parametrize("method", ["POST", "PURGE", "BAN", "DELETE"])
def test_how_a_cdn_may_be_told(method: str) -> None:
    assert Settings.from_env({**ENV, "PURGE_METHOD": method}).purge_method == method
    with pytest.raises(SettingsError, match="PURGE_METHOD"):
        Settings.from_env({**ENV, "PURGE_METHOD": "GET"})
