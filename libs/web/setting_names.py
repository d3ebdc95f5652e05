"""The names of all settings, and which names in an environment look like a misspelt one."""

from collections.abc import Mapping
from difflib import get_close_matches

NAMES = frozenset(
    [
        "BASEMAP_ATTRIBUTION",
        "BASEMAP_MAX_ZOOM",
        "BASEMAP_TILES",
        "CAP_SENDER",
        "CAP_STATUS",
        "CATALOGUE_REFRESH_SECONDS",
        "CATALOGUE_URL",
        "CDN_MAX_AGE",
        "CHANGE_LISTENERS",
        "COLLECTIONS_CONFIG",
        "COLLECTION_SCHEMAS",
        "COLLECTION_SHARE",
        "COMMON_UPSTREAM",
        "DATABASE_LOADER_URL",
        "DATABASE_OWNER_URL",
        "DATABASE_READ_URLS",
        "DATABASE_URL",
        "DEMO_DATA",
        "DEMO_TODAY",
        "EMBED_ORIGINS",
        "EXPORTS_AT_ONCE",
        "EXPORT_KEPT_BYTES",
        "EXPORT_KEPT_SECONDS",
        "EXPORT_MAX_BYTES",
        "EXPORT_SECONDS",
        "EXTENSION_COLLECTIONS",
        "FEATURES",
        "FEATURES_KEPT_BYTES",
        "FEATURES_UPSTREAM",
        "GATEWAY_CODINGS",
        "GATEWAY_DIR",
        "GATEWAY_HOST",
        "GATEWAY_HTTP3",
        "GATEWAY_INTERNAL_PORT",
        "GATEWAY_PORT",
        "GATEWAY_REQUESTS_PER_CLIENT",
        "GATEWAY_REQUESTS_PER_SECOND",
        "GATEWAY_TIMEOUT_SECONDS",
        "GATEWAY_TLS_CERTIFICATE",
        "GATEWAY_TLS_KEY",
        "GATEWAY_TLS_PORT",
        "GATEWAY_TRUSTED_PROXIES",
        "HOST",
        "IMPACTS",
        "INVALID_PARAMETER_STATUS",
        "LOG_FORMAT",
        "LIVE",
        "LOADER_ADDRESSES",
        "LOADER_CONTACT",
        "LOG_LEVEL",
        "NONSPATIAL_COLLECTIONS",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_HEADERS",
        "OTEL_TRACES_SAMPLER_ARG",
        "PARTS_URL",
        "POOL_SIZE",
        "PORT",
        "PUBLIC_URL",
        "PURGE_HEADER",
        "PURGE_METHOD",
        "PURGE_URL",
        "REDIS_TIMEOUT_MS",
        "REDIS_URL",
        "REPLICAS",
        "REQUEST_TIMEOUT_SECONDS",
        "SITE_DESCRIPTION",
        "SITE_TITLE",
        "SOCKET",
        "STATE_DIR",
        "TILES",
        "TILES_UPSTREAM",
        "TILE_CACHE_FILTERED_MB",
        "TILE_MAX_BYTES",
        "TILE_MAX_FEATURES",
        "TILE_QUEUE",
        "TILE_TIMEOUT_SECONDS",
        "TILE_WARM_UP",
        "TRUSTED_PROXIES",
        "VIEWER_UPSTREAM",
    ]
)
"""Of services, gateway and stack; a test compares them with what the programs read."""

_SHORTEST = 6
"""Letters of a name; shorter ones, such as PORT, resemble variables of other programs."""
_ALIKE = 0.88
"""From 0 to 1: GATEWAY_PROT resembles GATEWAY_PORT by 0.92, GATEWAY_SERVICE_PORT by 0.75."""
_OTHERS = ("OTEL_",)
"""Beginnings of names of which a standard has more than we read."""


def misspelt(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that no program reads and whose name is nearly that of a setting."""
    candidates = [name for name in sorted(NAMES) if len(name) >= _SHORTEST]
    found = []
    for name in sorted(environment.keys() - NAMES):
        upper = name.upper()
        if len(name) < _SHORTEST or upper.startswith(_OTHERS):
            continue
        close = [upper] if upper in NAMES else get_close_matches(upper, candidates, n=1, cutoff=_ALIKE)
        if close:
            found.append(f"{name} is not a setting and has no effect; did you mean {close[0]}?")
    return found
