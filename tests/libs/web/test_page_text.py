"""Times as pages say them."""

from datetime import UTC, datetime

import pytest

from libs.web.page_text import ago, clock

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
    assert ago(moment, _NOW) == words


def test_a_clock_is_told_of_instants_alone() -> None:
    assert clock("2018-02-06T16:50:42+01:00") == "6 Feb 2018, 15:50 UTC"
    assert clock("2018-02-06") == "6 Feb 2018"
