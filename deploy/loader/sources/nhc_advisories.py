"""Advisories of the National Hurricane Center and the Central Pacific Hurricane Center."""

import zipfile
from collections.abc import Iterator
from datetime import timedelta

from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.advisory_batches import ADVISED, batches, withdraw_inactive
from deploy.loader.sources.nhc_index import ADDRESS, index_of, is_index, products
from deploy.loader.sources.nhc_shapefiles import read_shapefiles
from deploy.loader.sources.nhc_tables import is_table, read_tables
from deploy.loader.sources.nhc_text import is_text, read_text
from deploy.loader.storms.advisories import Advisory, active_advisories
from deploy.loader.storms.identity import DISTURBANCE_TABLES, STORM_TABLES
from deploy.loader.storms.winds import NHC

_LARGEST = 4_000_000
"""Maximum size of a text in bytes; a larger document is not an advisory."""


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of whole storms: their advisories and, for active ones, the newest forecast.

    Also their tracks so far, unless a best track exists. Forecasts of storms that have ended, or that the centres no
    longer list, are withdrawn. If one of several products is invalid, the others are loaded. Raises DocumentError.
    """
    indexes = [document for document in documents if is_index(document)]
    given = [document for document in documents if document not in indexes and is_table(document)]
    advisories = read_tables(given, findings) if given else []
    listed = [index_of(document) for document in indexes]
    for index in listed:
        findings.rejected += index.rejected
    singles = [document for document in documents if document not in indexes and document not in given]
    advisories += _singles(singles, findings, must_be=not indexes)
    findings.issued = max((advisory.time for advisory in advisories), default=None)
    unique: dict[tuple[str, object], Advisory] = {}
    for each in advisories:
        # a text has more than the shapefile of the same advisory, and follows it
        findings.duplicates += [f"{each.event_id} {each.time}"] * ((each.event_id, each.time) in unique)
        unique[each.event_id, each.time] = each
    newest = {each.event_id: each for each in active_advisories(list(unique.values()))}
    yield from batches([unique[key] for key in sorted(unique)], newest, complete=bool(given), centre=NHC.name)
    # a file lists the storms that were active when it was made
    if indexes and all("://" in document.address for document in indexes):
        actives = [index.active for index in listed]
        known = [active for active in actives if active is not None]
        if len(known) == len(actives):
            yield withdraw_inactive(frozenset().union(*known), NHC.name)


def _singles(documents: list[Document], findings: Findings, *, must_be: bool) -> list[Advisory]:
    """Return one advisory per product, shapefiles first. Raises DocumentError if one `must_be` valid and is not."""
    drawn, written = [], []
    for document in documents:
        findings.read += 1
        try:
            if zipfile.is_zipfile(document.path):
                drawn.append(read_shapefiles(document, findings))
            else:
                written.append(_read_text(document))
        except DocumentError as error:
            if must_be and len(documents) == 1:
                raise
            findings.rejected.append(Rejected(document.address, str(error)))
    return drawn + written


def _read_text(document: Document) -> Advisory:
    if document.path.stat().st_size > _LARGEST:
        raise DocumentError(f"{document.address} is too long for a forecast/advisory")
    text = document.path.read_text(encoding="utf-8", errors="replace")
    if not is_text(text):
        raise DocumentError(f"{document.address} is neither a forecast/advisory (TCM) nor a table of them")
    return read_text(text, document.address)


SOURCE = Source(
    name="nhc-advisories",
    title="Advisories on tropical storms, National Hurricane Center",
    licence="public domain (United States government work); tables of rrricanesdata: CC0",
    licence_url="https://creativecommons.org/publicdomain/zero/1.0/",
    attribution="NOAA National Hurricane Center",
    rhythm=timedelta(hours=6),
    asked=timedelta(minutes=10),
    targets=(*ADVISED, *STORM_TABLES, *DISTURBANCE_TABLES),
    read=read,
    documents="forecast/advisories as text (TCM) or as shapefiles (…_5day_….zip); or fstadv, fcst, fcst_wr, wr, storms "
    "of rrricanes as CSV, together",
    addresses=lambda _since: [ADDRESS],
    named=products,
)
