"""The settings of the common service, and their defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from libs.web.settings import SettingsError
from services.common.settings import Settings

ENV = {"DAMS_DATABASE_URL": "postgresql://nobody@127.0.0.1/nothing"}


def test_what_is_not_said_is_usual() -> None:
    found = Settings.from_env(ENV)
    assert (found.port, found.collection_schemas, found.catalogue_refresh_seconds) == (8081, ("hazard",), 5)
    assert (found.collections_config, found.extension_collections, found.parts_url) == (None, None, None)
    assert found.nonspatial_collections is None


def test_what_is_said_is_read() -> None:
    said = {
        "DAMS_COLLECTION_SCHEMAS": 'a,"b,c"',
        "DAMS_COLLECTIONS_CONFIG": "/a.yaml,/b.yaml",
        "DAMS_EXTENSION_COLLECTIONS": "public.spatial_ref_sys",
        "DAMS_NONSPATIAL_COLLECTIONS": "public.readings, stats.*",
        "DAMS_PARTS_URL": "http://127.0.0.1:1",
    }
    found = Settings.from_env({**ENV, **said})
    assert found.collection_schemas == ("a", "b,c")
    assert found.collections_config == (Path("/a.yaml"), Path("/b.yaml"))
    assert (found.extension_collections, found.parts_url) == (("public.spatial_ref_sys",), "http://127.0.0.1:1")
    assert found.nonspatial_collections == ("public.readings", "stats.*")


@pytest.mark.parametrize(("seconds", "fits"), [("0", False), ("1", True), ("3600", True), ("3601", False)])
def test_the_catalogue_is_read_anew_between_each_second_and_each_hour(seconds: str, fits: bool) -> None:
    env = {**ENV, "DAMS_CATALOGUE_REFRESH_SECONDS": seconds}
    if fits:
        assert Settings.from_env(env).catalogue_refresh_seconds == int(seconds)
    else:
        with pytest.raises(SettingsError, match="DAMS_CATALOGUE_REFRESH_SECONDS"):
            Settings.from_env(env)


def test_without_a_database_it_does_not_start() -> None:
    with pytest.raises(SettingsError, match="DAMS_DATABASE_URL is not set"):
        Settings.from_env({})
