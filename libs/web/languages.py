"""The language of a page: from `lang`, else from `Accept-Language`.

The texts are in gettext catalogues (`translations`), with titles, descriptions and words of the hazard collections
(services/viewer/build/hazard_words.py). Other data stay in the language of their source. Documents for programs and
error messages are in English.
"""

from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO

from aiohttp import web
from babel.messages.mofile import write_mo

from libs.web.accept_language import ENGLISH, LANGUAGES, PARAMETER, Language, preferred_language
from libs.web.catalogues import catalogue

_CURRENT: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current() -> Language:
    """Return the language of the current response."""
    return _CURRENT.get()


def speak(language: Language) -> None:
    """Set the language of the current response."""
    _CURRENT.set(language)


def requested_language(request: web.Request) -> Language:
    """Return the language for a page: from `lang`, else the browser's preferred one."""
    named = LANGUAGES.get(request.query.get(PARAMETER, ""))
    return named or preferred_language(request.headers.get("Accept-Language", ""))


def gettext(text: str) -> str:
    """Return the text in the language of the response; unchanged if it is empty or has no translation."""
    # the empty text is the head of the catalogue
    return _translations(current().tag).gettext(text) if text else text


def isolate(text: str) -> str:
    """Return a part of a sentence with its own direction, where pages run from the right (FSI and PDI of Unicode)."""
    return f"\u2068{text}\u2069" if text and current().direction == "rtl" else text


def ngettext(one: str, many: str, number: int) -> str:
    """Return the form for the number, in the language of the response."""
    return _translations(current().tag).ngettext(one, many, number)


@cache
def _translations(tag: str) -> NullTranslations:
    if tag == ENGLISH.tag:
        return NullTranslations()
    compiled = BytesIO()
    write_mo(compiled, catalogue(tag))
    compiled.seek(0)
    return GNUTranslations(compiled)


def load() -> None:
    """Read the texts of all languages at start, not at first use."""
    for tag in LANGUAGES:
        _translations(tag)
