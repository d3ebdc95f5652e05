"""The settings of the tiles service, and their defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from libs.cache.tile_cache import TileCache
from libs.catalogue.client import CatalogueClient
from libs.pg.pool import PoolSettings
from libs.web.settings import SettingsError
from services.tiles.resources import open_resources, pool_of
from services.tiles.settings import Settings
from services.tiles.store.tile_store import TileStore

ENV = {"DAMS_DATABASE_URL": "postgresql://nobody@127.0.0.1/nothing"}
NUMBERS = {
    "DAMS_REDIS_TIMEOUT_SECONDS": (0.005, 0.1, 10),
    "DAMS_TILE_MAX_FEATURES": (1, 10_000, 1_000_000),
    "DAMS_TILE_MAX_BYTES": (1_000, 3_000_000, 100_000_000),
    "DAMS_TILE_TIMEOUT_SECONDS": (1, 10, 600),
    "DAMS_TILE_QUEUE": (0, 100, 100_000),
    "DAMS_TILE_CACHE_FILTERED_BYTES": (0, 64_000_000, 1_000_000_000_000),
}
"""The least, the default and the most of each."""


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_have_bounds(name: str) -> None:
    least, usual, most = NUMBERS[name]
    assert getattr(Settings.from_env(ENV), name.lower().removeprefix("dams_")) == usual
    for fits in (least, most):
        assert getattr(Settings.from_env({**ENV, name: str(fits)}), name.lower().removeprefix("dams_")) == fits
    for wrong in (least - 1, most + 1):
        with pytest.raises(SettingsError, match=name):
            Settings.from_env({**ENV, name: str(wrong)})


def test_what_is_not_said_is_usual() -> None:
    found = Settings.from_env(ENV)
    assert (found.port, found.catalogue_url) == (8083, "http://127.0.0.1:8081")
    assert (found.redis_url, found.state_dir, found.purge_url, found.purge_header) == (None, None, None, None)
    assert found.purge_method == "POST"
    assert Settings.from_env({**ENV, "DAMS_STATE_DIR": "/a"}).state_dir == Path("/a")


@pytest.mark.parametrize("header", ["Fastly-Key: abc", "X-1:abc", "Authorization: Bearer a b~"])
def test_a_header_is_a_name_and_a_value(header: str) -> None:
    assert Settings.from_env({**ENV, "DAMS_PURGE_HEADER": header}).purge_header == header


@pytest.mark.parametrize("header", ["Fastly-Key", "Fastly Key: a", "Key:", ": a", "Key: a\nOther: b", "Key: é"])
def test_anything_else_is_none(header: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_env({**ENV, "DAMS_PURGE_HEADER": header})
    assert str(refused.value) == "DAMS_PURGE_HEADER is not a header like Fastly-Key: value"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("WebMercatorQuad/0, Nowhere", "names 'Nowhere', which is not like WebMercatorQuad/0-2"),
        ("WebMercatorQuad/1 2", "names 'WebMercatorQuad/1 2', which is not like WebMercatorQuad/0-2"),
        ("WebMercatorQuad/٣", "names 'WebMercatorQuad/٣', which is not like WebMercatorQuad/0-2"),
        ("WebMercatorQuad/100", "names 'WebMercatorQuad/100', which is not like WebMercatorQuad/0-2"),
        ("WebMercatorQuad/0,Nowhere/0", "names Nowhere, which is no tile matrix set"),
        ("WebMercatorQuad/2-1", "names zooms 2 to 1, which WebMercatorQuad does not have"),
        ("WebMercatorQuad/0,UTM31WGS84Quad/0-1", "names zooms 0 to 1, which UTM31WGS84Quad does not have"),
        ("WebMercatorQuad/24-25", "names zooms 24 to 25, which WebMercatorQuad does not have"),
    ],
)
def test_what_cannot_be_warmed_is_named(text: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_env({**ENV, "DAMS_TILE_WARM_UP": text})
    assert str(refused.value) == f"DAMS_TILE_WARM_UP={text!r} {sentence}"


def test_zooms_are_warmed_up_to_the_last_and_blanks_mean_nothing() -> None:
    found = Settings.from_env({**ENV, "DAMS_TILE_WARM_UP": " WorldCRS84Quad/0 , WebMercatorQuad/22-24 "}).tile_warm_up
    assert found == (("WorldCRS84Quad", 0), *(("WebMercatorQuad", zoom) for zoom in (22, 23, 24)))
    assert Settings.from_env({**ENV, "DAMS_TILE_WARM_UP": " none "}).tile_warm_up == ()


def test_connections_are_as_many_and_as_quick_as_is_said() -> None:
    more = {"DAMS_POOL_SIZE": "8", "DAMS_COLLECTION_SHARE_PERCENT": "25", "DAMS_TILE_TIMEOUT_SECONDS": "7"}
    assert pool_of(Settings.from_env({**ENV, **more}), "dams-some") == PoolSettings(
        ENV["DAMS_DATABASE_URL"],
        "dams-some",
        size=8,
        statement_timeout_ms=7000,
        acquire_timeout=5.0,
        # the store bounds them
        waiting=None,
        lock_timeout_ms=2000,
        share=2,
        parallel=False,
    )


async def test_what_is_made_and_kept_is_bounded_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, Any] = {}
    ended: list[TileStore] = []

    def noted(kind: type) -> None:
        begin = kind.__init__  # type: ignore[misc]

        def noting(itself: object, *given: Any, **limits: Any) -> None:
            told.update(limits)
            begin(itself, *given, **limits)

        monkeypatch.setattr(kind, "__init__", noting)

    async def close(store: TileStore) -> None:
        ended.append(store)

    async def without_waiting(catalogue: CatalogueClient) -> CatalogueClient:
        return catalogue

    noted(TileStore)
    noted(TileCache)
    monkeypatch.setattr(CatalogueClient, "__aenter__", without_waiting)
    monkeypatch.setattr(TileStore, "close", close)
    # no process listens there, nor has to
    said = {
        "DAMS_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/nothing",
        "DAMS_POOL_SIZE": "2",
        "DAMS_TILE_QUEUE": "5",
        "DAMS_COLLECTION_SHARE_PERCENT": "25",
    }
    most = {
        "DAMS_REDIS_TIMEOUT_SECONDS": "0.25",
        "DAMS_TILE_MAX_FEATURES": "13",
        "DAMS_TILE_MAX_BYTES": "5000",
        "DAMS_TILE_CACHE_FILTERED_BYTES": "3000000",
    }
    async with open_resources(Settings.from_env({**said, **most})) as opened:
        assert not ended
    assert ended == [opened.store]
    assert told == {
        # the number that have a connection, plus the number that wait for one
        "most_rendering": 7,
        "share": 0.25,
        "max_features": 13,
        "max_bytes": 5000,
        "share_bytes": 3_000_000,
        "deadline": 0.25,
    }


def test_secrets_are_in_no_message() -> None:
    secret = {
        "DAMS_PURGE_HEADER": "Key: s3cret",
        "DAMS_PURGE_URL": "https://cdn.example/s3cret",
        "DAMS_REDIS_URL": "redis://:s3cret@r",
    }
    assert "s3cret" not in repr(Settings.from_env({**ENV, **secret}))


@pytest.mark.parametrize("method", ["POST", "PURGE", "BAN", "DELETE"])
def test_how_a_cdn_may_be_told(method: str) -> None:
    assert Settings.from_env({**ENV, "DAMS_PURGE_METHOD": method}).purge_method == method
    with pytest.raises(SettingsError, match="DAMS_PURGE_METHOD"):
        Settings.from_env({**ENV, "DAMS_PURGE_METHOD": "GET"})
