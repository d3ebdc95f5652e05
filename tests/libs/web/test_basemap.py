"""An operator's basemap."""

from __future__ import annotations

import pytest

from libs.web.basemap import BasemapSettings
from libs.web.settings import SettingsError

TILES = "https://tiles.example:8443/a/{z}/{x}/{y}.png?key=1"


def test_a_basemap_has_tiles_and_says_whose_they_are() -> None:
    found = BasemapSettings.from_env({"DAMS_BASEMAP_TILES": TILES, "DAMS_BASEMAP_ATTRIBUTION": " © Them "}).basemap
    assert found is not None
    assert (found.tiles, found.attribution, found.max_zoom) == (TILES, "© Them", 19)
    assert found.origin == "https://tiles.example:8443"
    with pytest.raises(SettingsError, match="DAMS_BASEMAP_ATTRIBUTION is not set"):
        BasemapSettings.from_env({"DAMS_BASEMAP_TILES": TILES})


def test_without_one_there_is_ours() -> None:
    assert BasemapSettings.from_env({"DAMS_BASEMAP_ATTRIBUTION": "© Them"}).basemap is None


@pytest.mark.parametrize(
    "tiles",
    [
        "ftp://tiles.example/{z}/{x}/{y}.png",
        "https://tiles.example/{z}/{x}.png",
        "https://tiles.example/{z}/{y}.png",
        "https://tiles.example/{x}/{y}.png",
        # characters that would end a source of the Content-Security-Policy
        "https://tiles.example/{z}/{x}/{y}.png; script-src *",
        "https://tiles.example/{z}/{x}/{y}.png,b",
        "https://{z}/{x}/{y}",
    ],
)
def test_what_is_no_address_of_tiles_is_refused(tiles: str) -> None:
    with pytest.raises(SettingsError, match="DAMS_BASEMAP_TILES"):
        BasemapSettings.from_env({"DAMS_BASEMAP_TILES": tiles, "DAMS_BASEMAP_ATTRIBUTION": "© Them"})


@pytest.mark.parametrize(("zoom", "fits"), [("-1", False), ("0", True), ("24", True), ("25", False)])
def test_zooms_are_those_of_web_mercator(zoom: str, fits: bool) -> None:
    said = {"DAMS_BASEMAP_TILES": TILES, "DAMS_BASEMAP_ATTRIBUTION": "© Them", "DAMS_BASEMAP_MAX_ZOOM": zoom}
    if fits:
        found = BasemapSettings.from_env(said).basemap
        assert found is not None
        assert found.max_zoom == int(zoom)
    else:
        with pytest.raises(SettingsError, match="DAMS_BASEMAP_MAX_ZOOM"):
            BasemapSettings.from_env(said)
