"""The sources with the addresses that an operator set."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from deploy.loader.source import Source

ADDRESSES = "DAMS_LOADER_ADDRESSES"
"""Variable with addresses that replace those of sources: `jtwc-warnings=https://…`, several of them after spaces."""


class ConfigurationError(ValueError):
    """The variable is invalid; the message says why."""


def configure_sources(sources: Mapping[str, Source], environment: Mapping[str, str]) -> dict[str, Source]:
    """Return the sources with their configured addresses. Raises ConfigurationError.

    Such a source has no addresses for revisions since a time, because only the publisher's own ones select by time.
    """
    found: dict[str, list[str]] = {}
    for part in environment.get(ADDRESSES, "").split():
        name, _, address = part.partition("=")
        if name not in sources:
            raise ConfigurationError(f"{ADDRESSES}: {name!r} is not a source; `list` names them")
        if not address.startswith(("http://", "https://", "/")):
            raise ConfigurationError(
                f"{ADDRESSES}: {name} needs an address with http or https, or the path of a file, not {address!r}"
            )
        found.setdefault(name, []).append(address)
    return {
        name: replace(source, addresses=_list_always(found[name]), catches_up=False) if name in found else source
        for name, source in sources.items()
    }


def _list_always(addresses: list[str]) -> Callable[[datetime | None], Iterable[str]]:
    return lambda _since: addresses
