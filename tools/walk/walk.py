"""Request every resource of every collection of a service in every format, and report faults.

It works with any database. Faults are errors of the server, features and geometries that are lost without being
counted, and slow responses. Other tests compare the contents of responses.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any
from urllib.parse import quote, urlencode

from libs.geo.crs_areas import boxes_in
from libs.geo.tile_matrix_sets import tile_matrix_set
from libs.geo.tiles_of_box import tiles_in

MATRIX_SETS = ("WebMercatorQuad", "WorldCRS84Quad", "EuropeanETRS89_LAEAQuad")
FEATURE_FORMATS = ("geojson", "json", "csv", "geojsonseq", "ndjson", "html")
RELATIONS = ("INTERSECTS", "DISJOINT", "CONTAINS", "WITHIN", "TOUCHES", "CROSSES", "OVERLAPS", "EQUALS")
_SQUARE = "POLYGON((-60 -40, 60 -40, 60 50, 0 70, -60 50, -60 -40))"
_MOST_PAGES = 30
_MOST_PROPERTIES = 40
"""Largest number of properties of a collection on which filters and orders are tried."""
_EXPECTED = (200, 204)
_ZOOMS = (3, 9)


@dataclass(frozen=True, slots=True)
class Answer:
    """A response; `seconds` is the time to the last byte."""

    status: int
    body: bytes
    seconds: float

    def json(self) -> Any:
        return json.loads(self.body)


Ask = Callable[[str], Awaitable[Answer]]
"""Asks for an address below that of the service, such as `/collections?limit=1`."""
Stored = Callable[[str, str], Awaitable[int | None]]
"""Returns the number of non-empty geometries in a column of a collection; None if it is unknown."""


@dataclass(slots=True)
class Report:
    """The number of requests, and the faults."""

    collections: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    slow: list[tuple[float, str]] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    """Faults that the service found in filters: a type without an order, a database without a function."""


class Walk:
    """One walk; `longest` is how many seconds an answer may take."""

    def __init__(self, ask: Ask, stored: Stored | None = None, *, longest: float = 1.0) -> None:
        self._ask = ask
        self._stored = stored
        self._longest = longest
        self.report = Report()

    async def run(
        self, *, at_once: int = 2, only: Callable[[str], bool] = lambda _: True, seconds: float = inf
    ) -> Report:
        """Walk through every collection for which `only` is true; starts no other one after this number of seconds."""
        until = time.monotonic() + seconds
        for address in ("/", "/conformance", "/collections", "/tileMatrixSets"):
            for format_ in ("json", "html"):
                await self._get(f"{address}?f={format_}")
        waiting = iter([collection for collection in await self._fetch_all() if only(collection["id"])])

        async def some() -> None:
            for collection in waiting:
                if time.monotonic() > until:
                    return
                await self._collection(collection)
                self.report.collections += 1

        await asyncio.gather(*(some() for _ in range(at_once)))
        self.report.slow.sort(reverse=True)
        return self.report

    async def _fetch_all(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        address: str | None = "/collections?limit=500&f=json"
        while address is not None:
            answer = await self._get(address)
            if answer.status != 200:
                break
            found += answer.json()["collections"]
            address = _next_page(answer.json())
        return found

    async def _get(self, address: str, *, may_be: tuple[int, ...] = ()) -> Answer:
        answer = await self._ask(address)
        self.report.statuses[answer.status] += 1
        if answer.status not in (*_EXPECTED, *may_be):
            self.report.faults.append(f"{answer.status} {address}: {answer.body[:300].decode(errors='replace')}")
        if answer.seconds > self._longest:
            self.report.slow.append((answer.seconds, address))
        return answer

    async def _collection(self, collection: dict[str, Any]) -> None:
        place = f"/collections/{quote(collection['id'], safe='')}"
        for address in (place, f"{place}/schema", f"{place}/queryables"):
            for format_ in ("json", "html") if address == place else ("schemajson", "html"):
                await self._get(f"{address}?f={format_}")
        answer = await self._get(f"{place}/schema")
        properties = answer.json()["properties"] if answer.status == 200 else {}
        first = await self._get(f"{place}/items?limit=1", may_be=(400, 422))
        if first.status in (400, 422):
            # a function: its valid arguments are unknown; the answer must say that one is missing
            if b'"missing"' not in first.body:
                self.report.faults.append(f"{first.status} {place}/items?limit=1")
            return
        geometry = next((name for name, m in properties.items() if m.get("x-ogc-role") == "primary-geometry"), None)
        await self._items(place)
        await self._pages(collection["id"], place, geometry)
        await self._filters(place, properties, geometry)
        if geometry is not None:
            await self._tiles(place, collection)

    async def _items(self, place: str) -> None:
        for format_ in FEATURE_FORMATS:
            await self._get(f"{place}/items?limit=100&f={format_}")
        features = (await self._features(f"{place}/items?limit=3&f=geojson")).get("features", [])
        for feature in features:
            if feature.get("id") is None:
                continue
            for format_ in ("geojson", "json", "html"):
                await self._get(f"{place}/items/{quote(str(feature['id']), safe='')}?f={format_}")
            chosen = await self._features(f"{place}/items?{urlencode({'ids': quoted_id(feature['id'])})}")
            if [each.get("id") for each in chosen.get("features", [])][:1] != [feature["id"]]:
                self.report.faults.append(f"ids={feature['id']} of {place} lead to other features")
        for parameters in ("bbox-only=true", "simplify=0.5", "geom-column=none", "properties=", "offset=5", "limit=0"):
            await self._get(f"{place}/items?{parameters}")

    async def _features(self, address: str) -> dict[str, Any]:
        answer = await self._get(address)
        found: dict[str, Any] = answer.json() if answer.status == 200 else {}
        return found

    async def _pages(self, collection_id: str, place: str, geometry: str | None) -> None:
        """Read all features, page by page: the number must be right, and each stored geometry present or counted."""
        address: str | None = f"{place}/items?limit=1000&f=geojson"
        features = shapes = omitted = 0
        matched = None
        for _ in range(_MOST_PAGES):
            page = await self._features(address or "")
            if not page:
                return
            features += len(page["features"])
            shapes += sum(feature["geometry"] is not None for feature in page["features"])
            omitted += page.get("geometriesOmitted", 0)
            matched = page.get("numberMatched", matched)
            address = _next_page(page)
            if address is None:
                break
        if address is not None:
            return
        if matched is not None and features != matched:
            self.report.faults.append(f"{place}: pages have {features} features of {matched}")
        stored = await self._stored(collection_id, geometry) if self._stored and geometry else None
        if stored is not None and shapes + omitted != stored:
            self.report.faults.append(
                f"{place}: {stored} geometries are stored, {shapes} are given and {omitted} counted as left out"
            )

    async def _filters(self, place: str, properties: dict[str, Any], geometry: str | None) -> None:
        box = "bbox=-170,-80,170,80"
        if geometry is not None:
            await self._get(f"{place}/items?limit=50&{box}")
            name = _quote(geometry)
            for relation in RELATIONS:
                await self._get(_filter_address(place, f"S_{relation}({name}, {_SQUARE})"))
            await self._get(_filter_address(place, f"S_INTERSECTS({name}, BBOX(170, -50, -170, 50))"))
        if any(members.get("x-ogc-role", "").startswith("primary-in") for members in properties.values()):
            await self._get(f"{place}/items?limit=50&datetime=2000-01-01/..")
        for name, members in list(properties.items())[:_MOST_PROPERTIES]:
            if members.get("format", "").startswith("geometry"):
                continue
            await self._get(_filter_address(place, f"{_quote(name)} IS NULL"))
            for condition in _conditions(name, members):
                # the service must report that a type cannot be compared
                await self._refusable(_filter_address(place, condition))
            answer = await self._refusable(f"{place}/items?{urlencode({'sortby': f'-{name}', 'limit': 5})}")
            await self._check_neighbours(answer)

    async def _check_neighbours(self, answer: Answer) -> None:
        if answer.status != 200:
            return
        address = _next_page(answer.json())
        if address is not None:
            await self._get(address)

    async def _refusable(self, address: str) -> Answer:
        answer = await self._get(address, may_be=(400, 422))
        if answer.status in (400, 422):
            self.report.refused[answer.body[:200].decode(errors="replace")] += 1
        return answer

    async def _tiles(self, place: str, collection: dict[str, Any]) -> None:
        for format_ in ("json", "html"):
            await self._get(f"{place}/tiles?f={format_}")
        middle = _middle(collection)
        for name in MATRIX_SETS:
            tiles = f"{place}/tiles/{name}"
            for format_ in ("json", "html"):
                await self._get(f"{tiles}?f={format_}")
            for document in ("tilejson.json", "style.json"):
                await self._get(f"{tiles}/{document}")
            for address in {"0/0/0", *_tiles_around(name, middle)}:
                for format_ in ("mvt", "json", "html"):
                    await self._get(f"{tiles}/{address}?f={format_}")


def _next_page(page: dict[str, Any]) -> str | None:
    """The address of the next page, below that of the service."""
    link = next((each["href"] for each in page["links"] if each["rel"] == "next"), None)
    return link and link[link.index("/collections") :]


def quoted_id(value: object) -> str:
    """An id as one of the list that `ids` takes."""
    return str(value).replace("%", "%25").replace(",", "%2C")


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _filter_address(place: str, condition: str) -> str:
    return f"{place}/items?{urlencode({'filter': condition, 'limit': 20})}"


def _conditions(name: str, members: dict[str, Any]) -> Iterator[str]:
    kinds = members.get("type", [])
    kind = next((each for each in ([kinds] if isinstance(kinds, str) else kinds) if each != "null"), None)
    column = _quote(name)
    if kind in ("integer", "number"):
        yield f"{column} > 5 AND {column} * 2 <= 1e9"
    elif kind == "boolean":
        yield f"{column} = TRUE"
    elif kind == "string" and members.get("format") == "date":
        yield f"{column} > DATE('2000-01-01')"
    elif kind == "string" and members.get("format") == "date-time":
        yield f"T_AFTER({column}, TIMESTAMP('2000-01-01T00:00:00Z'))"
    elif kind == "string":
        yield f"{column} LIKE 'a%'"
        yield f"CASEI({column}) = CASEI('Abc')"
        yield f"{column} IN ('a', 'b')"
    elif kind == "array":
        yield f"A_CONTAINS({column}, ('a'))"


def _middle(collection: dict[str, Any]) -> tuple[float, float] | None:
    extent = collection.get("extent") or {}
    boxes = (extent.get("spatial") or {}).get("bbox")
    if not boxes:
        return None
    west, south, east, north = boxes[0]
    return ((west + east) / 2 if west <= east else 180.0), (south + north) / 2


def _tiles_around(name: str, middle: tuple[float, float] | None) -> Iterator[str]:
    """Tiles where the middle of the data is, of some zooms."""
    if middle is None:
        return
    tms = tile_matrix_set(name)
    for z in _ZOOMS:
        for box in boxes_in([(middle[0], middle[1], middle[0], middle[1])], tms.srid):
            yield from (f"{z}/{x}/{y}" for x, y in tiles_in(tms.matrix(z), box))
