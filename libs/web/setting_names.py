"""The names of all settings, their former names, files of secrets, and which names look like a misspelt setting.

Every setting begins with `DAMS_`, except those that OpenTelemetry defines.
"""

import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from difflib import get_close_matches
from pathlib import Path

PREFIX = "DAMS_"

_OWN = """
    BASEMAP_ATTRIBUTION BASEMAP_MAX_ZOOM BASEMAP_TILES CAP_SENDER CAP_STATUS CATALOGUE_REFRESH_SECONDS CATALOGUE_URL
    CDN_MAX_AGE_SECONDS CHANGE_LISTENERS COLLECTIONS_CONFIG COLLECTION_SCHEMAS COLLECTION_SHARE_PERCENT COMMON_UPSTREAM
    DATABASE_LOADER_URL DATABASE_OWNER_URL DATABASE_READ_URLS DATABASE_URL DEMO_DATA DEMO_TODAY EMBED_ORIGINS
    EXPORTS_AT_ONCE EXPORT_KEPT_BYTES EXPORT_KEPT_SECONDS EXPORT_MAX_BYTES EXPORT_SECONDS EXTENSION_COLLECTIONS
    FEATURES_KEPT_BYTES FEATURES_PROCESSES FEATURES_UPSTREAM GATEWAY_CODINGS GATEWAY_DIR GATEWAY_HOST GATEWAY_HTTP3
    GATEWAY_INTERNAL_PORT GATEWAY_PORT GATEWAY_REQUESTS_PER_CLIENT GATEWAY_REQUESTS_PER_SECOND GATEWAY_TIMEOUT_SECONDS
    GATEWAY_TLS_CERTIFICATE GATEWAY_TLS_KEY GATEWAY_TLS_PORT HOST IMPACTS INVALID_PARAMETER_STATUS LIVE LOADER_ADDRESSES
    LOADER_CONTACT LOADER_EWDS_TOKEN LOG_FORMAT LOG_LEVEL NONSPATIAL_COLLECTIONS NOTIFIER_CONFIG PARTS_URL POOL_SIZE
    PORT PUBLIC_URL PURGE_HEADER PURGE_METHOD PURGE_URL REDIS_TIMEOUT_SECONDS REDIS_URL REPLICAS REQUEST_TIMEOUT_SECONDS
    SITE_DESCRIPTION SITE_TITLE SOCKET STATE_DIR TILES_PROCESSES TILES_UPSTREAM TILE_CACHE_FILTERED_BYTES TILE_MAX_BYTES
    TILE_MAX_FEATURES TILE_QUEUE TILE_TIMEOUT_SECONDS TILE_WARM_UP TRUSTED_GATEWAYS TRUSTED_PROXIES VIEWER_UPSTREAM
"""
NAMES = frozenset(
    [
        *(PREFIX + name for name in _OWN.split()),
        *("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_TRACES_SAMPLER_ARG"),
    ]
)
"""Of services, gateway and stack; a test compares them with what the programs read."""

_FILE = "_FILE"
SECRETS = frozenset(
    [
        *("DAMS_DATABASE_URL", "DAMS_DATABASE_READ_URLS", "DAMS_DATABASE_OWNER_URL", "DAMS_DATABASE_LOADER_URL"),
        *("DAMS_REDIS_URL", "DAMS_PURGE_URL", "DAMS_PURGE_HEADER", "OTEL_EXPORTER_OTLP_HEADERS"),
        "DAMS_LOADER_EWDS_TOKEN",
    ]
)
"""Settings that may also be the content of a file, which `…_FILE` names."""

_RENAMED = {
    "CDN_MAX_AGE": "DAMS_CDN_MAX_AGE_SECONDS",
    "COLLECTION_SHARE": "DAMS_COLLECTION_SHARE_PERCENT",
    "FEATURES": "DAMS_FEATURES_PROCESSES",
    "GATEWAY_TRUSTED_PROXIES": "DAMS_TRUSTED_PROXIES",
    "REDIS_TIMEOUT_MS": "DAMS_REDIS_TIMEOUT_SECONDS",
    "TILES": "DAMS_TILES_PROCESSES",
    "TILE_CACHE_FILTERED_MB": "DAMS_TILE_CACHE_FILTERED_BYTES",
    "TRUSTED_PROXIES": "DAMS_TRUSTED_GATEWAYS",
}
FORMER_NAMES: Mapping[str, str] = {
    **{name.removeprefix(PREFIX): name for name in NAMES if name.startswith(PREFIX)},
    **_RENAMED,
}
"""Names before the prefix; this version still reads them."""

