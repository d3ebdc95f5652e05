"""The languages of pages: which is chosen, and that every text is there in each, with the same places for values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir

from libs.web.accept_language import ENGLISH, LANGUAGES, preferred_language
from libs.web.catalogues import catalogue
from libs.web.languages import current, gettext, ngettext, speak
from libs.web.page_text import clock, count, day, degrees, format_age, span
from services.viewer.build.words import KEYWORDS as OF_SCRIPTS

_TOP = Path(__file__).parents[3]
_METHODS = [
    ("**/node_modules/**", "ignore"),
    ("**/dist/**", "ignore"),
    ("**.py", "python"),
    ("**/templates/**.html", "jinja2"),
    ("viewer/browser/**.js", "javascript"),
]
_OPTIONS = {"**/templates/**.html": {"newstyle_gettext": "true", "silent": "false"}}
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "mark": None, **OF_SCRIPTS}
_PLACE = re.compile(r"%\(\w+\)s|\{\w+\}")
_OTHERS = [tag for tag in LANGUAGES if tag != ENGLISH.tag]


@cache
def _texts() -> frozenset[str | tuple[str, ...]]:
    """Return the English texts of templates, code and the browser's scripts."""
    return frozenset(
        message if isinstance(message, str) else tuple(message)
        for folder in ("libs", "services")
        for _, _, message, _, _ in extract_from_dir(
            _TOP / folder, method_map=_METHODS, options_map=_OPTIONS, keywords=_KEYWORDS
        )
    )


@pytest.fixture(params=_OTHERS)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    speak(LANGUAGES[request.param])
    yield request.param
    speak(ENGLISH)


@pytest.mark.parametrize("tag", _OTHERS)
def test_every_text_is_translated_and_no_other(tag: str) -> None:
    known = {message.id: message for message in catalogue(tag) if message.id}
    assert len(known) > 250
    assert known.keys() - _texts() == set(), "nobody says this any more"
    assert _texts() - known.keys() == set(), "not translated"
    for said, message in known.items():
        forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
        assert all(forms), said
        assert not message.fuzzy, said
        if isinstance(said, str):
            assert set(_PLACE.findall(forms[0])) == set(_PLACE.findall(said)), said
            continue
        # "one" may be a word instead of a number
        places = set(_PLACE.findall(said[1]))
        assert len(forms) == catalogue(tag).num_plurals, said
        assert set(_PLACE.findall(forms[-1])) == places, said
        assert all(set(_PLACE.findall(form)) <= places for form in forms), said


@pytest.mark.parametrize(
    ("header", "tag"),
    [
        ("", "en"),
        ("fr", "fr"),
        ("fr-CA,fr;q=0.9,en;q=0.8", "fr"),
        ("de-DE,de;q=0.9,en;q=0.8,fr;q=0.7", "en"),
        ("de,es-419;q=0.7", "es"),
        ("en;q=0.5, AR-eg ; q=0.8", "ar"),
        ("fr;q=0.3,es;q=0.25", "fr"),
        ("fr;q=0,es;q=0.2", "es"),
        ("fr;q=0", "en"),
        ("*", "en"),
        ("frr,free;q=1", "en"),
        ("q=1;;,,;fr", "en"),
    ],
)
def test_what_the_browser_likes_best(header: str, tag: str) -> None:
    assert preferred_language(header).tag == tag


def test_without_a_word_it_is_english() -> None:
    assert (current(), gettext("Map"), gettext("nobody says this")) == (ENGLISH, "Map", "nobody says this")
    assert [ngettext("%(num)s cell", "%(num)s cells", number) for number in (0, 1, 2)][1:] == [
        "%(num)s cell",
        "%(num)s cells",
    ]


def test_texts_numbers_and_times_are_in_the_language(language: str) -> None:
    expected = {
        "fr": (
            "Carte",
            "149\u202f703",
            "6 févr. 2018, 15:50 UTC",
            "il y a",
            "10° O – 9° E, 5° S – 6° N",
            "6\u00a0heures",
        ),
        "es": ("Mapa", "149.703", "6 feb 2018, 15:50 UTC", "hace", "10° O – 9° E, 5° S – 6° N", "6 horas"),
        "ar": (
            "الخريطة",
            "149,703",
            "6 فبراير 2018, 15:50 UTC",
            "قبل",
            "10° غربًا – 9° شرقًا, 5° جنوبًا – 6° شمالًا",
            "6 ساعات",
        ),
    }[language]
    said = gettext("Map"), count(149_703), clock("2018-02-06T15:50:00Z")
    assert said == expected[:3]
    assert format_age("2018-02-06T15:50:00Z").startswith(expected[3])
    assert degrees([-10.0, -5.0, 9.0, 6.0]) == expected[4]
    assert span(6 * 3600) == expected[5]


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        ("2018-02-06", "il y a 8 a"),
        ("2026-07-20", "il y a 4 m."),
        ("2027-03-30", "dans 4 m."),
        ("2026-11-20T12:00:00Z", "il y a 3 j"),
        ("2026-11-23T09:00:00Z", "il y a 3 h"),
        ("2026-11-23T12:00:10Z", "à l'instant"),
        ("un jour", "un jour"),
    ],
)
def test_how_long_ago_in_french(moment: str, words: str) -> None:
    speak(LANGUAGES["fr"])
    said = format_age(moment, datetime(2026, 11, 23, 12, tzinfo=UTC))
    speak(ENGLISH)
    assert said.replace("\xa0", " ") == words


def test_other_texts_than_times_stay_and_intervals_are_exact() -> None:
    speak(LANGUAGES["fr"])
    said = [day("un jour"), clock("un jour"), clock("2018-02-06"), *map(span, (1, 90, 300, 86_400, 90_000, 3_024_000))]
    speak(ENGLISH)
    spans = ["1 seconde", "90 secondes", "5 minutes", "1 jour", "25 heures", "5 semaines"]
    assert [text.replace("\xa0", " ") for text in said] == ["un jour", "un jour", "6 févr. 2018", *spans]


def test_arabic_has_six_numbers() -> None:
    speak(LANGUAGES["ar"])
    texts = [ngettext("%(number)s feature", "%(number)s features", number) for number in (0, 1, 2, 3, 11, 100)]
    speak(ENGLISH)
    assert texts == ["لا معالم", "معلم واحد", "معلمان", "%(number)s معالم", "%(number)s معلمًا", "%(number)s معلم"]
