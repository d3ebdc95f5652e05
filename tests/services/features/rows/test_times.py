"""Times as PostgreSQL writes them become those of RFC 3339, a column at a time."""

from __future__ import annotations

import pytest

from services.features.rows.layout import rfc3339_dates, rfc3339_times

WHOLE = ("2024-05-01 12:30:00", "2024-05-01T12:30:00Z")


@pytest.mark.parametrize("zone", ["", "+00"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2024-05-01 12:30:00.25", "2024-05-01T12:30:00.25Z"),
        ("0099-01-01 00:00:00", "0099-01-01T00:00:00Z"),
        ("10000-01-01 00:00:00", None),
        ("0044-03-15 00:00:00", "0044-03-15T00:00:00Z"),
    ],
)
def test_a_time_is_the_same_among_others_and_alone(text: str, found: str | None, zone: str) -> None:
    plain, made = f"{WHOLE[0]}{zone}", WHOLE[1]
    assert rfc3339_times([f"{text}{zone}"]) == [found]
    assert rfc3339_times([plain, None, f"{text}{zone}", plain]) == [made, None, found, made]
    assert rfc3339_times([plain, None, plain]) == [made, None, made]
    assert rfc3339_times([plain, plain]) == [made, made]


@pytest.mark.parametrize("text", ["infinity", "-infinity", "0044-03-15 00:00:00+00 BC", "0044-03-15 00:00:00 BC"])
def test_what_rfc_3339_has_no_words_for_is_none(text: str) -> None:
    zone = "+00" if "+" in text else ""
    assert rfc3339_times([text]) == [None]
    assert rfc3339_times([f"{WHOLE[0]}{zone}", text, None]) == [WHOLE[1], None, None]


def test_sums_of_lengths_are_not_taken_for_whole_seconds() -> None:
    given = ["infinity", "2024-05-01 12:30:00.123456", "2024-05-01 12:30:00.123"]
    assert rfc3339_times(given) == [None, "2024-05-01T12:30:00.123456Z", "2024-05-01T12:30:00.123Z"]


def test_no_times_at_all() -> None:
    assert rfc3339_times([]) == []
    assert rfc3339_times([None, None]) == [None, None]


def test_dates() -> None:
    given = ["2024-05-01", None, "infinity", "10000-01-01", "0044-03-15 BC"]
    assert rfc3339_dates(given) == ["2024-05-01", None, None, None, None]
