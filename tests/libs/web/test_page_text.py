"""Times as pages say them."""

import contextvars
from datetime import UTC, datetime, timedelta

import pytest

from libs.web.accept_language import LANGUAGES
from libs.web.languages import speak
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


@pytest.mark.parametrize("tag", LANGUAGES)
@pytest.mark.parametrize("seconds", [61, 7_200, 90_000, 300_000, 864_000, 3_000_000, 40_000_000, 200_000_000])
def test_every_language_has_words_for_every_age(tag: str, seconds: int) -> None:
    def said() -> set[str]:
        speak(LANGUAGES[tag])
        return {ago((_NOW + timedelta(seconds=way * seconds)).isoformat(), _NOW) for way in (-1, 1)}

    # what was and what will be are told apart; the language is that of this call alone
    assert len(contextvars.copy_context().run(said)) == 2
