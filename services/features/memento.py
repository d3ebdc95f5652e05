"""Headers of past states, and the choice of one by `Accept-Datetime` (Memento, RFC 7089, pattern 1.2).

A feature is its own TimeGate. The address of a version has `asOf`, as in the proposal for versioned features, which has
`datetime` there; here `datetime` is the time of the features.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from urllib.parse import urlencode

from libs.catalogue.model import Collection
from libs.catalogue.versions import DataVersions
from libs.ogc.errors import Fault, Gone, MalformedRequest
from libs.ogc.link import Link, path_segment
from libs.ogc.media_type import MediaType, name_format
from libs.ogc.temporal import parse_instant, rfc3339
from libs.selection.past import AS_OF, as_of, at_time
from libs.web.app import Call, sent_parameters
from libs.web.base_url import base_url
from libs.web.conditional import SETTLED_CACHE, data_headers
from libs.web.respond import vary
from services.features.answer import Answer
from services.features.resources import ITEM_VERSIONS, VERSIONS
from services.features.rows.item_versions import Version, version_at

LINK_FORMAT = "application/link-format"
name_format("link", LINK_FORMAT, "links")

ACCEPT_DATETIME = "Accept-Datetime"
_WITHIN_SECOND = timedelta(microseconds=999_999)


def http_date(moment: datetime) -> str:
    """Return the time in the format of `Memento-Datetime`."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def of_past(collection: Collection, call: Call, versions: DataVersions) -> dict[str, str]:
    """Return the headers of features at a past time; none for the present ones."""
    if collection.past is None:
        return {}
    others = [(name, text) for name, text in sent_parameters(call.request) if name != AS_OF]
    address = f"{base_url(call.request)}{call.request.rel_url.raw_path}"
    original = Link(f"{address}?{urlencode(others)}" if others else address, "original")
    headers = {"Link": original.to_header()}
    if versions.is_settled(collection):
        # it promises that the state never changes
        headers["Memento-Datetime"] = http_date(parse_instant(collection.past))
        # a page depends on the language and on the time
        if call.media_type != MediaType.HTML and AS_OF in call.given:
            headers["Cache-Control"] = SETTLED_CACHE
    return headers


def at_requested_time(collection: Collection, call: Call) -> Collection:
    """Return the collection at the time in `asOf`, or in `Accept-Datetime`; itself without them, or without a history.

    As in section 4.5.3 of RFC 7089, a time before the history means its beginning, and a later one than now means now.
    Raises MalformedRequest, and adds faults of `asOf` to the query.
    """
    collection = as_of(collection, call.query)
    text = call.request.headers.get(ACCEPT_DATETIME)
    if text is None or collection.history is None or AS_OF in call.given:
        return collection
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        sentence = "Accept-Datetime must be a time such as Thu, 12 Nov 2026 08:00:00 GMT"
        raise MalformedRequest([Fault(("header", ACCEPT_DATETIME), sentence, text)]) from None
    # versions are announced with whole seconds: all of the second counts
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC) + _WITHIN_SECOND
    return at_time(collection, max(parse_instant(collection.history.since), min(moment, datetime.now(UTC))))


def item_address(base: str, collection: Collection, item_id: str) -> str:
    """Return the address of a feature."""
    return f"{base}/collections/{path_segment(collection.id)}/items/{path_segment(item_id)}"


def version_address(item: str, version: Version) -> str:
    """Return the address of a version of the feature at this address."""
    return f"{item}?{AS_OF}={rfc3339(version.start)}"


def of_item(item: str) -> list[Link]:
    """Return the links of a feature with a history."""
    versions = f"{item}/versions"
    return [
        Link(item, "original timegate"),
        Link(f"{versions}?f=link", "timemap", LINK_FORMAT),
        Link(versions, "version-history", MediaType.JSON),
    ]


def of_version(item: str, versions: Sequence[Version], place: int) -> tuple[str, list[Link]]:
    """Return the address of a version, and the links to it and to those beside it (RFC 5829)."""
    address = version_address(item, versions[place])
    links = [Link(address, "canonical")]
    if place > 0:
        links.append(Link(version_address(item, versions[place - 1]), "predecessor-version"))
    if place + 1 < len(versions):
        links.append(Link(version_address(item, versions[place + 1]), "successor-version"))
    return address, links


def header(links: Sequence[Link]) -> str:
    """Return the value of `Link`."""
    return ", ".join(link.to_header() for link in links)


def page_answer(call: Call, collection: Collection, limits: str) -> Answer:
    """Return the answer of a page, with its validators; for POST without, as the address does not name the page."""
    if call.request.method == "POST":
        return Answer({"Cache-Control": "no-store"})
    versions = call.request.app[VERSIONS]
    headers = data_headers(call.request, call.media_type, versions.of_features(collection), limits=limits)
    return Answer(headers | of_past(collection, call, versions))


def item_answer(call: Call, present: Collection, collection: Collection, limits: str) -> Answer:
    """Return the answer of a feature, with its validators."""
    version = call.request.app[VERSIONS].of_features(collection)
    headers = data_headers(call.request, call.media_type, version, limits=limits)
    if present.history is not None and AS_OF not in call.given:
        headers["Vary"] = f"{headers.get('Vary', vary(call.media_type))}, {ACCEPT_DATETIME}"
    return Answer(headers)


async def with_version(call: Call, present: Collection, collection: Collection, answer: Answer) -> Answer:
    """Return the answer with the headers of a feature with a history, and of its version if a past one is requested.

    Raises Gone if it had no version at that time, but has others.
    """
    if present.history is None:
        return answer
    item = item_address(base_url(call.request), present, call.path["itemId"])
    if collection.past is None:
        return answer.with_links(header(of_item(item)))
    versions = await call.request.app[ITEM_VERSIONS].read(present, call.path["itemId"])
    place = version_at(versions, parse_instant(collection.past))
    if place is None:
        if versions:
            sentence = f"Item '{call.path['itemId']}' had no version at {collection.past}; see {item}/versions."
            raise Gone(sentence, header(of_item(item)))
        return answer
    address, links = of_version(item, versions, place)
    known = call.request.app[VERSIONS]
    headers = of_past(collection, call, known)
    links = [*of_item(item), *links]
    headers |= {"Link": header(links)} | ({} if AS_OF in call.given else {"Content-Location": address})
    if known.is_settled(at_time(present, versions[place].start)):
        headers["Memento-Datetime"] = http_date(versions[place].start)
    return answer.with_headers(headers)
