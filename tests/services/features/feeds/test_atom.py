"""A feed and its entries, element by element."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from lxml import etree

from libs.catalogue.model import Collection, Column, TimeColumn
from libs.ogc.link import Link
from services.features.feed import duration, start_of_last
from services.features.feeds.atom import feed
from services.features.feeds.entry import Entry, box_of, entry, update_column
from services.features.feeds.xml import clean

SPACES = {"http://www.w3.org/2005/Atom": "", "http://www.georss.org/georss": "georss:"}
COLLECTION = Collection("own.a b", "own", "a b", 1, "table", "Title", "Description", (), key="id", license="urn:l")
WHEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
ENTRY = Entry("urn:1", "https://a/items/1", "One", WHEN, WHEN - timedelta(days=1), "depth: 1", (1.0, 2.0, 1.0, 2.0))


def told(*entries: Entry, collection: Collection = COLLECTION, has_alerts: bool = False) -> list[object]:
    """Return name, text and attributes of each element."""
    links = [Link("https://a/feed", "self", "application/atom+xml"), Link("https://a", "via")]
    body = feed(collection, entries, links, feed_id="urn:feed", updated=WHEN, author="The site", has_alerts=has_alerts)
    assert body.startswith(b"<?xml version='1.0' encoding='utf-8'?>")
    return [
        (SPACES[etree.QName(element).namespace] + etree.QName(element).localname, element.text, dict(element.attrib))
        for element in etree.fromstring(body).iterdescendants()
    ]


HEAD: list[object] = [
    ("id", "urn:feed", {}),
    ("title", "Title", {}),
    ("subtitle", "Description", {}),
    ("updated", "2026-01-02T03:04:05Z", {}),
    ("author", None, {}),
    ("name", "The site", {}),
    ("link", None, {"rel": "license", "href": "urn:l"}),
    ("link", None, {"rel": "license", "href": "urn:p", "title": "A part"}),
    ("link", None, {"rel": "self", "href": "https://a/feed", "type": "application/atom+xml"}),
    ("link", None, {"rel": "via", "href": "https://a"}),
]


@pytest.mark.parametrize("has_alerts", [False, True])
def test_a_feed_and_an_entry(has_alerts: bool) -> None:
    alternates: list[object] = [
        ("link", None, {"rel": "alternate", "type": media_type, "href": f"https://a/items/1{rest}"})
        for media_type, rest in (
            ("text/html", "?f=html"),
            ("application/geo+json", "?f=geojson"),
            *([("application/cap+xml", "/cap")] if has_alerts else []),
        )
    ]
    collection = replace(COLLECTION, part_licenses=(("A part", "urn:p"),))
    assert told(ENTRY, collection=collection, has_alerts=has_alerts) == [
        *HEAD,
        ("entry", None, {}),
        ("id", "urn:1", {}),
        ("title", "One", {}),
        ("updated", "2026-01-02T03:04:05Z", {}),
        ("published", "2026-01-01T03:04:05Z", {}),
        *alternates,
        ("summary", "depth: 1", {"type": "text"}),
        ("georss:point", "2 1", {}),
    ]


def test_what_is_not_known_is_left_out() -> None:
    bare = replace(ENTRY, address=None, published=None, box=None)
    found = told(bare, collection=replace(COLLECTION, description=None, license=None), has_alerts=True)
    assert [element[0] for element in found] == [  # type: ignore[index]
        "id", "title", "updated", "author", "name", "link", "link", "entry", "id", "title", "updated", "summary",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("box", "shown"),
    [
        ((1.0, 2.0, 1.0, 3.0), ("georss:box", "2 1 3 1", {})),
        ((1.0, 2.0, 4.0, 2.0), ("georss:box", "2 1 2 4", {})),
        ((1.23456789012, -2.0, 1.23456789012, -2.0), ("georss:point", "-2 1.23456789", {})),
    ],
)
def test_only_what_has_no_size_is_a_point(box: tuple[float, float, float, float], shown: object) -> None:
    assert told(replace(ENTRY, box=box))[-1] == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\t\n\r\x20\x7f\ud7ff\ue000\ufffd\U00010000\U0010ffff", None),
        ("a\x00b\x08c\x0bd\x1fe", "a\ufffdb\ufffdc\ufffdd\ufffde"),
        ("a\ud800b\udfffc\ufffed\uffff", "a\ufffdb\ufffdc\ufffdd\ufffd"),
    ],
)
def test_what_no_xml_can_hold_is_replaced(text: str, shown: str | None) -> None:
    assert clean(text) == (shown or text)


def test_attributes_are_clean_too() -> None:
    collection = replace(COLLECTION, license="urn:\x01")
    assert ("link", None, {"rel": "license", "href": "urn:\ufffd"}) in told(collection=collection)


COLUMNS = (
    Column("id", "integer", "integer"),
    Column("at", "timestamptz", "string", format="date-time"),
    Column("depth", "real", "number", title="Depth", unit="km"),
    Column("is_open", "boolean", "boolean"),
    Column("more", "jsonb", "object"),
    Column("words", "text", "string"),
)
QUAKES = replace(COLLECTION, columns=COLUMNS, times=(TimeColumn("at", "timestamptz"),))
PROPERTIES = {"id": 7, "at": "2020-01-01T00:00:00Z", "depth": 0.5, "is_open": False, "more": {}, "words": "x" * 400}


def test_an_entry_is_made_of_its_feature() -> None:
    feature = {"id": "a/b", "properties": PROPERTIES, "geometry": {"type": "Point", "coordinates": [1, 2, 3]}}
    found = entry(QUAKES, feature, "https://a", WHEN)
    assert found.id == found.address == "https://a/collections/own.a%20b/items/a%2Fb"
    when = datetime(2020, 1, 1, tzinfo=UTC)
    assert (found.updated, found.published, found.box) == (when, when, (1, 2, 1, 2))
    # the id comes last, where it has room
    assert found.summary.splitlines() == [
        "at: 2020-01-01T00:00:00Z",
        "Depth: 0.5 km",
        "is_open: false",
        f"words: {'x' * 300}",
        "id: 7",
    ]


def test_what_has_no_id_is_named_by_what_it_holds() -> None:
    names = set()
    for properties, geometry in ((PROPERTIES, None), ({**PROPERTIES, "id": 8}, None), (PROPERTIES, ENTRY)):
        shape = None if geometry is None else {"type": "Point", "coordinates": [1, 2]}
        found = entry(QUAKES, {"properties": properties, "geometry": shape}, "https://a", WHEN)
        again = entry(QUAKES, {"properties": properties, "geometry": shape}, "https://a", WHEN)
        assert (found.address, found.id) == (None, again.id)
        address, _, content = found.id.partition("#")
        assert (address, len(content)) == ("https://a/collections/own.a%20b/items", 30)
        names.add(found.id)
    assert len(names) == 3


def test_the_most_telling_column_says_when_it_was_changed() -> None:
    sent, modified = (Column(name, "timestamptz", "string", format="date-time") for name in ("sent", "modified"))
    assert update_column(replace(QUAKES, columns=(sent, modified))) == modified
    assert update_column(replace(QUAKES, columns=(sent, Column("updated", "text", "string")))) == sent
    assert update_column(QUAKES) is None
    names = ["updated", "updated_at", "last_updated", "modified", "modified_at", "last_modified", "issued", "sent"]
    known = [Column(name, "timestamptz", "string", format="date-time") for name in names]
    for place, column in enumerate(known):
        assert update_column(replace(QUAKES, columns=(*COLUMNS, *reversed(known[place:])))) == column


@pytest.mark.parametrize(
    ("parts", "box"),
    [
        # two that do not meet at the antimeridian
        ([[[-10, 1], [0, 2]], [[5, 3], [10, 4]]], (-10, 1, 10, 4)),
        ([[[170, 1], [179, 2]], [[-180, 3], [-170, 4]]], (-180, 1, 179, 4)),
        ([[[170, 1], [180, 2]], [[-179, 3], [-170, 4]]], (-179, 1, 180, 4)),
        ([[[170, 1], [180, 2]], [[-180, 3], [-170, 4]]], (170, 1, -170, 4)),
        # three do not say on which side they lie
        ([[[170, 1], [180, 2]], [[-180, 3], [-170, 4]], [[0, 0], [1, 1]]], (-180, 0, 180, 4)),
    ],
)
def test_the_box_of_several_parts(parts: object, box: tuple[float, ...]) -> None:
    assert box_of({"type": "MultiLineString", "coordinates": parts}) == box
    lines = [{"type": "LineString", "coordinates": part} for part in parts]  # type: ignore[attr-defined]
    assert box_of({"type": "GeometryCollection", "geometries": lines}) == box


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("P1D", timedelta(days=1)),
        ("P3W", timedelta(weeks=3)),
        ("PT5H", timedelta(hours=5)),
        ("PT5M", timedelta(minutes=5)),
        ("P1DT2H3M", timedelta(days=1, hours=2, minutes=3)),
        ("P9999W", timedelta(weeks=9999)),
        ("P99999DT99999H999999M", timedelta(days=99999, hours=99999, minutes=999999)),
    ],
)
def test_durations_of_a_fixed_length(text: str, length: timedelta) -> None:
    assert duration(text) == length


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "P1DT", "P0D", "PT0H0M", "P1Y", "P1M", "PT1S", "P1W2D", "P-1D", "P1.5D", "1D", "P1D ",
             "P١D", "P10000W", "P100000D", "PT100000H", "PT1000000M", "xP1D"],
)  # fmt: skip
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="must be") as refused:
        duration(text)
    assert str(refused.value) == "must be a duration of weeks, days, hours and minutes, such as P1D, PT6H or P2W"


def test_the_last_time_begins_with_a_minute_and_not_before_our_era() -> None:
    now = datetime(2026, 3, 1, 12, 34, 56, 789, tzinfo=UTC)
    assert start_of_last(timedelta(hours=1), now) == datetime(2026, 3, 1, 11, 34, tzinfo=UTC)
    first = datetime(1, 1, 1, tzinfo=UTC)
    whole = now.replace(second=0, microsecond=0) - first
    assert start_of_last(whole, now) == start_of_last(whole + timedelta(minutes=1), now) == first
    assert start_of_last(whole - timedelta(minutes=1), now) == first + timedelta(minutes=1)
    before = datetime.now(UTC).replace(second=0, microsecond=0)
    assert before <= start_of_last(timedelta()) <= datetime.now(UTC)
