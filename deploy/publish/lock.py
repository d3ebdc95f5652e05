"""A lock file at the target, so that two publishers at once do not lose each other's versions.

`lock.json` names the publisher and the last time it was busy. One that has not been busy for hours counts as dead.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from deploy.publish.target import Target

LOCK = "lock.json"
DEAD_AFTER = timedelta(hours=2)
"""Time without a sign of life. The longest step, the files of one collection, must be shorter."""


class LockedError(Exception):
    """Another publisher writes to the target; the text is a sentence for the terminal."""


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock of this publisher."""

    target: Target
    owner: str

    def renew(self) -> None:
        """Write that this publisher is busy. Raises LockedError if another one has taken the lock."""
        held = self.target.json(LOCK)
        if held is None or held["owner"] != self.owner:
            raise LockedError(f"another publisher has taken over {LOCK}; nothing was published, publish again")
        self.target.write_json(LOCK, _document(self.owner))


@contextmanager
def locked(target: Target) -> Iterator[Lock]:
    """Hold the lock of a target. Raises LockedError if another publisher holds it."""
    owner = f"{socket.gethostname()}.{os.getpid()}.{uuid4().hex[:8]}"
    held = target.json(LOCK)
    if held is not None and _is_dead(held):
        target.delete(LOCK)
    if not target.create_json(LOCK, _document(owner)):
        held = target.json(LOCK) or {"owner": "another publisher", "busy": "now"}
        raise LockedError(
            f"{held['owner']} is publishing there, last busy {held['busy']}; wait, or delete {LOCK} if it does not run"
        )
    try:
        yield Lock(target, owner)
    finally:
        held = target.json(LOCK)
        if held is not None and held["owner"] == owner:
            target.delete(LOCK)


def _document(owner: str) -> dict[str, Any]:
    return {"owner": owner, "busy": datetime.now(UTC).isoformat(timespec="seconds")}


def _is_dead(held: dict[str, Any]) -> bool:
    return datetime.now(UTC) - datetime.fromisoformat(held["busy"]) > DEAD_AFTER
