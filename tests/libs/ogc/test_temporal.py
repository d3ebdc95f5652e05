from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libs.ogc.temporal import Interval, day, in_utc_text, moment_of, now, parse_instant, parse_interval, rfc3339


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("text", "interval"),
    [
        ("2020-01-31T12:00:00Z", Interval(utc(2020, 1, 31, 12), utc(2020, 1, 31, 12))),
        ("2020-01-31T12:00:00+02:00", Interval(utc(2020, 1, 31, 10), utc(2020, 1, 31, 10))),
        ("2020-01-31t12:00:00.5z", Interval(utc(2020, 1, 31, 12, 0, 0, 500_000), utc(2020, 1, 31, 12, 0, 0, 500_000))),
        # without a zone it is UTC
        ("2020-01-31T12:00:00", Interval(utc(2020, 1, 31, 12), utc(2020, 1, 31, 12))),
        (
            "2020-01-31 12:00:00/2020-02-01 00:00:00.5",
            Interval(utc(2020, 1, 31, 12), utc(2020, 2, 1, 0, 0, 0, 500_000)),
        ),
        # offsets up to a day, and ends that are one moment
        ("2020-01-31T23:59:00+23:59", Interval(utc(2020, 1, 31), utc(2020, 1, 31))),
        ("2020-01-31T12:00:00-02:30", Interval(utc(2020, 1, 31, 14, 30), utc(2020, 1, 31, 14, 30))),
        ("2020-01-01T00:00:00Z/2020-01-01T00:00:00Z", Interval(utc(2020, 1, 1), utc(2020, 1, 1))),
        # no more than microseconds
        (
            "2020-01-31T12:00:00.1234567Z",
            Interval(utc(2020, 1, 31, 12, 0, 0, 123_456), utc(2020, 1, 31, 12, 0, 0, 123_456)),
        ),
        ("2016-12-31T23:59:60Z", Interval(utc(2017, 1, 1), utc(2017, 1, 1))),
        ("2020-01-31", Interval(utc(2020, 1, 31), utc(2020, 1, 31, 23, 59, 59, 999_999))),
        # as GDAL writes a date
        ("2020-01-01T/..", Interval(utc(2020, 1, 1), None)),
        ("../2020-02-01T", Interval(None, utc(2020, 2, 1, 23, 59, 59, 999_999))),
        ("2020-01-01/2020-02-01", Interval(utc(2020, 1, 1), utc(2020, 2, 1, 23, 59, 59, 999_999))),
        ("2020-01-01T00:00:00Z/..", Interval(utc(2020, 1, 1), None)),
        ("../2020-01-01T00:00:00Z", Interval(None, utc(2020, 1, 1))),
        ("/2020-01-01T00:00:00Z", Interval(None, utc(2020, 1, 1))),
        ("0000-01-01T00:00:00Z/2020-01-01T00:00:00Z", Interval(None, utc(2020, 1, 1))),
        # it has a 29th of February
        ("0000-02-29T00:00:00Z/2020-01-01T00:00:00Z", Interval(None, utc(2020, 1, 1))),
    ],
)
def test_intervals(text: str, interval: Interval) -> None:
    assert parse_interval(text) == interval


