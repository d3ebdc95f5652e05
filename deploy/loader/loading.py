"""One load of a source: its documents, its records, the changed rows, and the report."""

import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

import asyncpg

from deploy.loader.documents.datastore import is_request, retrieve
from deploy.loader.documents.fetching import MOST_BYTES, Fetcher, Patience
from deploy.loader.documents.following import Following
from deploy.loader.documents.unpacking import unpack_file
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.store import bookkeeping
from deploy.loader.store.bookkeeping import Validators
from deploy.loader.store.lock import hold_lock
from deploy.loader.store.writing import Counts, remove_simulated, write_batch


class Progress(Protocol):
    """Receives progress of a load."""

    def report_bytes(self, count: int, /) -> None:
        """Report `count` received bytes."""

    def report_rows(self, rows: int, /) -> None:
        """Report a written batch of `rows` rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The parameters of a load.

    given: files and addresses instead of the source's own. since: start of the requested data; None: the newest.
    dry_run: do everything except committing.
    """

    given: Sequence[str] = ()
    since: datetime | None = None
    dry_run: bool = False
    patience: Patience | None = None
    most_bytes: int = MOST_BYTES


@dataclass(slots=True)
class Outcome:
    """The result of a load; `is_modified` is false if the source has nothing new."""

    findings: Findings = field(default_factory=Findings)
    counts: Counts = field(default_factory=Counts)
    is_modified: bool = True

    @property
    def rejected(self) -> list[Rejected]:
        """Return the records that the reader rejected, and the rows that the database refused."""
        return [*self.findings.rejected, *self.counts.refused]


async def load(connection: asyncpg.Connection, source: Source, request: Request, progress: Progress) -> Outcome:
    """Load the source and record the result.

    Raises BusyError, FetchError, DocumentError, asyncpg.PostgresError, OSError. Written batches remain.
    """
    async with hold_lock(connection, source.name):
        if not request.dry_run:
            await bookkeeping.begin(connection, source)
        try:
            return await _load(connection, source, request, progress)
        except Exception as error:
            if not request.dry_run and not connection.is_closed():
                await bookkeeping.fail(connection, source, str(error) or type(error).__name__)
            raise


async def _load(connection: asyncpg.Connection, source: Source, request: Request, progress: Progress) -> Outcome:
    outcome, begun = Outcome(), datetime.now(UTC)
    # validators of another time span do not apply to the newest data
    known = {} if request.given or request.since or request.dry_run else await _read_validators(connection, source)
    async with _documents(source, request, known, outcome.findings, progress.report_bytes) as (documents, validators):
        outcome.is_modified = bool(documents)
        if documents:
            await _write(connection, source, documents, outcome, is_kept=not request.dry_run, progress=progress)
    waiting = outcome.findings.waiting
    if outcome.counts.withheld or outcome.findings.is_open or waiting:
        # request the whole document again, also if it is unchanged, to see whether the records are still missing
        validators = {
            address: each for address, each in validators.items() if each == Validators() and address not in waiting
        }
    if not request.dry_run:
        await bookkeeping.succeed(
            connection,
            source,
            summary=summary(outcome) if outcome.is_modified else None,
            issued=outcome.findings.issued,
            validators=validators if not request.given and request.since is None else {},
            retrieved=begun,
        )
    return outcome


async def _read_validators(connection: asyncpg.Connection, source: Source) -> dict[str, Validators]:
    return await bookkeeping.known_validators(connection, source)


async def _write(
    connection: asyncpg.Connection,
    source: Source,
    documents: list[Document],
    outcome: Outcome,
    *,
    is_kept: bool,
    progress: Progress,
) -> None:
    for batch in _read(source, documents, outcome.findings):
        transaction = connection.transaction()
        await transaction.start()
        try:
            counts = await write_batch(connection, batch)
            if is_kept:
                newly_real = await bookkeeping.note_changes(connection, source, counts.tables)
                counts.removed += await remove_simulated(connection, source.targets, newly_real)
        except BaseException:
            if not connection.is_closed():
                await transaction.rollback()
            raise
        await (transaction.commit() if is_kept else transaction.rollback())
        outcome.counts.add(counts)
        progress.report_rows(len(batch.rows))
    findings, counts = outcome.findings, outcome.counts
    rejected = outcome.rejected
    if findings.read and len(rejected) >= findings.read and not counts.kept:
        first = rejected[0]
        raise DocumentError(
            f"none of {findings.read} records is what {source.title} publishes; {first.record}: {first.reason}"
        )


