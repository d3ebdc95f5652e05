"""The source of each element of an alert, and the conditions under which it is present."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from libs.catalogue.model import Collection, Column
from services.features.feeds.cap import alert, is_of_alerts

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parent / "cap-1.2.xsd"))
CAP = "{urn:oasis:names:tc:emergency:cap:1.2}"


def _time(name: str) -> Column:
    return Column(name, "timestamptz", "string", format="date-time")


COLUMNS = (
    Column("id", "text", "string"),
    _time("issued"),
    _time("expires"),
    Column("depth", "real", "number"),
    Column("level", "integer", "integer"),
    Column("is_open", "boolean", "boolean"),
    Column("description", "text", "string"),
)
ALERTS = Collection("own.rain alerts", "own", "rain alerts", 1, "table", "Rain alerts", None, COLUMNS, key="id")
POINT = {"type": "Point", "coordinates": [12.34567891, -1.5, 7]}


def told(
    properties: dict[str, Any] | None = None,
    *,
    geometry: Any = None,
    collection: Collection = ALERTS,
    status: str = "Actual",
) -> list[tuple[str, str | None]]:
    """Name and text of each element, in order; what holds others has none."""
    feature = {"id": "a b", "properties": {"issued": "2026-01-02T03:04:05.6Z", **(properties or {})}}
    body = alert(
        collection,
        {**feature, "geometry": geometry},
        address="https://example.org/items/1",
        sender="who@example.org",
        status=status,
        language="fr",
    )
    root = etree.fromstring(body)
    SCHEMA.assertValid(root)
    return [
        (element.tag.removeprefix(CAP), None if len(element) else element.text) for element in root.iterdescendants()
    ]


def test_an_alert_of_which_all_is_known() -> None:
    properties = {
        "source": "The met office",
        "event": "Rain",
        "headline": "Much rain " + "x" * 200,
        "title": "Not this",
        "category": "env",
        "urgency": "immediate",
        "severity": "SEVERE",
        "certainty": "Likely",
        "effective": "2026-01-02T04:00:00+01:00",
        "onset": "2026-01-02T05:00:00Z",
        "expires": "2026-01-03T00:00:00Z",
        "description": "It rains.",
        "instruction": "Stay in.",
        "areaDesc": "The valley",
        "country": "Not this",
        "depth": 1.5,
        "level": 0,
        "is_open": True,
    }
    assert told(properties, geometry=POINT, collection=replace(ALERTS, attribution="The institute")) == [
        ("identifier", "own.rain%20alerts.a%20b"),
        ("sender", "who@example.org"),
        ("sent", "2026-01-02T03:04:05-00:00"),
        ("status", "Actual"),
        ("msgType", "Alert"),
        ("source", "The met office"),
        ("scope", "Public"),
        ("info", None),
        ("language", "fr"),
        ("category", "Env"),
        ("event", "Rain"),
        ("urgency", "Immediate"),
        ("severity", "Severe"),
        ("certainty", "Likely"),
        ("effective", "2026-01-02T03:00:00-00:00"),
        ("onset", "2026-01-02T05:00:00-00:00"),
        ("expires", "2026-01-03T00:00:00-00:00"),
        ("senderName", "The institute"),
        ("headline", ("Much rain " + "x" * 200)[:160]),
        ("description", "It rains."),
        ("instruction", "Stay in."),
        ("web", "https://example.org/items/1"),
        ("parameter", None),
        ("valueName", "depth"),
        ("value", "1.5"),
        ("parameter", None),
        ("valueName", "level"),
        ("value", "0"),
        ("area", None),
        ("areaDesc", "The valley"),
        ("circle", "-1.5,12.34568 0"),
    ]


def test_an_alert_of_which_nothing_is_known() -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    (_, _, (name, sent), *rest) = told({"issued": None, "description": " ", "event": 5, "source": 5})
    assert name == "sent"
    assert before <= datetime.fromisoformat(sent or "") <= datetime.now(UTC)
    assert rest == [
        ("status", "Actual"),
        ("msgType", "Alert"),
        ("scope", "Public"),
        ("info", None),
        ("language", "fr"),
        ("category", "Other"),
        ("event", "Rain alert"),
        ("urgency", "Unknown"),
        ("severity", "Unknown"),
        ("certainty", "Unknown"),
        ("headline", "Rain alerts"),
        ("web", "https://example.org/items/1"),
        ("area", None),
        ("areaDesc", "Rain alerts"),
    ]


@pytest.mark.parametrize(
    ("properties", "name", "text"),
    [
        ({"title": "The title"}, "headline", "The title"),
        ({"headline": " ", "title": "The title"}, "areaDesc", "The title"),
        ({"area_desc": "The town", "country": "Not this"}, "areaDesc", "The town"),
        ({"country": "The land", "place": "Not this"}, "areaDesc", "The land"),
        ({"place": "The place"}, "areaDesc", "The place"),
        ({"alert_level": "Red"}, "severity", "Extreme"),
        ({"alert_level": "Orange"}, "severity", "Severe"),
        ({"alert_level": "yellow"}, "severity", "Moderate"),
        ({"alert_level": "GREEN"}, "severity", "Minor"),
        ({"alert_level": "blue"}, "severity", "Unknown"),
        # the feature's own value has priority
        ({"severity": "Minor", "alert_level": "Red"}, "severity", "Minor"),
        ({"severity": 3, "alert_level": "Red"}, "severity", "Extreme"),
        ({"category": "cbrne"}, "category", "CBRNE"),
        ({"category": "C5", "event": "Cyclone warning"}, "category", "Met"),
        ({"headline": "After the EARTHQUAKE"}, "category", "Geo"),
        ({"title": "A fire"}, "category", "Fire"),
        ({"event": "Storm"}, "category", "Met"),
        ({"event": "A flood after an earthquake"}, "category", "Met"),
        ({"category": "Geo", "event": "A flood"}, "category", "Geo"),
        ({"urgency": "soon"}, "urgency", "Unknown"),
        ({"certainty": "OBSERVED"}, "certainty", "Observed"),
    ],
)
def test_where_an_element_comes_from(properties: dict[str, Any], name: str, text: str) -> None:
    assert dict(told(properties))[name] == text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("category", "Geo Met Safety Security Rescue Fire Health Env Transport Infra CBRNE"),
        ("urgency", "Immediate Expected Future Past Unknown"),
        ("severity", "Extreme Severe Moderate Minor Unknown"),
        ("certainty", "Observed Likely Possible Unlikely Unknown"),
    ],
)
def test_the_words_of_cap_are_known_whatever_their_case(name: str, words: str) -> None:
    for word in words.split():
        assert dict(told({name: word.upper()}))[name] == word


def test_the_collection_says_what_its_features_do_not() -> None:
    assert dict(told(collection=replace(ALERTS, title="Flood warnings")))["category"] == "Met"


@pytest.mark.parametrize(
    ("properties", "status", "shown", "note"),
    [
        ({"source": "simulated along rivers"}, "Actual", "Exercise", True),
        ({"depth": 1, "description": "All SIMULATED."}, "Actual", "Exercise", True),
        ({"kind": " Exercise "}, "Actual", "Exercise", True),
        ({"kind": "synthetic"}, "Actual", "Exercise", True),
        ({"kind": "synthetic"}, "Test", "Test", True),
        ({"description": "Exercise caution"}, "Actual", "Actual", False),
        ({}, "Exercise", "Exercise", False),
        ({}, "Test", "Test", False),
    ],
)
def test_what_is_simulated_is_never_actual(properties: dict[str, Any], status: str, shown: str, note: bool) -> None:
    found = dict(told(properties, status=status))
    said = "Simulated: no real event. Do not act on it." if note else None
    assert (found["status"], found.get("note")) == (shown, said)


SQUARE = [[[0, 1], [2, 1], [2, 3], [0, 1]], [[0.5, 1.5], [1, 1.5], [1, 2], [0.5, 1.5]]]
AREA = {"type": "Polygon", "coordinates": SQUARE}
RING = "1,0 1,2 3,2 1,0"


@pytest.mark.parametrize(
    ("geometry", "polygons"),
    [
        (AREA, [RING]),
        ({"type": "MultiPolygon", "coordinates": [SQUARE, SQUARE, []]}, [RING, RING]),
        ({"type": "Polygon", "coordinates": []}, []),
        ({"type": "GeometryCollection", "geometries": [POINT, AREA, {"type": "Polygon", "coordinates": []}]}, [RING]),
        ({"type": "LineString", "coordinates": [[0, 0], [1, 1]]}, []),
        (
            {"type": "Polygon", "coordinates": [[[1.23456789, 12.3456789, 5], [2, 1, 5], [2, 3, 5], [1, 1, 5]]]},
            ["12.3457,1.234568 1,2 3,2 1,1"],
        ),
        (None, []),
    ],
)
def test_areas_are_outer_rings_latitude_first(geometry: Any, polygons: list[str]) -> None:
    found = told(geometry=geometry)
    assert [text for name, text in found if name == "polygon"] == polygons
    assert "circle" not in dict(found)


@pytest.mark.parametrize(
    ("collection", "is_one"),
    [
        (ALERTS, True),
        (replace(ALERTS, columns=(*COLUMNS[:1], _time("sent"), *COLUMNS[2:])), True),
        (replace(ALERTS, key=None), False),
        (replace(ALERTS, columns=COLUMNS[1:], key=None, composite_key=("issued", "expires")), True),
        (replace(ALERTS, columns=COLUMNS[:2]), False),
        (replace(ALERTS, columns=(COLUMNS[0], *COLUMNS[2:])), False),
        (replace(ALERTS, columns=(COLUMNS[0], Column("issued", "date", "string", format="date"), COLUMNS[2])), False),
        (replace(ALERTS, columns=(*COLUMNS[:2], Column("expires", "text", "string"))), False),
    ],
)
def test_alerts_have_ids_issue_and_expiry(collection: Collection, is_one: bool) -> None:
    assert is_of_alerts(collection) is is_one


def test_the_time_at_which_it_was_sent_counts_before_that_of_issue() -> None:
    both = replace(ALERTS, columns=(*COLUMNS, _time("sent")))
    assert dict(told({"sent": "2026-02-02T00:00:00Z"}, collection=both))["sent"] == "2026-02-02T00:00:00-00:00"
