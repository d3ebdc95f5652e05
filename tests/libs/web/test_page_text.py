"""Times as pages say them."""

import contextvars
from datetime import UTC, datetime, timedelta

import pytest

from libs.web.accept_language import LANGUAGES
from libs.web.languages import speak
from libs.web.page_text import FILTERS, clock, count, crs_label, degrees, format_age, format_label, shell, span

_NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2026-11-23T11:59:31Z", "just now"),
        ("2026-11-23T11:59:00Z", "1 min ago"),
        ("2026-11-23T14:00:00+05:00", "3 h ago"),
        ("2026-11-21T12:00:01Z", "47 h ago"),
        ("2026-11-21T12:00:00Z", "2 days ago"),
        ("2026-09-20", "2 months ago"),
        ("2024-11-20T00:00:00Z", "2 years ago"),
        ("2026-11-23T15:30:00Z", "in 3 h"),
        ("soon", "soon"),
    ],
)
def test_how_long_ago(moment: str, words: str) -> None:
    assert format_age(moment, _NOW) == words


def test_a_clock_is_told_of_instants_alone() -> None:
    assert clock("2018-02-06T16:50:42+01:00") == "6 Feb 2018, 15:50 UTC"
    assert clock("2018-02-06") == "6 Feb 2018"


@pytest.mark.parametrize("tag", LANGUAGES)
@pytest.mark.parametrize("seconds", [61, 7_200, 90_000, 300_000, 864_000, 3_000_000, 40_000_000, 200_000_000])
def test_every_language_has_words_for_every_age(tag: str, seconds: int) -> None:
    def said() -> set[str]:
        speak(LANGUAGES[tag])
        return {format_age((_NOW + timedelta(seconds=way * seconds)).isoformat(), _NOW) for way in (-1, 1)}

    # past and future differ; the language applies to this call only
    assert len(contextvars.copy_context().run(said)) == 2


@pytest.mark.parametrize(
    ("box", "said"),
    [
        ([179.6, -65.9, -178.8, 83.0], "179.6° E – 178.8° W, 65.9° S – 83° N"),
        ([-0.001, 0.0, 10.0, 0.004], "0° – 10° E, 0° – 0°"),
        ([-100.126, -5.0, 100.004, -1.5], "100.13° W – 100° E, 5° S – 1.5° S"),
    ],
)
def test_boxes_are_told_by_their_sides(box: list[float], said: str) -> None:
    assert degrees(box) == said


@pytest.mark.parametrize(
    ("uri", "label"),
    [
        ("http://www.opengis.net/def/crs/EPSG/0/3857", "EPSG:3857"),
        ("http://www.opengis.net/def/crs/OGC/1.3/CRS84", "CRS84"),
        ("http://www.opengis.net/def/crs/EPSG/0/3857/x", "http://www.opengis.net/def/crs/EPSG/0/3857/x"),
        ("urn:ogc:def:crs:EPSG::3857", "urn:ogc:def:crs:EPSG::3857"),
    ],
)
def test_a_crs_is_told_by_its_code(uri: str, label: str) -> None:
    assert crs_label(uri) == label


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "0 seconds"),
        (1, "second"),
        (59, "59 seconds"),
        (60, "minute"),
        (90, "90 seconds"),
        (900, "15 minutes"),
        (3_600, "hour"),
        (21_600, "6 hours"),
        (86_400, "day"),
        (90_000, "25 hours"),
        (604_800, "week"),
        (1_209_600, "2 weeks"),
    ],
)
def test_duration_uses_the_largest_whole_unit(seconds: int, said: str) -> None:
    assert span(seconds) == said


def test_numbers_formats_and_words_of_a_shell() -> None:
    assert [count(number) for number in (7, 1707, 1234567)] == ["7", "1,707", "1,234,567"]
    assert [format_label(kind) for kind in ("text/html", "image/x-none")] == ["HTML", "image/x-none"]
    assert shell("it's $HOME") == "'it'\\''s $HOME'"
    assert FILTERS["segment"]("a/b") == "a%2Fb"


def test_ages_have_the_unit_that_people_would_choose() -> None:
    def ago_of(**size: float) -> str:
        return format_age((_NOW - timedelta(**size)).isoformat(), _NOW)

    assert [ago_of(seconds=59), ago_of(seconds=60), ago_of(minutes=59)] == ["just now", "1 min ago", "59 min ago"]
    assert [ago_of(minutes=60), ago_of(hours=47), ago_of(hours=48)] == ["1 h ago", "47 h ago", "2 days ago"]
    assert [ago_of(days=59), ago_of(days=61), ago_of(days=365)] == ["59 days ago", "2 months ago", "11 months ago"]
    assert [ago_of(days=730), ago_of(days=731), ago_of(days=4000)] == ["23 months ago", "2 years ago", "10 years ago"]
    assert format_age((_NOW + timedelta(seconds=59)).isoformat(), _NOW) == "just now"
