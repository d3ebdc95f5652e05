"""What a source of hazard data says of itself, and what it makes of a document."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from deploy.loader.records.target import Batch, Target


class DocumentError(Exception):
    """A document is not what its source publishes; nothing of it is loaded. The message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was fetched or given.

    path: where it lies, uncompressed unless its name says otherwise (`.gz`, `.zip`).
    address: where it came from, for messages and for what sources link to.
    retrieved: when, UTC.
    """

    path: Path
    address: str
    retrieved: datetime


class Rejected(NamedTuple):
    """A record that is not loaded, and why; `record` is what its source calls it."""

    record: str
    reason: str


@dataclass(slots=True)
class Findings:
    """What a source's reader noticed on its way; the summary tells it.

    left_out: valid records that have no collection, and why. repaired: records whose geometry was repaired, and how.
    duplicates: records that came twice in one document, of which one was loaded.
    issued: the newest time of issue in the document, UTC.
    """

    read: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    left_out: list[Rejected] = field(default_factory=list)
    repaired: list[Rejected] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    issued: datetime | None = None


Reader = Callable[[list[Document], Findings], Iterator[Batch]]
"""Makes batches of the documents of one load. Counts every record in `findings.read`, and those that it leaves out with
their reason. Raises DocumentError, and does so
before it gives the first batch wherever it can: batches are written as they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of hazard data.

    name: what `load` calls it. title, licence, attribution: words for people; `licence_url` where there is one.
    addresses: the public addresses of its documents, given the time since which data are wanted (None: what the source
        publishes as its newest). Empty where files must be given.
    rhythm: how often the source publishes. asked: how often it is watched, where that is more often, as nobody knows
        when it publishes. targets: what it fills.
    documents: what `--from` takes, in words.
    catches_up: whether `addresses` of a time give what was revised and deleted since, which the newest do not.
    following: where a document has more pages, the address of the next one.
    by_name_only: whether it is watched only where it is named, as another brings the same.
    named: the addresses of other documents that a fetched one names. What of these cannot be had is a finding.
    """

    name: str
    title: str
    licence: str
    attribution: str
    rhythm: timedelta
    targets: tuple[Target, ...]
    read: Reader
    documents: str
    addresses: Callable[[datetime | None], Iterable[str]] = lambda _since: ()
    following: Callable[[Document], str | None] = lambda _document: None
    named: Callable[[Document], Iterable[str]] = lambda _document: ()
    asked: timedelta | None = None
    by_name_only: bool = False
    catches_up: bool = False
    licence_url: str | None = None
