"""Feeds and alerts: what a reader of RFC 4287, GeoRSS and CAP 1.2 takes."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from lxml import etree

from libs.catalogue.model import Collection, Column, TimeColumn
from services.features.feed import duration, start_of_last
from services.features.feeds import atom
from services.features.feeds.entry import Entry, box_of, entry
from tests.eventually import eventually
from tests.services.in_process import Client

ATOM = {"a": "http://www.w3.org/2005/Atom", "georss": "http://www.georss.org/georss"}
CAP = {"cap": "urn:oasis:names:tc:emergency:cap:1.2"}
FEED = "/collections/hostile.events/feed"
SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parent / "cap-1.2.xsd"))


async def _feed(features: Client, path: str = FEED, **parameters: str) -> etree._Element:
    answer = await features.get(path, parameters)
    assert (answer.status, answer.type) == (200, "application/atom+xml"), answer.body
    root = etree.fromstring(answer.body)
    _check_atom(root)
    return root


def _check_atom(root: etree._Element) -> None:
    """Check the requirements of RFC 4287, sections 4.1.1 and 4.1.2, on a feed and each entry."""
    assert root.tag == f"{{{ATOM['a']}}}feed"
    for element in [root, *root.findall("a:entry", ATOM)]:
        for name in ("id", "title", "updated"):
            assert len(element.findall(f"a:{name}", ATOM)) == 1, name
        for time in element.findall("a:updated", ATOM) + element.findall("a:published", ATOM):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", time.text or "")
            assert datetime.fromisoformat(time.text or "") <= datetime.now(UTC)
        kinds = [(link.get("type"), link.get("hreflang")) for link in element.findall("a:link[@rel='alternate']", ATOM)]
        assert len(kinds) == len(set(kinds))
    assert root.find("a:author/a:name", ATOM) is not None
    assert len(root.findall("a:link[@rel='self']", ATOM)) == 1
    ids = [entry.findtext("a:id", namespaces=ATOM) for entry in root.findall("a:entry", ATOM)]
    assert len(ids) == len(set(ids))


async def test_the_newest_come_first_and_pages_hold_all(features: Client) -> None:
    ids: list[str] = []
    root = await _feed(features, limit="100")
    while True:
        ids += [entry.findtext("a:id", namespaces=ATOM) for entry in root.findall("a:entry", ATOM)]
        following = root.find("a:link[@rel='next']", ATOM)
        if following is None:
            break
        root = etree.fromstring((await features.get(following.get("href"))).body)
    base = features.base
    assert ids == [f"{base}/collections/hostile.events/items/{n}" for n in range(237, 0, -1)]


async def test_an_entry_says_what_when_and_where(features: Client) -> None:
    root = await _feed(features, ids="7")
    entry = root.find("a:entry", ATOM)
    assert entry is not None
    assert entry.findtext("a:title", namespaces=ATOM) == "event 7"
    assert entry.findtext("a:updated", namespaces=ATOM) == "2020-01-08T00:00:00Z"
    assert entry.findtext("georss:point", namespaces=ATOM) == "-49 80"
    for link in entry.findall("a:link", ATOM):
        answer = await features.get(link.get("href"))
        assert answer.status == 200
        assert answer.type.startswith(link.get("type"))


async def test_a_feed_has_the_filters_of_items(features: Client) -> None:
    root = await _feed(features, filter="magnitude > 7", category="low")
    items = await features.json(
        "/collections/hostile.events/items", filter="magnitude > 7", category="low", f="geojson"
    )
    assert len(root.findall("a:entry", ATOM)) == items["numberMatched"] > 0
    same = await features.json(FEED, filter="magnitude > 7", category="low", f="geojson")
    assert {feature["id"] for feature in same["features"]} == {feature["id"] for feature in items["features"]}
    assert [feature["properties"]["at"] for feature in same["features"]] == sorted(
        (feature["properties"]["at"] for feature in same["features"]), reverse=True
    )


async def test_the_last_time_is_told_anew_and_its_pages_stay_together(features: Client) -> None:
    assert (await _feed(features, last="P1D")).find("a:entry", ATOM) is None
    root = await _feed(features, last="P9000D", limit="10")
    following = root.find("a:link[@rel='next']", ATOM)
    assert following is not None
    # of the time of the request for the first page
    assert "last=" not in following.get("href")
    assert "datetime=" in following.get("href")
    assert (await features.get(following.get("href"))).status == 200
    first = await features.get(f"{FEED}?last=P1D")
    again = await features.get(f"{FEED}?last=P1D", headers={"If-None-Match": first.headers["ETag"]})
    assert again.status in (200, 304)
    for last in ("P1M", "P", "PT", "1D", "PT5S", "P0D"):
        assert (await features.get(FEED, {"last": last})).status == 422
    assert (await features.get(FEED, {"last": "P1D", "datetime": "2020-01-01/.."})).status == 422
    # a feed has its own order
    refused = await features.get(FEED, {"sortby": "id"})
    assert (refused.status, "did you mean" in refused.json()["detail"][0]["msg"]) == (422, False)


def test_durations() -> None:
    assert [duration(text) for text in ("P2W", "P1DT12H", "PT90M")] == [
        timedelta(weeks=2),
        timedelta(hours=36),
        timedelta(minutes=90),
    ]
    now = datetime(2026, 3, 1, 12, 0, 59, tzinfo=UTC)
    assert start_of_last(timedelta(days=1), now) == datetime(2026, 2, 28, 12, 0, tzinfo=UTC)
    assert start_of_last(timedelta(days=99_999 * 9), now).year == 1


@pytest.mark.parametrize(
    "name", ["types", "planet", "no_key", "empty", "no_geometry", "mixed_types", "moments", "wide"]
)
async def test_any_collection_has_a_feed(features: Client, name: str) -> None:
    await _feed(features, f"/collections/hostile.{name}/feed")


async def test_features_without_a_time_are_all_as_new_as_the_data(features: Client) -> None:
    root = await _feed(features, "/collections/hostile.planet/feed")
    entries = root.findall("a:entry", ATOM)
    assert len(entries) > 1
    assert len({entry.findtext("a:updated", namespaces=ATOM) for entry in [root, *entries]}) == 1

    async def are_alike() -> None:
        some, none = [await _feed(features, "/collections/hostile.planet/feed", ids=ids) for ids in ("1", "999999")]
        assert none.find("a:entry", ATOM) is None
        assert none.findtext("a:updated", namespaces=ATOM) == some.findtext("a:updated", namespaces=ATOM)

    # as is a feed of none, once the second of the last change is over
    await eventually(are_alike)


def test_a_summary_tells_eight_properties_the_most_important_first() -> None:
    columns = tuple(Column(f"c{n}", "text", "string") for n in range(12))
    collection = Collection("s.t", "s", "t", 1, "table", "T", None, columns, key="c0", importance=("-c9",))
    properties = {column.name: column.name.upper() for column in columns} | {"c1": None, "c2": ""}
    told = entry(collection, {"properties": properties, "geometry": None}, "", datetime.now(UTC))
    assert told.summary.splitlines() == ["c9: C9", *(f"c{n}: C{n}" for n in (3, 4, 5, 6, 7, 8, 10))]


async def test_boxes_across_the_antimeridian_stay_together() -> None:
    west = [[[170, -10], [180, -10], [180, 10], [170, -10]]]
    east = [[[-180, -10], [-170, -10], [-170, 10], [-180, -10]]]
    for parts in ([west, east], [east, west]):
        assert box_of({"type": "MultiPolygon", "coordinates": parts}) == (170, -10, -170, 10)
    # what ends there on one side alone is as wide as it is
    near = [[[-179, -10], [-170, -20], [-170, 10], [-179, -10]]]
    assert box_of({"type": "MultiPolygon", "coordinates": [west, near]}) == (-179, -20, 180, 10)
    assert box_of({"type": "Point", "coordinates": [1, 2]}) == (1, 2, 1, 2)
    assert box_of(None) is None
    # empty ones have none
    assert box_of({"type": "Point", "coordinates": []}) is None
    assert box_of({"type": "MultiPolygon", "coordinates": [[]]}) is None
    assert box_of({"type": "GeometryCollection", "geometries": []}) is None


async def _alert(client: Client, item: str) -> etree._Element:
    answer = await client.get(f"/collections/alerting.alerts/items/{item}/cap")
    assert (answer.status, answer.type) == (200, "application/cap+xml"), answer.body
    root = etree.fromstring(answer.body)
    SCHEMA.assertValid(root)
    return root


async def test_alerts_are_valid_and_tell_what_is_known(alerts: Client) -> None:
    root = await _alert(alerts, "a%20b%2C%3C1%3E%26")

    def text(path: str) -> str | None:
        found: str | None = root.findtext(path, namespaces=CAP)
        return found

    # a simulated alert cannot look like a real one
    assert text("cap:status") == "Exercise"
    assert "Simulated" in (text("cap:note") or "")
    assert (text("cap:sender"), text("cap:sent")) == ("floods@example.org", "2026-03-01T10:00:00-00:00")
    assert not set(" ,<&") & set(text("cap:identifier") or "")
    assert (text("cap:info/cap:language"), text("cap:info/cap:severity")) == ("en", "Severe")
    assert text("cap:info/cap:category") == "Met"
    assert text("cap:info/cap:headline") == "Flood � <&> � ☂"
    rings = [ring.text for ring in root.findall("cap:info/cap:area/cap:polygon", CAP)]
    assert rings == ["0,0 0,4 4,4 4,0 0,0", "9,9 9,10 10,10 9,9"]
    plain = await _alert(alerts, "2")
    assert plain.findtext("cap:status", namespaces=CAP) == "Actual"
    assert plain.findtext("cap:info/cap:severity", namespaces=CAP) == "Unknown"
    feed = await _feed(alerts, "/collections/alerting.alerts/feed")
    links = [link.get("href") for link in feed.findall("a:entry/a:link[@type='application/cap+xml']", ATOM)]
    assert [(await alerts.get(link)).status for link in links] == [200, 200]


async def test_alerts_are_tests_where_nobody_says_otherwise_and_others_have_none(
    alerts: Client, features: Client
) -> None:
    assert (await alerts.get("/collections/alerting.alerts/items/3/cap")).status == 404
    answer = await features.get("/collections/hostile.events/items/1/cap")
    assert answer.status == 404
    assert "are no alerts" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("attribution", "author"), [("Seismological Institute", "Seismological Institute"), (None, "The site")]
)
def test_the_author_is_who_made_the_data_or_the_site(attribution: str | None, author: str) -> None:
    collection = Collection("s.quakes", "s", "quakes", 1, "table", "Earthquakes", None, (), attribution=attribution)
    root = etree.fromstring(
        atom.feed(collection, [], [], feed_id="urn:x", updated=datetime.now(UTC), author="The site")
    )
    assert root.findtext("a:author/a:name", namespaces=ATOM) == author


@pytest.mark.parametrize(
    ("changed", "time", "updated", "published"),
    [
        ("2020-03-01", "2020-02-01", "2020-03-01", "2020-02-01"),
        # a time of change in the future is ignored
        ("2999-03-01", "2020-02-01", "2020-02-01", "2020-02-01"),
        (None, "2020-02-01", "2020-02-01", "2020-02-01"),
        (None, "2999-02-01", "2020-01-01", None),
        ("2020-03-01", "2020-04-01", "2020-03-01", None),
        (None, None, "2020-01-01", None),
    ],
)
def test_an_entry_is_as_new_as_its_last_change_that_has_come(
    changed: str | None, time: str | None, updated: str, published: str | None
) -> None:
    columns = tuple(Column(name, "timestamptz", "string", format="date-time") for name in ("at", "updated"))
    times = (TimeColumn("at", "timestamptz"),)
    collection = Collection("s.t", "s", "t", 1, "table", "T", None, columns, times=times)
    properties = {"at": time and f"{time}T00:00:00Z", "updated": changed and f"{changed}T00:00:00Z"}
    known_since = datetime(2020, 1, 1, tzinfo=UTC)
    found = entry(collection, {"properties": properties, "geometry": None}, "", known_since)
    assert found.updated.date().isoformat() == updated
    assert (found.published and found.published.date().isoformat()) == published


def test_entry_without_summary_has_its_title() -> None:
    collection = Collection("s.t", "s", "t", 1, "table", "T", None, ())
    now = datetime.now(UTC)
    told = [Entry("urn:1", None, "One", now, None, text, (170.0, -10.0, -170.0, 10.0)) for text in ("", "a: 1")]
    root = etree.fromstring(atom.feed(collection, told, [], feed_id="urn:x", updated=now, author="A"))
    assert [found.text for found in root.iterfind("a:entry/a:summary", ATOM)] == ["One", "a: 1"]
    assert root.findtext("a:entry/georss:box", namespaces=ATOM) == "-10 170 10 -170"
    # a feature without an address has no link
    assert root.find("a:entry/a:link", ATOM) is None


async def test_a_feed_says_where_it_is_and_what_else_there_is(features: Client) -> None:
    answer = await features.get(FEED, {"limit": "2", "category": "low", "f": "atom"})
    root = etree.fromstring(answer.body)
    base = f"{features.base}{FEED}"
    # the same for every page and every format
    assert root.findtext("a:id", namespaces=ATOM) == f"{base}?category=low"
    assert root.findtext("a:updated", namespaces=ATOM) == max(
        time.text or "" for time in root.iterfind("a:entry/a:updated", ATOM)
    )
    assert root.findtext("a:author/a:name", namespaces=ATOM) == "Disaster Analysis and Mapping Service"
    links = [(link.get("rel"), link.get("type"), link.get("href")) for link in root.findall("a:link", ATOM)]
    assert links[:2] == [
        ("self", "application/atom+xml", f"{base}?limit=2&category=low&f=atom"),
        ("alternate", "application/geo+json", f"{base}?limit=2&category=low&f=geojson"),
    ]
    about = f"{features.base}/collections/hostile.events"
    assert links[2:4] == [("alternate", "text/html", f"{about}?f=html"), ("collection", "application/json", about)]
    ((rel, kind, following),) = links[4:]
    assert (rel, kind) == ("next", "application/atom+xml")
    assert following.startswith(f"{base}?limit=2&category=low&f=atom&cursor=")
    header = answer.headers["Link"]
    assert [rel for rel in ("self", "alternate", "collection", "next") if f'rel="{rel}"' in header] == ["self", "next"]
    second = await features.get(following)
    assert etree.fromstring(second.body).findtext("a:id", namespaces=ATOM) == f"{base}?category=low"
    # all of a selection are on one page: none follows
    whole = await features.get(FEED, {"ids": "7", "f": "geojson"})
    assert 'rel="next"' not in whole.headers["Link"]
    assert (whole.json()["numberReturned"], whole.link("self")) == (1, f"{base}?ids=7&f=geojson")
    assert [link["rel"] for link in whole.json()["links"]] == ["self", "related", "alternate", "collection"]


async def test_feeds_have_the_shapes_of_features_in_geojson_and_boxes_in_atom(features: Client) -> None:
    path = "/collections/hostile.planet/feed"
    shapes = (await features.json(path, f="geojson", limit="20"))["features"]
    assert {feature["geometry"]["type"] for feature in shapes if feature["geometry"]} > {"Polygon"}
    items = await features.json("/collections/hostile.planet/items", limit="20")
    assert {feature["id"]: feature["geometry"] for feature in shapes} == {
        feature["id"]: feature["geometry"] for feature in items["features"]
    }
    root = await _feed(features, path, limit="20")
    assert root.find("a:entry/georss:box", ATOM) is not None


@pytest.mark.parametrize("name", ["offset", "crs", "simplify", "bbox-only", "sortby"])
async def test_a_feed_has_not_all_parameters_of_items(features: Client, name: str) -> None:
    assert (await features.get(FEED, {name: "1"})).status == 422


async def test_feeds_are_asked_about_by_tags_of_their_own(features: Client) -> None:
    tags = {}
    for query in ("", "?f=geojson", "?limit=2", "?last=P9000D", "?last=P8000D"):
        answer = await features.get(f"{FEED}{query}")
        tags[query] = answer.headers["ETag"]
        assert (await features.get(f"{FEED}{query}", headers={"If-None-Match": "*"})).status == 304
    assert len(set(tags.values())) == len(tags)
    unchanged = await features.get(FEED, headers={"If-None-Match": tags[""]})
    assert (unchanged.status, unchanged.body) == (304, b"")


async def test_a_feed_of_the_last_days_is_another_one_as_time_goes_on(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [datetime(2020, 2, day, tzinfo=UTC) for day in (1, 2)]
    tags = []
    for moment in (*moments, moments[0]):
        monkeypatch.setattr("services.features.feed.start_of_last", lambda _, moment=moment: moment)
        answer = await features.get(FEED, {"last": "P9D", "limit": "2", "f": "geojson"})
        tags.append(answer.headers["ETag"])
        following = answer.link("next") or ""
        assert f"?datetime=2020-02-0{moment.day}T00%3A00%3A00Z%2F..&" in following.replace("limit=2&", "")
        assert (await features.get(answer.url, headers={"If-None-Match": tags[0]})).status == (
            304 if moment is moments[0] else 200
        )
    assert tags[0] == tags[2] != tags[1]
