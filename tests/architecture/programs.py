"""The programs of the service, each with the model of its settings."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.settings import GatewaySettings
from libs.web.settings import EnvironmentSettings
from services.common.settings import Settings as CommonSettings
from services.features.settings import Settings as FeaturesSettings
from services.tiles.settings import Settings as TilesSettings
from services.viewer.settings import Settings as ViewerSettings

SERVICES = ("common", "features", "tiles", "viewer")

SETTINGS: Mapping[str, type[EnvironmentSettings]] = {
    "common": CommonSettings,
    "features": FeaturesSettings,
    "tiles": TilesSettings,
    "viewer": ViewerSettings,
    "gateway": GatewaySettings,
}