NO_TIME = "'{}' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date"
NOT_IN_THE_CALENDAR = "'{}' does not exist in the calendar"
NO_PLUS = "'{}' has a blank before its offset; in an address write + as %2B"
OPEN = "must have a start or an end: an interval that is open at both ends says nothing"
ONE_SLASH = "must have one '/' between the start and the end of an interval"
NOTHING = "must be an RFC 3339 date-time, a date, or an interval start/end"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, NOTHING) for text in ("", "..")),
        *((text, OPEN) for text in ("../..", "/", "../", "/..")),
        *((text, ONE_SLASH) for text in ("a/b/c", "2020-01-01/2020-01-02/", "//")),
        *(
            (text, NO_TIME.format(text))
            for text in (
                *("yesterday", "2020", "2020-01-01T00:00", "٢٠٢٠-01-01", "2020-01-01T00:00:00+0100", "2020-01-01\n"),
                *("2020-01-01T00:00:00Z\n", "2020-01-01T00:00:00.Z", "2020-01-01_00:00:00Z", "12020-01-01T00:00:00Z"),
            )
        ),
        ("2020-01-01/x", NO_TIME.format("x")),
        ("x/2020-01-01", NO_TIME.format("x")),
        *((text, NOT_IN_THE_CALENDAR.format(text)) for text in ("2020-13-01", "2020-02-30", "0000-01-01")),
        ("0000-01-01/..", NOT_IN_THE_CALENDAR.format("0000-01-01")),
        # an invalid start is reported, with any end
        ("0000-13-01/2020-01-01", NOT_IN_THE_CALENDAR.format("0000-13-01")),
        *(
            (f"2020-01-01T{text}", NOT_IN_THE_CALENDAR.format(f"2020-01-01T{text}"))
            for text in (
                *("25:00:00Z", "25:00:00", "00:60:00Z", "00:00:61Z", "00:00:00+99:00", "00:00:00+24:00"),
                *("00:00:00-00:60", "00:00:00+01:60"),
            )
        ),
        # in UTC it would be before the first year, or after the last
        *(
            (text, NOT_IN_THE_CALENDAR.format(text))
            for text in ("0001-01-01T00:00:00+05:00", "9999-12-31T23:59:59-01:00", "9999-12-31T23:59:60Z")
        ),
        ("2020-01-01/2019-01-01", "start 2020-01-01 is after end 2019-01-01"),
        ("2020-01-01T00:00:01Z/2020-01-01T00:00:00Z", "start 2020-01-01T00:00:01Z is after end 2020-01-01T00:00:00Z"),
        ("2020-01-01T00:00:00 02:00", NO_PLUS.format("2020-01-01T00:00:00 02:00")),
        ("../2020-01-01T00:00:00.5 02:00", NO_PLUS.format("2020-01-01T00:00:00.5 02:00")),
    ],
)
def test_what_is_no_time_is_refused_and_told_what_one_looks_like(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=r".") as raised:
        parse_interval(text)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2020-01-31T12:00:00", "2020-01-31T12:00:00Z"),
        ("2020-01-31 12:00:00.50/..", "2020-01-31T12:00:00.5Z/.."),
        ("/2020-01-31T12:00:00", "/2020-01-31T12:00:00Z"),
        ("2020-01-31T12:00:00/", "2020-01-31T12:00:00Z/"),
        ("2020-01-31/2020-02-01T02:00:00+02:00", "2020-01-31/2020-02-01T00:00:00Z"),
        ("0000-01-01T00:00:00/2020-01-01T00:00:00", "0000-01-01T00:00:00/2020-01-01T00:00:00Z"),
        ("tomorrow: 12:00", "tomorrow: 12:00"),
    ],
)
def test_times_are_said_as_they_were_understood(text: str, said: str) -> None:
    assert in_utc_text(text) == said


@given(st.datetimes(timezones=st.just(UTC)))
def test_what_is_written_is_read_back(moment: datetime) -> None:
    assert parse_instant(rfc3339(moment)) == moment


@pytest.mark.parametrize(("text", "written"), [("20", "20"), ("20.650000", "20.65"), ("20.000001", "20.000001")])
def test_a_fraction_is_as_long_as_it_has_to_be(text: str, written: str) -> None:
    assert rfc3339(datetime.fromisoformat(f"2024-05-10T03:10:{text}+02:00")) == f"2024-05-10T01:10:{written}Z"


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2024-05-10T03:10:20.5+02:00", utc(2024, 5, 10, 1, 10, 20, 500_000)),
        ("2024-05-10T03:10:20", utc(2024, 5, 10, 3, 10, 20)),
        ("2024-05-10", utc(2024, 5, 10)),
        ("0001-01-01T00:00:00+14:00", None),
        ("infinity", None),
        (20240510, None),
        (None, None),
    ],
)
def test_a_property_tells_a_time_or_none(value: object, moment: datetime | None) -> None:
    assert moment_of(value) == moment


@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("2018-01-31T12:00:00Z", "31 Jan 2018"),
        ("2018-01-31T23:30:00-02:00", "1 Feb 2018"),
        ("2018-01-31", "31 Jan 2018"),
        ("2018-01-05T00:00:00", "5 Jan 2018"),
        ("some day", "some day"),
        # in UTC it would be before the first year
        ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00+14:00"),
    ],
)
def test_a_day_is_that_of_utc(moment: str, said: str) -> None:
    assert day(moment) == said


def test_a_time_stamp_is_the_present_in_whole_seconds() -> None:
    before, stamp, after = datetime.now(UTC).replace(microsecond=0), now(), datetime.now(UTC)
    assert before <= parse_instant(stamp) <= after
    assert parse_instant(stamp).microsecond == 0
