"""The order of changes of collections, as far back as remembered. A change is a new data version."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from services.features.streaming.changed_items import Items

_REMEMBERED = 2000
"""Number of remembered changes; a listener that missed more must read everything again."""

_DIGEST_BYTES = 9


@dataclass(frozen=True, slots=True)
class Change:
    """A collection has a new version; None: the collection was removed."""

    state: str
    """State of all collections after the change: equal in all processes that know the same versions."""
    collection: str
    version: str | None
    since: datetime | None
    """Time when this process first saw it, in whole seconds, rounded up."""
    items: Items | None = None
    """The changed features if known, returned only the first time."""


class Journal:
    """The versions of all collections, and their latest changes."""

    def __init__(self, versions: DataVersions) -> None:
        self._versions = versions
        self._known: dict[str, str] = {}
        self._sum = 0
        self._changes: deque[Change] = deque(maxlen=_REMEMBERED)
        self._begun = False

    def read(self, collections: Mapping[str, Collection] | None) -> list[Change]:
        """Return the changes since the last call; none at the first call, and while no versions are known.

        A collection without a known version counts as unchanged.
        """
        if collections is None or self._versions.server is None:
            return []
        found = {name: self._versions.version(collection) for name, collection in collections.items()}
        if not self._begun:
            self._begin({name: version for name, version in found.items() if version is not None})
            return []
        changes: list[Change] = []
        for name in sorted(self._known.keys() - found.keys()):
            self._set(name, None)
            changes.append(Change(self.state(), name, None, None))
        for name, version in found.items():
            if version is not None and self._known.get(name) != version.token:
                self._set(name, version.token)
                changes.append(Change(self.state(), name, version.token, version.since))
        self._changes.extend(changes)
        return changes

    def _begin(self, versions: Mapping[str, DataVersion]) -> None:
        self._known, self._sum, self._begun = {}, 0, True
        for name, version in versions.items():
            self._set(name, version.token)
        # for a client that got this state and reconnects after the first change
        state = self.state()
        self._changes.extend(Change(state, name, each.token, each.since) for name, each in versions.items())

    def _set(self, name: str, token: str | None) -> None:
        before = self._known.pop(name, None)
        if before is not None:
            self._sum ^= _digest(name, before)
        if token is not None:
            self._known[name] = token
            self._sum ^= _digest(name, token)

    def forget(self) -> None:
        """Stop recording changes: there are no listeners."""
        self._begun = False
        self._changes.clear()

    def state(self) -> str:
        """Return a name for all versions together."""
        # of each version alone: if all change at once, this is called for each of them
        return f"{self._sum:0{2 * _DIGEST_BYTES}x}"

    def current(self) -> Mapping[str, str]:
        """Return the version of each collection that has one."""
        return self._known

    def changes_since(self, state: str) -> list[Change] | None:
        """Return the last change of each collection after that state; None if the state is no longer remembered."""
        if state == self.state():
            return []
        changes = list(self._changes)
        places = [place for place, change in enumerate(changes) if change.state == state]
        return None if not places else _last_of_each(changes[places[-1] + 1 :])

    def changes_since_version(self, collection: str, version: str) -> list[Change] | None:
        """Return the same for one collection after one of its versions."""
        if self._known.get(collection) == version:
            return []
        changes = [change for change in self._changes if change.collection == collection]
        places = [place for place, change in enumerate(changes) if change.version == version]
        return None if not places else _last_of_each(changes[places[-1] + 1 :])


def _digest(name: str, token: str) -> int:
    return int.from_bytes(blake2b(f"{name} {token}".encode(), digest_size=_DIGEST_BYTES).digest())


def _last_of_each(changes: Iterable[Change]) -> list[Change]:
    last: dict[str, Change] = {}
    for change in changes:
        last.pop(change.collection, None)
        last[change.collection] = change
    return list(last.values())
