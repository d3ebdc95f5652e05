"""Search towns, provinces, countries and seas by the beginnings of their names, in any language.

A search scans one text of all names for each word, in the order of importance: it takes at most some milliseconds, for
common and rare names. Positions and other facts are in files, whose pages the system caches: in memory they took 110
MB.
"""

import json
import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import floor
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Literal
from unicodedata import category, normalize

from services.viewer.paged import paged_array

Kind = Literal["town", "province", "country", "sea"]

_OTHER_LETTERS = str.maketrans(
    {
        "ł": "l",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "æ": "ae",
        "œ": "oe",
        "ı": "i",
        "ʼ": "",
        "’": "",
        "‘": "",
        "'": "",
    }
)
_CALLED_SO, _WITHIN = 10.0, 1 / 20
_POSITION = re.compile(rb",\[(-?[\d.e-]+),(-?[\d.e-]+)\],")
_OTHER_NAME = re.compile(rb'\["=",(\d+)\]')
_MOST_LOOKED_AT = 400
"""Maximum number of names to read in one search if a province or country must match too."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a map can go to: longitude, latitude and box (west, south, east, north) in degrees of WGS 84.

    Only towns have `people`. A box whose west is larger than its east crosses ±180°.
    """

    name: str
    kind: Kind
    province: str | None
    country: str | None
    position: tuple[float, float]
    people: int | None
    bbox: tuple[float, float, float, float] | None

    def line(self) -> str:
        """Return the place as a line of the file; lines of other names follow all places."""
        fields = (self.kind, self.name, self.province, self.country, self.position, self.people, self.bbox)
        return f"{fold(self.name)}\t{json.dumps(fields, ensure_ascii=False, separators=(',', ':'))}"


def other_name_line(name: str, number: int) -> str:
    """Return the line of another name of the place on line `number`, from 0."""
    return f'{fold(name)}\t["=",{number}]'


def fold(text: str) -> str:
    """Return `text` in the form for comparison: without accents, apostrophes, punctuation and capitals."""
    plain = text.casefold()
    # the build folds a million names, half of them without accents
    if not plain.isascii():
        plain = "".join(sign for sign in normalize("NFKD", plain) if category(sign) != "Mn")
    return " ".join(re.findall(r"\w+", plain.translate(_OTHER_LETTERS)))


