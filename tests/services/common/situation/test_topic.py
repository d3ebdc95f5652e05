"""The landing page's texts for a topic and for a feature: words and conditions, without a database."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import ValidationError

from libs.catalogue.model import Collection, Column, GeometryColumn, TimeColumn
from libs.web.accept_language import ENGLISH, LANGUAGES
from libs.web.languages import speak
from services.common.situation.asked import Asked
from services.common.situation.statement import columns_of, newest
from services.common.situation.topic import Topic, entry_of

AT, UNTIL, ISSUED = (TimeColumn(name, "timestamp with time zone") for name in ("at", "until", "issued"))
NAMES = ("id", "title", "magnitude", "at", "until", "issued", "depth", "source")
QUAKES = Collection(
    "hazard.hazard_eq_events",
    "hazard",
    "hazard_eq_events",
    1,
    "table",
    "Earthquakes",
    None,
    tuple(Column(name, "text", "string") for name in NAMES),
    (GeometryColumn("geom", "Point", 4326),),
    (AT, UNTIL, ISSUED),
    key="id",
)
LASTING = replace(QUAKES, time_end="until", time_issued="issued")
ASKED = Asked.model_validate(
    {"title": "Strong", "at_least": {"magnitude": 6.5, 'odd "one"': 1e6}, "unset": ["withdrawn"], "days": 7}
)
NOW = datetime(2020, 5, 10, 12, 30, tzinfo=UTC)


def _topic(collection: Collection, asked: Asked = ASKED) -> Topic:
    return Topic(asked, collection, 0, (), "2020-01-01")


def test_a_topic_says_how_its_features_are_chosen() -> None:
    assert _topic(QUAKES).filter == '"magnitude" >= 6.5 AND "odd ""one""" >= 1000000 AND "withdrawn" IS NULL'
    assert _topic(QUAKES, Asked(title="All")).filter == ""


def test_topic_names_its_column_of_the_newest_and_its_subject() -> None:
    assert [_topic(each).order for each in (QUAKES, LASTING, replace(QUAKES, times=()))] == ["at", "issued", ""]
    assert [_topic(each).lasts for each in (QUAKES, LASTING)] == [False, True]
    assert _topic(QUAKES).hazard == "earthquakes"


@pytest.mark.parametrize(
    ("end", "matched", "is_archive"),
    [("2019-12-31T23:00:00Z", 0, True), ("2020-01-01T01:00:00Z", 0, False), (None, 0, True), (None, 1, False)],
)
def test_empty_result_beyond_the_data_has_no_message(end: str | None, matched: int, is_archive: bool) -> None:
    collection = replace(QUAKES, times=(replace(AT, end=end),))
    assert Topic(ASKED, collection, matched, (), "2020-01-01").is_archive is is_archive


def test_a_feature_is_told_with_its_times_in_utc() -> None:
    found = entry_of(
        LASTING,
        {
            "id": 7,
            "title": "Hualien",
            "at": datetime(2020, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))),
            "until": date(2020, 1, 3),
            "issued": datetime(2020, 1, 1, 0, 30),  # noqa: DTZ001 as the driver gives a timestamp without a zone
            "source": "simulated",
        },
        (121.5, 24.0),
    )
    assert (found.id, found.name, found.place) == ("7", "Hualien", (121.5, 24.0))
    assert (found.start, found.end, found.issued) == ("2019-12-31T23:00:00Z", "2020-01-03", "2020-01-01T00:30:00Z")
    assert found.simulated


def test_of_a_moment_there_is_no_end_and_of_no_key_no_id() -> None:
    values = {"id": 7, "title": "Hualien", "at": NOW, "until": NOW, "issued": NOW, "source": "USGS"}
    found = entry_of(replace(QUAKES, key=None), values, None)
    assert (found.id, found.end, found.issued, found.simulated, found.place) == (None, None, None, False, None)
    assert entry_of(QUAKES, {**values, "id": None}, None).id is None
    assert entry_of(replace(QUAKES, times=()), values, None).start is None


