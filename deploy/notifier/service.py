"""Reads events from the service: its feeds, schemas, people and alerts. The notifier needs no database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from urllib.parse import parse_qs, quote, urlsplit
from xml.etree import ElementTree

import aiohttp
import orjson
from yarl import URL

from deploy.notifier.configuration import Subscription

MOST = 10_000
"""Maximum number of events of a subscription."""
_PAGE = 500
_AT_ONCE = 100
"""Maximum number of identifiers in a request."""
_EVENT = "event_id"
"""Property with the event of a feature, by which people are counted."""
_ATOM = "{http://www.w3.org/2005/Atom}"
_TIMES = ("sent", "issued")


class ServiceError(Exception):
    """The service does not respond as expected; the message says how."""


class UnsuitableError(ServiceError):
    """A subscription does not fit its collection; the message says why."""


@dataclass(frozen=True, slots=True)
class Page:
    """The features of a selection by id, and the ETag of this state."""

    features: Mapping[str, Mapping[str, Any]]
    etag: str | None


@dataclass(frozen=True, slots=True)
class Words:
    """A feature in words: its title, and a summary that begins with the people in its zones."""

    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class _Response:
    status: int
    headers: Mapping[str, str]
    """Its names are case-insensitive."""
    body: bytes

    def json(self) -> Any:
        return orjson.loads(self.body)


class Service:
    """A client of the service."""

    def __init__(self, base: str) -> None:
        self._base, self._public = base, ""
        self._client = aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(sock_connect=60, sock_read=60), headers={"User-Agent": "dams-notifier/1.0"}
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.close()

    async def public_address(self) -> str:
        """Return the address of the service in links. Raises ServiceError."""
        if not self._public:
            landing = (await self._get("/", f="json")).json()
            own = (link["href"] for link in landing["links"] if link["rel"] == "self")
            self._public = str(next(own, self._base)).partition("?")[0].rstrip("/")
        return self._public

    async def check(self, subscription: Subscription) -> bool:
        """Return whether events of the collection last. Raises UnsuitableError if a property is missing."""
        where = f"subscriptions.{subscription.name}"
        response = await self._get(f"{_path(subscription.collection)}/schema", allowed=(404,))
        if response.status == 404:
            raise UnsuitableError(f"{where}.collection: the service has no collection {subscription.collection!r}")
        properties = response.json()["properties"]
        severity = subscription.severity
        if severity is not None and severity.property_ not in properties:
            known = ", ".join(name for name, each in properties.items() if each.get("type"))
            raise UnsuitableError(
                f"{where}.severity.property: the collection has no property {severity.property_!r}; it has {known}"
            )
        if severity is not None:
            _check_steps(where, subscription, properties[severity.property_])
        if subscription.people and _EVENT not in properties:
            raise UnsuitableError(
                f"{where}.people: the collection has no property {_EVENT}, by which people are counted"
            )
        times = {name for name, each in properties.items() if each.get("format") == "date-time"}
        if subscription.cap is not None and ("expires" not in times or not times & set(_TIMES)):
            raise UnsuitableError(
                f"{where}.cap: the features of {subscription.collection} are no alerts: they have no times of issue "
                "and expiry"
            )
        return any(each.get("x-ogc-role") == "primary-interval-end" for each in properties.values())

    async def page(self, subscription: Subscription, now: datetime, *, lasts: bool, etag: str | None) -> Page | None:
        """Return the present features of a selection; None if the ETag is current. Raises ServiceError.

        The time is cut to the hour, so that the address and with it the ETag stay.
        """
        hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=0 if lasts else subscription.days)
        query = {"datetime": f"{hour:%Y-%m-%dT%H:%M:%SZ}/..", "limit": str(_PAGE), "f": "geojson"}
        if subscription.bbox is not None:
            query["bbox"] = ",".join(f"{each:.9g}" for each in subscription.bbox)
        if subscription.filter is not None:
            query["filter"] = subscription.filter
        found: dict[str, Mapping[str, Any]] = {}
        first: _Response | None = None
        while True:
            headers = {"If-None-Match": etag} if etag and first is None else {}
            response = await self._get(f"{_path(subscription.collection)}/feed", headers, allowed=(304,), **query)
            if response.status == 304:
                return None
            first = first or response
            document = response.json()
            found |= {str(each["id"]): each for each in document["features"] if each.get("id") is not None}
            cursor = next((_cursor(link["href"]) for link in document["links"] if link["rel"] == "next"), None)
            if cursor is None:
                return Page(found, first.headers.get("ETag"))
            if len(found) >= MOST:
                raise UnsuitableError(
                    f"subscriptions.{subscription.name}: more than {MOST:,} events match; narrow bbox, filter or days"
                )
            query["cursor"] = cursor

    async def of_ids(self, collection: str, items: Iterable[str]) -> dict[str, Mapping[str, Any]]:
        """Return the features with these ids that exist. Raises ServiceError."""
        found: dict[str, Mapping[str, Any]] = {}
        for part in _parts(items):
            # an id may contain a comma, by which the parameter would separate ids
            alone = [part] if not any("," in each for each in part) else [[each] for each in part]
            for ids in alone:
                if len(ids) == 1:
                    response = await self._get(
                        f"{_path(collection)}/items/{_segment(ids[0])}", allowed=(404,), f="geojson"
                    )
                    features = [] if response.status == 404 else [response.json()]
                else:
                    response = await self._get(
                        f"{_path(collection)}/feed", ids=",".join(ids), limit=str(_PAGE), f="geojson"
                    )
                    features = response.json()["features"]
                found |= {str(each["id"]): each for each in features}
        return found

    async def people(self, events: Iterable[str]) -> dict[str, int]:
        """Return the numbers of people in the strongest zones of events, where they are known. Raises ServiceError."""
        found: dict[str, int] = {}
        for part in _parts(sorted({each for each in events if "," not in each})):
            document = (await self._get("/impacts", events=",".join(part), f="json")).json()
            found |= {each["id"]: int(each["summary"]["people"]) for each in document["impacts"] if each["summary"]}
        return found

    async def words(self, collection: str, item: str) -> Words:
        """Return a feature in words, as the Atom feed has it. Raises ServiceError."""
        response = await self._get(f"{_path(collection)}/feed", ids=item, f="atom")
        entry = ElementTree.fromstring(response.body).find(f"{_ATOM}entry")  # noqa: S314 - the own service
        if entry is None:
            return Words(item, "")
        return Words(entry.findtext(f"{_ATOM}title", item), entry.findtext(f"{_ATOM}summary", ""))

    async def alert(self, collection: str, item: str) -> str:
        """Return a feature as an alert of CAP 1.2. Raises ServiceError."""
        return (await self._get(f"{_path(collection)}/items/{_segment(item)}/cap")).body.decode()

    async def _get(
        self, path: str, headers: Mapping[str, str] | None = None, /, *, allowed: Iterable[int] = (), **query: str
    ) -> _Response:
        url = URL(f"{self._base}{path}", encoded=True).with_query(query)
        try:
            async with self._client.get(url, headers=headers) as found:
                response = _Response(found.status, found.headers, await found.read())
        except (aiohttp.ClientError, OSError) as error:
            raise ServiceError(f"{self._base}{path}: {str(error) or type(error).__name__}") from None
        if 200 <= response.status < 300 or response.status in allowed:
            return response
        raise ServiceError(f"{url}: status {response.status}: {response.body[:500].decode(errors='replace')}")


def event_of(feature: Mapping[str, Any]) -> str | None:
    """Return the event of a feature, by which people are counted."""
    found = feature["properties"].get(_EVENT)
    return None if found is None else str(found)


def item_address(base: str, collection: str, item: str) -> str:
    """Return the address of a feature."""
    return f"{base}{_path(collection)}/items/{_segment(item)}"


def _check_steps(where: str, subscription: Subscription, members: Mapping[str, Any]) -> None:
    severity = subscription.severity
    if severity is None:
        return
    types = members.get("type", "string")
    is_text = "string" in ([types] if isinstance(types, str) else types)
    if is_text != severity.is_of_words:
        kind = "words" if is_text else "numbers"
        raise UnsuitableError(
            f"{where}.severity.steps: {severity.property_} has {kind}, so the steps must be {kind} too"
        )


def _path(collection: str) -> str:
    return f"/collections/{_segment(collection)}"


def _segment(text: str) -> str:
    return quote(text, safe="")


def _cursor(address: str) -> str | None:
    return next(iter(parse_qs(urlsplit(address).query).get("cursor", [])), None)


def _parts(items: Iterable[str]) -> Iterable[list[str]]:
    every = list(items)
    return [every[start : start + _AT_ONCE] for start in range(0, len(every), _AT_ONCE)]