_UNITS: Mapping[str, Callable[[float], float]] = {
    "REDIS_TIMEOUT_MS": lambda milliseconds: milliseconds / 1000,
    "TILE_CACHE_FILTERED_MB": lambda megabytes: megabytes * 1_000_000,
}

_SHORTEST = 6
"""Letters of a name; shorter ones, such as PORT, resemble variables of other programs."""
_ALIKE = 0.88
"""From 0 to 1: GATEWAY_PROT resembles GATEWAY_PORT by 0.92, GATEWAY_SERVICE_PORT by 0.75."""
_OTHERS = re.compile(
    r"OTEL_|DAMS_TEST_|DAMS_(STACK|FIDELITY|CLIENTS_ROOT|HAZARD_FILES)\Z|.*_SERVICE_(HOST|PORT)|.*_PORT_\d"
)
"""Names of which a standard has more than we read, of tests, and of a cluster's services."""


class SettingsError(ValueError):
    """Settings are missing or malformed; the message lists each."""


def resolve(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without empty values, with current names, and with secrets read from their files.

    A current name takes precedence over a former one. Raises SettingsError if a file cannot be read, or if a secret and
    its file are both given.
    """
    given = {name: text for name, text in environment.items() if text.strip()}
    former = {new: _in_new_unit(old, given[old]) for old, new in FORMER_NAMES.items() if _is_given(old, given)}
    current = {name: text for name, text in given.items() if name not in FORMER_NAMES}
    secrets = dict(_read_secrets(given))
    if twice := sorted(secrets.keys() & current.keys()):
        raise SettingsError("; ".join(f"{name} and {name}{_FILE} are both set; remove one" for name in twice))
    return former | current | secrets


def adopt(environment: MutableMapping[str, str]) -> list[str]:
    """Put current names and the content of secrets' files into the environment; return a sentence for each doubt."""
    said = remarks(environment)
    found = resolve(environment)
    for name in [*FORMER_NAMES, *(name + _FILE for name in SECRETS)]:
        environment.pop(name, None)
    environment.update({name: text for name, text in found.items() if name in NAMES})
    return said


def adopt_for_command() -> None:
    """Adopt the settings of a command: write remarks to standard error; exit with status 2 if a setting is wrong."""
    try:
        for sentence in adopt(os.environ):
            sys.stderr.write(f"warning: {sentence}\n")
    except SettingsError as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)


def remarks(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each former name, and for each name that looks like a setting and is none."""
    return [*_list_former(environment), *misspelt(environment)]


def misspelt(environment: Mapping[str, str]) -> list[str]:
    """Return a sentence for each variable that no program reads and whose name is nearly that of a setting."""
    settings = NAMES | {name + _FILE for name in SECRETS}
    candidates = [name for name in sorted({*settings, *FORMER_NAMES}) if len(name) >= _SHORTEST]
    found = []
    for name in sorted(environment.keys() - settings - FORMER_NAMES.keys()):
        upper = name.upper()
        if len(name) < _SHORTEST or _OTHERS.match(upper):
            continue
        close = [upper] if upper in candidates else get_close_matches(upper, candidates, n=1, cutoff=_ALIKE)
        if close or upper.startswith(PREFIX):
            meant = f"; did you mean {FORMER_NAMES.get(close[0], close[0])}?" if close else ""
            found.append(f"{name} is not a setting and has no effect{meant}")
    return found


def _list_former(environment: Mapping[str, str]) -> Iterator[str]:
    for old, new in sorted(FORMER_NAMES.items()):
        if not _is_given(old, environment):
            continue
        if environment.get(new, "").strip() not in ("", environment[old].strip()):
            yield f"{old} has no effect, because {new} is set"
        else:
            unit = " in the unit of its name" if old in _UNITS else ""
            yield f"{old} is now {new}{unit}; the next version no longer reads the old name"


def _is_given(old: str, environment: Mapping[str, str]) -> bool:
    """Return whether a former name is set as a setting. Kubernetes sets GATEWAY_PORT=tcp://… for a Service."""
    text = environment.get(old, "").strip()
    return bool(text) and not text.startswith("tcp://")


def _in_new_unit(old: str, text: str) -> str:
    convert = _UNITS.get(old)
    try:
        return f"{convert(float(text)):.12g}" if convert else text
    except ValueError:
        # reported with the setting's own rule
        return text


def _read_secrets(given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in SECRETS:
        if file := given.get(name + _FILE):
            try:
                yield name, Path(file).read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                reason = error.strerror if isinstance(error, OSError) else "it is not text"
                raise SettingsError(f"{name}{_FILE}={file!r} cannot be read: {reason}") from None
