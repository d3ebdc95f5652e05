"""Columns of dates that say when features were, and others."""

import pytest

from services.common.introspection.event_time import says_when

_INSTANT = "timestamp with time zone"


@pytest.mark.parametrize(
    ("name", "sql_type", "expected"),
    [
        ("event_date", "date", True),
        ("at", "date", True),
        ("fecha", "date", True),
        ("startTime", "date", True),
        ("moment", _INSTANT, True),
        ("ts", _INSTANT, True),
        ("erected", "date", False),
        ("built", "date", False),
        ("construction_date", "date", False),
        ("birth_date", "date", False),
        ("updated", _INSTANT, False),
        ("createdAt", _INSTANT, False),
        ("last_seen", _INSTANT, False),
        ("span", "tstzrange", True),
    ],
)
def test_names_and_types_show_whether_a_column_is_the_time_of_features(
    name: str, sql_type: str, expected: bool
) -> None:
    assert says_when(name, sql_type) is expected
