"""The notifier's memory, in a file of SQLite: known events, and messages that wait for their delivery.

A look at the events and its messages are one transaction, so a restart neither loses nor repeats a message that was
not delivered. A message that was delivered just before a crash is sent again, with the same identifier.
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from deploy.notifier.deciding import Level

_SCHEMA = """
CREATE TABLE IF NOT EXISTS subscription (name TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, looked TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS event (
    subscription TEXT NOT NULL, item TEXT NOT NULL, severity INTEGER NOT NULL, people INTEGER NOT NULL,
    is_told INTEGER NOT NULL, is_cancelled INTEGER NOT NULL, revision INTEGER NOT NULL, title TEXT NOT NULL,
    cap TEXT, seen TEXT NOT NULL, missing TEXT, PRIMARY KEY (subscription, item)
);
CREATE TABLE IF NOT EXISTS message (
    id INTEGER PRIMARY KEY, subscription TEXT NOT NULL, channel TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
    created TEXT NOT NULL, due TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, error TEXT, is_lost INTEGER NOT NULL
);
"""
_FORGOTTEN_AFTER = timedelta(days=30)


class BusyError(Exception):
    """Another notifier uses the file."""


@dataclass(frozen=True, slots=True)
class Known:
    """An event as it was last seen.

    level: the highest steps. cap: the last alert. missing: when it was first missing.
    """

    item: str
    level: Level
    is_told: bool = False
    is_cancelled: bool = False
    revision: int = 0
    title: str = ""
    cap: str | None = None
    missing: datetime | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """A message that waits. key: its identifier, the same at each attempt."""

    id: int
    subscription: str
    channel: str
    key: str
    body: str
    created: datetime
    attempts: int


class State:
    """The file; one process at a time uses it."""

    def __init__(self, file: Path) -> None:
        """Open or create the file. Raises BusyError, OSError, sqlite3.Error."""
        self._lock = os.open(f"{file}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise BusyError(f"{file} is used by another notifier") from None
        self._database = sqlite3.connect(file, isolation_level=None)
        self._database.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file and let others use it."""
        self._database.close()
        os.close(self._lock)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all changes of the block, or none if it fails."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def has_looked(self, subscription: str, fingerprint: str) -> bool:
        """Return whether the events of this selection are known."""
        found = self._database.execute("SELECT fingerprint FROM subscription WHERE name = ?", (subscription,))
        return bool(found.fetchone() == (fingerprint,))

    def looked(self, subscription: str, fingerprint: str, now: datetime) -> None:
        """Record a complete look at a selection, and forget events that were not seen for a month."""
        self._database.execute(
            "INSERT INTO subscription VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO UPDATE SET fingerprint = excluded.fingerprint, looked = excluded.looked",
            (subscription, fingerprint, now.isoformat()),
        )
        self._database.execute(
            "DELETE FROM event WHERE subscription = ? AND seen < ?",
            (subscription, (now - _FORGOTTEN_AFTER).isoformat()),
        )

    def events(self, subscription: str) -> dict[str, Known]:
        """Return the known events of a subscription by item."""
        rows = self._database.execute(
            "SELECT item, severity, people, is_told, is_cancelled, revision, title, cap, missing FROM event "
            "WHERE subscription = ?",
            (subscription,),
        )
        return {
            item: Known(
                item, Level(severity, people), bool(told), bool(cancelled), revision, title, cap, _time(missing)
            )
            for item, severity, people, told, cancelled, revision, title, cap, missing in rows
        }

    def keep(self, subscription: str, known: Known, seen: datetime | None) -> None:
        """Record an event; without `seen` its time stays."""
        self._database.execute(
            "INSERT INTO event (subscription, item, severity, people, is_told, is_cancelled, revision, title, cap, "
            "missing, seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, coalesce(?11, '')) "
            "ON CONFLICT (subscription, item) DO UPDATE SET severity = ?3, people = ?4, is_told = ?5, "
            "is_cancelled = ?6, revision = ?7, title = ?8, cap = ?9, missing = ?10, seen = coalesce(?11, seen)",
            (
                subscription,
                known.item,
                known.level.severity,
                known.level.people,
                known.is_told,
                known.is_cancelled,
                known.revision,
                known.title,
                known.cap,
                known.missing.isoformat() if known.missing else None,
                seen.isoformat() if seen else None,
            ),
        )

    def add(self, subscription: str, channel: str, key: str, body: str, now: datetime) -> None:
        """Add a message to be sent at once."""
        self._database.execute(
            "INSERT INTO message (subscription, channel, key, body, created, due, is_lost) "
            "VALUES (?, ?, ?, ?, ?, ?, 0)",
            (subscription, channel, key, body, now.isoformat(), now.isoformat()),
        )

    def queues(self, now: datetime) -> list[list[Message]]:
        """Return the waiting messages of each subscription and channel, the oldest first, if the first one is due."""
        rows = self._database.execute(
            "SELECT id, subscription, channel, key, body, created, due, attempts FROM message "
            "WHERE NOT is_lost ORDER BY id"
        )
        found: dict[tuple[str, str], list[tuple[Message, str]]] = {}
        for number, subscription, channel, key, body, created, due, attempts in rows:
            message = Message(number, subscription, channel, key, body, datetime.fromisoformat(created), attempts)
            found.setdefault((subscription, channel), []).append((message, due))
        return [[message for message, _ in queue] for queue in found.values() if queue[0][1] <= now.isoformat()]

    def sent(self, message: Message) -> None:
        """Delete a delivered message."""
        self._database.execute("DELETE FROM message WHERE id = ?", (message.id,))

    def failed(self, message: Message, error: str, due: datetime | None) -> None:
        """Record a failed attempt; without a time for the next one the message is lost."""
        self._database.execute(
            "UPDATE message SET attempts = attempts + 1, error = ?, due = coalesce(?, due), is_lost = ? WHERE id = ?",
            (error, due.isoformat() if due else None, due is None, message.id),
        )

    @staticmethod
    def summary_of(file: Path) -> list[dict[str, object]]:
        """Return of each subscription in a file the last look and the numbers of messages. Raises sqlite3.Error."""
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT s.name, s.looked, (SELECT count(*) FROM event e WHERE e.subscription = s.name), "
                "coalesce(sum(NOT m.is_lost), 0), coalesce(sum(m.is_lost), 0), max(m.error) "
                "FROM subscription s LEFT JOIN message m ON m.subscription = s.name GROUP BY s.name ORDER BY s.name"
            ).fetchall()
        names = ("subscription", "looked", "events", "waiting", "lost", "error")
        return [dict(zip(names, row, strict=True)) for row in rows]


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
