"""The changes that a client gets that was disconnected."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, cast

from libs.catalogue.versions import DataVersion, DataVersions
from services.features.streaming.journal import Journal


class Versions:
    """Versions as they are set."""

    def __init__(self, **tokens: str) -> None:
        self.server: str | None = "here"
        self.tokens = tokens

    def version(self, name: str) -> DataVersion | None:
        return DataVersion(self.tokens[name], datetime.now(UTC)) if name in self.tokens else None


def _read(journal: Journal, *names: str) -> list[tuple[str, str | None]]:
    # a name stands for its collection when versions are read
    changes = journal.read(cast("Any", {name: name for name in names}))
    return [(change.collection, change.version) for change in changes]


def test_who_was_away_hears_the_last_of_each_change_once() -> None:
    versions = Versions(a="1", b="1")
    journal = Journal(cast("DataVersions", versions))
    assert _read(journal, "a", "b") == []
    left = journal.state()
    for token in ("2", "3"):
        versions.tokens["a"] = token
        assert _read(journal, "a", "b") == [("a", token)]
    between = journal.state()
    versions.tokens["b"] = "2"
    _read(journal, "a", "b")
    assert [(each.collection, each.version) for each in journal.changes_since(left) or []] == [("a", "3"), ("b", "2")]
    assert [(each.collection, each.version) for each in journal.changes_since(between) or []] == [("b", "2")]
    assert journal.changes_since(journal.state()) == []
    assert journal.changes_since("another") is None
    assert [each.version for each in journal.changes_since_version("a", "2") or []] == ["3"]
    assert journal.changes_since_version("a", "3") == []
    assert [each.version for each in journal.changes_since_version("a", "1") or []] == ["3"]
    assert journal.changes_since_version("a", "0") is None


def test_what_is_gone_is_told_and_what_is_unknown_for_a_moment_is_not() -> None:
    versions = Versions(a="1", b="1")
    journal = Journal(cast("DataVersions", versions))
    _read(journal, "a", "b")
    before = journal.state()
    versions.server = None
    assert _read(journal, "b") == []
    versions.server = "here"
    del versions.tokens["a"]
    assert _read(journal, "a", "b") == []
    assert _read(journal, "b") == [("a", None)]
    versions.tokens["a"] = "1"
    assert _read(journal, "a", "b") == [("a", "1")]
    # the same versions have the same name in every process
    assert journal.state() == before


def test_journal_after_a_pause_starts_with_the_present_state() -> None:
    versions = Versions(a="1", b="1")
    journal = Journal(cast("DataVersions", versions))
    _read(journal, "a", "b")
    left = journal.state()
    journal.forget()
    versions.tokens["a"] = "2"
    # when it changed is not known: it was not looked at
    assert _read(journal, "a", "b") == []
    assert journal.changes_since(left) is None
    told = journal.state()
    versions.tokens["b"] = "2"
    assert _read(journal, "a", "b") == [("b", "2")]
    assert [(each.collection, each.version) for each in journal.changes_since(told) or []] == [("b", "2")]
    assert [each.version for each in journal.changes_since_version("b", "1") or []] == ["2"]
    assert journal.changes_since_version("a", "1") is None
