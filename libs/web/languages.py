"""The language of a page: `lang` says it, else `Accept-Language`; its texts are in gettext catalogues (`translations`).

What the data say stays in the language of their source, and so do documents for programs and messages of faults.
"""

from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO

from aiohttp import web
from babel.messages.mofile import write_mo

from libs.web.accept_language import ENGLISH, LANGUAGES, PARAMETER, Language, preferred
from libs.web.catalogues import catalogue

_CURRENT: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current() -> Language:
    """The language of what is being answered."""
    return _CURRENT.get()


def speak(language: Language) -> None:
    """Makes it the language of what is being answered from now on."""
    _CURRENT.set(language)


def wanted(request: web.Request) -> Language:
    """The language in which a page should be: that of `lang`, else the one that the browser likes best."""
    named = LANGUAGES.get(request.query.get(PARAMETER, ""))
    return named or preferred(request.headers.get("Accept-Language", ""))


def gettext(text: str) -> str:
    """The text in the language of the answer; as it is where nobody translated it."""
    return _translations(current().tag).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The one of both that goes with the number, in the language of the answer."""
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
    """Reads the texts of all languages: now, not when they are first asked for."""
    for tag in LANGUAGES:
        _translations(tag)
