"""Which collections changed, in order, as far back as is remembered. What is known is the data version of each."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersion, DataVersions
from services.features.streaming.changed_items import Items

_REMEMBERED = 2000
"""Changes; a listener who was away for longer has to read anew."""

_DIGEST_BYTES = 9


@dataclass(frozen=True, slots=True)
class Change:
    """A collection has another version; None: it is no longer there."""

    state: str
    """Of all collections together after it: the same in every process that knows the same versions."""
    collection: str
    version: str | None
    since: datetime | None
    """When this process first knew of it, in whole seconds, rounded up."""
    items: Items | None = None
    """The features that changed, where that is known and as it is told for the first time."""


class Journal:
    """The versions of all collections and the latest changes of these."""

    def __init__(self, versions: DataVersions) -> None:
        self._versions = versions
        self._known: dict[str, str] = {}
        self._sum = 0
        self._changes: deque[Change] = deque(maxlen=_REMEMBERED)
        self._begun = False

    def read(self, collections: Mapping[str, Collection] | None) -> list[Change]:
        """What has changed since the last call; nothing the first time, and while no versions are known.

        A collection whose version is not known at the moment stays as it was.
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
        # for who is told of this state, and comes back after the first change
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
        """Nobody listens: what changes from now on is not noted."""
        self._begun = False
        self._changes.clear()

    def state(self) -> str:
        """A name of all versions together."""
        # of each alone: where all change at once it is asked for as often
        return f"{self._sum:0{2 * _DIGEST_BYTES}x}"

    def current(self) -> Mapping[str, str]:
        """The version of each collection that has one."""
        return self._known

    def since(self, state: str) -> list[Change] | None:
        """The last change of each collection after that state; None where it is not remembered."""
        if state == self.state():
            return []
        changes = list(self._changes)
        places = [place for place, change in enumerate(changes) if change.state == state]
        return None if not places else _last_of_each(changes[places[-1] + 1 :])

    def since_version(self, collection: str, version: str) -> list[Change] | None:
        """The same of one collection after a version of it."""
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