@pytest.mark.parametrize(
    ("values", "badge", "name"),
    [
        ({"magnitude": 6.44}, "M 6.4", "M 6.4 - Hualien"),
        ({"magnitude": 6}, "M 6.0", "M 6.4 - Hualien"),
        # the title does not repeat the badge
        ({"magnitude": 6.44, "place": "Hualien"}, "M 6.4", "Hualien"),
        ({"magnitude": 6.44, "place": ""}, "M 6.4", "M 6.4 - Hualien"),
        ({"place": "Hualien"}, None, "M 6.4 - Hualien"),
        ({"magnitude": "strong", "category": "3", "alert_level": "Red"}, "3", "M 6.4 - Hualien"),
        ({"category": 3, "alert_level": "Red"}, "Red", "M 6.4 - Hualien"),
        ({}, None, "M 6.4 - Hualien"),
    ],
)
def test_a_badge_is_the_class_of_a_feature(values: dict[str, Any], badge: str | None, name: str) -> None:
    found = entry_of(QUAKES, {"title": "M 6.4 - Hualien", **values}, None)
    assert (found.badge, found.name) == (badge, name)


def test_no_more_columns_are_read_than_a_line_tells() -> None:
    assert columns_of(QUAKES) == ["id", "title", "magnitude", "at", "source"]
    assert columns_of(LASTING) == ["id", "title", "magnitude", "at", "until", "issued", "source"]
    assert columns_of(replace(QUAKES, key=None, times=())) == ["title", "magnitude", "source"]


@pytest.mark.parametrize(
    ("sql_type", "start", "present"),
    [
        ("date", date(2020, 5, 3), date(2020, 5, 10)),
        ("timestamp with time zone", NOW - timedelta(days=7), NOW),
        (
            "timestamp without time zone",
            datetime(2020, 5, 3, 12, 30),  # noqa: DTZ001 of a column without a zone
            datetime(2020, 5, 10, 12, 30),  # noqa: DTZ001
        ),
    ],
)
def test_the_last_days_end_now_in_the_type_of_the_column(sql_type: str, start: object, present: object) -> None:
    """So that an index on it serves."""
    collection = replace(QUAKES, times=(replace(AT, sql_type=sql_type),))
    for moment in (NOW, NOW.astimezone(timezone(timedelta(hours=-5)))):
        text, arguments = newest(collection, ASKED, moment, only_present=True).render()
        assert arguments[2:4] == (present, start)
        assert f'"at" <= $3::{"timestamp" if sql_type == "timestamp without time zone" else ""}' in text
    assert newest(collection, ASKED, NOW, only_present=False).render()[1] == (6.5, 1e6, 4)


def test_without_a_time_nothing_is_the_newest() -> None:
    with pytest.raises(ValueError, match="no time"):
        newest(replace(QUAKES, times=()), ASKED, NOW, only_present=True)


@pytest.mark.parametrize(("days", "allowed"), [(0, False), (1, True), (3660, True), (3661, False), (1.5, False)])
def test_the_last_days_are_a_day_to_ten_years(days: float, allowed: bool) -> None:
    said = {"title": "T", "days": days}
    if allowed:
        assert Asked.model_validate(said).days == days
    else:
        with pytest.raises(ValidationError, match="days"):
            Asked.model_validate(said)


def test_what_is_not_said_of_a_topic_is_usual() -> None:
    asked = Asked.model_validate({"title": "T"})
    assert (asked.at_least, asked.unset, asked.days) == ({}, (), 30)
    for wrong in ({"unset": "a"}, {"unset": [1]}, {"more": 1}):
        with pytest.raises(ValidationError):
            Asked.model_validate({"title": "T", **wrong})


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (
            {"magnitude": 6.4, "place": "22km NNE of Hualien", "nearest_place": "Hualien", "nearest_place_km": 22}
            | {"nearest_place_bearing": "NNE"},
            "à 22 km NNE de Hualien",
        ),
        ({"alert_level": "Red", "country": "Spain", "at": NOW}, "Alerte : Rouge, Espagne, 10 mai 2020"),
        ({"title": "Known by its title alone"}, "Known by its title alone"),
    ],
)
def test_a_title_is_in_the_language_of_the_page(values: dict[str, Any], name: str) -> None:
    found = entry_of(QUAKES, {"title": "English", **values}, None)
    speak(LANGUAGES["fr"])
    try:
        assert found.name.replace("\u202f", " ") == name
    finally:
        speak(ENGLISH)