class Gazetteer:
    """The places of a file, the most important first."""

    def __init__(self, file: Path) -> None:
        """Read the file that the build made. Raises OSError."""
        names = bytearray(b"\n")
        starts, ends = array("q"), array("q", [0])
        latitudes, longitudes, numbers, meant = array("d"), array("d"), array("l"), array("l")
        with file.open("rb") as lines:
            for number, line in enumerate(lines):
                name, _, rest = line.partition(b"\t")
                starts.append(len(names) - 1)
                names += name + b"\n"
                ends.append(ends[-1] + len(line))
                other = _OTHER_NAME.match(rest)
                meant.append(int(other[1]) if other else number)
                # parsing all lines as JSON would take three times as long
                if rest.startswith(b'["town"') and (position := _POSITION.search(rest)):
                    longitudes.append(float(position[1]))
                    latitudes.append(float(position[2]))
                    numbers.append(number)
            self._names = bytes(names)
            self._file = mmap(lines.fileno(), 0, access=ACCESS_READ)
        # from south to north
        order = sorted(range(len(latitudes)), key=latitudes.__getitem__)
        self._starts, self._lines, self._meant = paged_array(starts), paged_array(ends), paged_array(meant)
        self._latitudes = paged_array(array("d", (latitudes[at] for at in order)))
        self._longitudes = paged_array(array("d", (longitudes[at] for at in order)))
        self._numbers_of_towns = paged_array(array("l", (numbers[at] for at in order)))

    def search(self, text: str, limit: int) -> list[Place]:
        """Return places with a name, or a word of it, that begins with `text`; after a comma or blank, province or
        country.

        Sorted by importance; an exact match counts ten times, a match of a later word a twentieth.
        """
        name, _, within = text.partition(",")
        found = self._find_named(fold(name), fold(within), limit)
        words = fold(text).split()
        # "springfield illinois"
        for at in range(len(words) - 1, 0, -1):
            if found or at < len(words) - 3:
                break
            found = self._find_named(" ".join(words[:at]), " ".join(words[at:]), limit)
        return found

    def find_within(self, ring: Sequence[tuple[float, float]], limit: int) -> tuple[list[Place], int]:
        """Return the most important towns within a ring of longitudes and latitudes in degrees, and the number of all.

        Edges are straight in longitude and latitude; a ring across ±180° continues beyond it.
        """
        west, east = min(x for x, _ in ring), max(x for x, _ in ring)
        south, north = min(y for _, y in ring), max(y for _, y in ring)
        found, edges = [], _edges_by_band(ring)
        for at in range(bisect_left(self._latitudes, south), bisect_right(self._latitudes, north)):
            latitude = self._latitudes[at]
            # the same position, within one turn to the east of the ring's western end
            longitude = west + (self._longitudes[at] - west) % 360
            if longitude <= east and _is_within(longitude, latitude, edges.get(_band(latitude), ())):
                found.append(self._numbers_of_towns[at])
        return [self._place(number) for number in sorted(found)[:limit]], len(found)

    def _find_named(self, name: str, within: str, limit: int) -> list[Place]:
        if not name:
            return []
        places = map(self._place, self._numbers(name, _MOST_LOOKED_AT if within else limit))
        return list(islice((place for place in places if not within or _lies_in(place, within)), limit))

    def _numbers(self, name: str, most: int) -> list[int]:
        """Return the best numbers among exact names, names that begin with `name`, and names with such a word."""
        found: dict[int, float] = {}
        for pattern, weight in ((f"\n{name}\n", _CALLED_SO), (f"\n{name}", 1.0), (f" {name}", _WITHIN)):
            for number in islice(self._distinct(pattern), most):
                # a place's importance is roughly inverse to its number
                found.setdefault(number, (number + 1) / weight)
        return sorted(found, key=lambda number: found[number])[:most]

    def _distinct(self, pattern: str) -> Iterator[int]:
        """Yield the places with a matching name, each once: a place can have many names with the same beginning."""
        yielded: set[int] = set()
        for number in map(self._meant.__getitem__, self._match(pattern)):
            if number not in yielded:
                yielded.add(number)
                yield number

    def _match(self, pattern: str) -> Iterator[int]:
        sought = pattern.encode()
        at = self._names.find(sought)
        while at >= 0:
            yield bisect_right(self._starts, at) - 1
            at = self._names.find(sought, at + 1)

    def _place(self, number: int) -> Place:
        rest = self._file[self._lines[number] : self._lines[number + 1]].partition(b"\t")[2]
        kind, name, province, country, position, people, bbox = json.loads(rest)
        return Place(name, kind, province, country, tuple(position), people, bbox and tuple(bbox))


def _lies_in(place: Place, within: str) -> bool:
    around = f"{place.province or ''}, {place.country or ''}"
    return f" {within}" in f" {fold(around)}"


_Edge = tuple[float, float, float, float]


def _band(latitude: float) -> int:
    return floor(latitude * 2)


def _edges_by_band(ring: Sequence[tuple[float, float]]) -> Mapping[int, list[_Edge]]:
    """Return the edges by band of latitude that they reach: each town is compared with few of them."""
    edges: dict[int, list[_Edge]] = defaultdict(list)
    for at, (x2, y2) in enumerate(ring):
        x1, y1 = ring[at - 1]
        for band in range(_band(min(y1, y2)), _band(max(y1, y2)) + 1):
            edges[band].append((x1, y1, x2, y2))
    return edges


def _is_within(x: float, y: float, edges: Iterable[_Edge]) -> bool:
    """Return whether an odd number of edges lies to the east."""
    crossed = sum((y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1) for x1, y1, x2, y2 in edges)
    return crossed % 2 == 1
