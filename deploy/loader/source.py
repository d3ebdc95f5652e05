"""The description of a source of hazard data, and the records read from its documents."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from deploy.loader.records.target import Batch, Target


class DocumentError(Exception):
    """A document does not have its source's format; none of it is loaded. The message has the reason."""


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was fetched or given.

    path: its location, uncompressed unless its name says otherwise (`.gz`, `.zip`).
    address: its origin, for messages and as the base of links.
    retrieved: time of the fetch, UTC.
    """

    path: Path
    address: str
    retrieved: datetime


class Rejected(NamedTuple):
    """A record that is not loaded, and why; `record` is its source's name for it."""

    record: str
    reason: str


@dataclass(slots=True)
class Findings:
    """Findings of a source's reader, for the summary.

    left_out: valid records without a collection, and why. repaired: records whose geometry was repaired, and how.
    duplicates: records that occur twice in one document, of which one was loaded.
    issued: the newest issue time in the document, UTC.
    is_open: whether the document has to be read again, also if it is unchanged.
    waiting: addresses of named documents to be fetched again, because the row that they add to is not stored yet.
    """

    read: int = 0
    rejected: list[Rejected] = field(default_factory=list)
    left_out: list[Rejected] = field(default_factory=list)
    repaired: list[Rejected] = field(default_factory=list)
    duplicates: list[str] = field(default_factory=list)
    issued: datetime | None = None
    is_open: bool = False
    waiting: set[str] = field(default_factory=set)


Reader = Callable[[list[Document], Findings], Iterator[Batch]]
"""Reads batches from the documents of one load.

Counts every record in `findings.read`, and the omitted ones with their reason. Raises DocumentError, before the first
batch wherever possible: batches are written at once.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A source of hazard data.

    name: its name for `load`. title, licence, attribution: texts for people; `licence_url` if there is one.
    addresses: the public addresses of its documents, given the start of the requested data (None: the source's newest
        data). Empty if files must be given.
    rhythm: how often the source publishes. asked: how often it is polled, if more often, because the time of
        publication is unknown. targets: the tables that it fills.
    documents: the documents that `--from` accepts, in words.
    catches_up: whether `addresses` of a time include later revisions and deletions, unlike the newest data.
    following: for a document with more pages, the address of the next one.
    by_name_only: whether it is watched only if named, because another source has the same data.
    named: the addresses of other documents that a fetched one names. A document that cannot be fetched is a finding.
    levels: how far they are followed: 2 if a named document names others.
    once: whether a named document never changes, so that it is fetched once. A part after `#` is its revision, which is
        not sent.
    most_named: maximum number of named documents of one load; the next one fetches others.
    needs: the setting that a live source needs for its address, in words; else empty.
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
    levels: int = 1
    once: bool = False
    most_named: int = 1000
    asked: timedelta | None = None
    by_name_only: bool = False
    catches_up: bool = False
    licence_url: str | None = None
    needs: str = ""