def _read(source: Source, documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of records. Raises DocumentError if the reader fails on a document of an unexpected form."""
    try:
        yield from source.read(documents, findings)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise DocumentError(
            f"this is not what {source.title} publishes: its reader stopped with {type(error).__name__}: {error}"
        ) from error


@asynccontextmanager
async def _documents(
    source: Source,
    request: Request,
    known: dict[str, Validators],
    findings: Findings,
    received: Callable[[int], None],
) -> AsyncIterator[tuple[list[Document], dict[str, Validators]]]:
    """Yield the new documents, as long as the block lasts, and their validators by address.

    If one of several is new, all are fetched: a reader may need them together.
    """
    addresses = list(request.given or source.addresses(request.since))
    if not addresses:
        raise DocumentError(f"{source.name} has no address of its own: give {source.documents} by --from")
    with tempfile.TemporaryDirectory(prefix="dams-loader-") as name:
        folder = Path(name)
        unpack = partial(unpack_file, folder=folder, most_bytes=request.most_bytes)
        async with Fetcher(
            folder, patience=request.patience, most_bytes=request.most_bytes, received=received
        ) as fetcher:
            documents, validators = await _fetch(fetcher, source, addresses, known, unpack)
            following = Following(fetcher, source, findings, {address for address in known if source.once})
            await following.follow(documents)
            # missing documents are requested again, with those that name them
            validators = {address: each for address, each in validators.items() if address in following.done}
            if source.once:
                named = {each.address for each in following.found}
                validators |= dict.fromkeys(named & following.done, Validators())
        yield [*documents, *following.found], validators


async def _fetch(
    fetcher: Fetcher,
    source: Source,
    addresses: list[str],
    known: dict[str, Validators],
    unpack: Callable[[Path], Path],
) -> tuple[list[Document], dict[str, Validators]]:
    """Return all documents if one of them is new, else none; and the validators of the new ones."""
    pages: dict[str, list[tuple[Document, Validators]]] = {}
    for versions in (known, {}):
        for first in addresses:
            if not pages.get(first):
                is_file = "://" not in first
                pages[first] = (
                    _given(first, versions, unpack) if is_file else await _asked(fetcher, source, first, versions)
                )
        if not any(pages.values()):
            break
    found = [page for first in addresses for page in pages[first]]
    return [document for document, _ in found], {document.address: version for document, version in found}


def _given(
    name: str, known: dict[str, Validators], unpack: Callable[[Path], Path]
) -> list[tuple[Document, Validators]]:
    """Return a file, unless it has not changed."""
    path = Path(name)
    document = _file(path, unpack)
    version = Validators(last_modified=str(path.stat().st_mtime_ns))
    return [] if known.get(name) == version else [(document, version)]


async def _asked(
    fetcher: Fetcher, source: Source, first: str, known: dict[str, Validators]
) -> list[tuple[Document, Validators]]:
    """Return the new document of an address, with the pages that follow it."""
    found: list[tuple[Document, Validators]] = []
    address: str | None = first
    while address is not None:
        have = known.get(address, Validators())
        if is_request(address):
            fetched = await retrieve(fetcher, address, have.etag)
        else:
            fetched = await fetcher.fetch(address, etag=have.etag, last_modified=have.last_modified)
        if fetched.document is None:
            break
        found.append((fetched.document, Validators(fetched.etag, fetched.last_modified)))
        address = source.following(fetched.document)
    return found


def _file(path: Path, unpack: Callable[[Path], Path]) -> Document:
    if not path.is_file():
        raise DocumentError(f"{path} is no file")
    return Document(unpack(path), str(path), datetime.now(UTC))


def summary(outcome: Outcome) -> dict[str, int]:
    """Return the number of records and rows of each kind."""
    findings, counts = outcome.findings, outcome.counts
    return {
        "read": findings.read,
        "inserted": counts.inserted,
        "updated": counts.updated,
        "unchanged": counts.unchanged,
        "older": counts.older,
        "withdrawn": counts.withdrawn,
        "removed": counts.removed,
        "renamed": counts.renamed,
        "withheld": len(counts.withheld),
        "left out": len(findings.left_out),
        "rejected": len(outcome.rejected),
        "repaired": len(findings.repaired),
        "duplicates": len(findings.duplicates) + len(counts.duplicates),
    }
