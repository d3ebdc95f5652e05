"""Warnings of the Joint Typhoon Warning Center: West Pacific, Indian Ocean, South Pacific."""

from collections.abc import Iterator
from datetime import timedelta

from deploy.loader.records.target import Batch
from deploy.loader.source import Document, DocumentError, Findings, Rejected, Source
from deploy.loader.sources.advisory_batches import ADVISED, batches, withdraw_inactive
from deploy.loader.sources.invest_batches import invest_batches
from deploy.loader.sources.jtwc_disturbances import is_about_disturbances, read_disturbances
from deploy.loader.sources.jtwc_index import ADDRESS, addresses_of, is_feed, outlooks_of, products_of
from deploy.loader.sources.jtwc_text import is_warning, read_warning
from deploy.loader.storms.advisories import Advisory, active_advisories
from deploy.loader.storms.identity import DISTURBANCE_TABLES, STORM_TABLES
from deploy.loader.storms.winds import JTWC

_LARGEST = 4_000_000
"""Maximum size of a document in bytes; a larger one is neither a warning nor the feed."""


def products(document: Document) -> Iterator[str]:
    """Yield the addresses of the products of each system in the feed. Raises DocumentError."""
    text = _text(document)
    if is_feed(text):
        yield from addresses_of(products_of(document, text))
        yield from outlooks_of(text)


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield batches of whole storms, each with its newest forecast.

    Systems under investigation are disturbances. Forecasts of storms that the feed no longer lists are withdrawn. Of
    several products, invalid ones are findings. Raises DocumentError.
    """
    active: set[str] | None = None
    advisories: list[Advisory] = []
    disturbances: list[Advisory] = []
    for document in documents:
        text = _text(document)
        if is_feed(text):
            listed = {product.number for product in products_of(document, text)}
            active = (active or set()) | listed if "://" in document.address else active
            continue
        if is_about_disturbances(text) and not is_warning(text):
            disturbances += _disturbances(document, text, findings, must_be=len(documents) == 1)
            continue
        findings.read += 1
        try:
            advisory = _advisory(document, text)
        except DocumentError as error:
            if len(documents) == 1:
                raise
            findings.rejected.append(Rejected(document.address, str(error)))
            continue
        if _is_of_others(advisory):
            findings.left_out.append(
                Rejected(document.address, "the NHC or the CPHC issues the advisories of this storm")
            )
        else:
            advisories.append(advisory)
    findings.issued = max((advisory.time for advisory in [*advisories, *disturbances]), default=None)
    yield from invest_batches(disturbances, JTWC.name)
    unique: dict[tuple[str, object], Advisory] = {}
    for each in advisories:
        findings.duplicates += [f"{each.event_id} {each.time}"] * ((each.event_id, each.time) in unique)
        unique[each.event_id, each.time] = each
    newest = {each.event_id: each for each in active_advisories(list(unique.values()))}
    yield from batches([unique[key] for key in sorted(unique)], newest, complete=False, centre=JTWC.name)
    if active is not None:
        yield withdraw_inactive(frozenset(active), JTWC.name)


def _disturbances(document: Document, text: str, findings: Findings, *, must_be: bool) -> list[Advisory]:
    try:
        return read_disturbances(text, document, findings)
    except DocumentError as error:
        if must_be:
            raise
        findings.read += 1
        findings.rejected.append(Rejected(document.address, str(error)))
        return []


def _advisory(document: Document, text: str) -> Advisory:
    if not is_warning(text):
        raise DocumentError(f"{document.address} is neither a warning nor the feed of warnings")
    return read_warning(text, document)


def _is_of_others(advisory: Advisory) -> bool:
    """Return whether another centre is responsible: the JTWC repeats its advisories east of 180°."""
    where = advisory.analysed.longitude if advisory.analysed else 0
    return advisory.event_id.startswith("AL") or (advisory.event_id.startswith(("EP", "CP")) and where < 0)


def _text(document: Document) -> str:
    if document.path.stat().st_size > _LARGEST:
        raise DocumentError(f"{document.address} is too long for a warning")
    return document.path.read_text(encoding="utf-8", errors="replace")


SOURCE = Source(
    name="jtwc-warnings",
    title="Warnings of tropical cyclones, Joint Typhoon Warning Center",
    licence="public domain (United States government work)",
    licence_url="https://www.metoc.navy.mil/jtwc/jtwc.html",
    attribution="Joint Typhoon Warning Center, United States Navy and Air Force",
    rhythm=timedelta(hours=6),
    asked=timedelta(minutes=10),
    targets=(*ADVISED, *STORM_TABLES, *DISTURBANCE_TABLES),
    read=read,
    documents="warnings as text (…web.txt) or as JMV 3.0 data (….tcw), formation alerts and significant tropical "
    "weather advisories as text",
    addresses=lambda _since: [ADDRESS],
    named=products,
)
