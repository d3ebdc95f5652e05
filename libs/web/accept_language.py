"""The languages of pages, and the choice by `Accept-Language`: the same for services and gateway."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

PARAMETER = "lang"
_LONGEST = 500
"""Number of characters of a header that are read; browsers send few."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language of pages: its tag (BCP 47), its own name, and its direction as in HTML."""

    tag: str
    name: str
    direction: str = "ltr"


ENGLISH = Language("en", "English")
LANGUAGES: Mapping[str, Language] = {
    language.tag: language
    for language in (ENGLISH, Language("fr", "Français"), Language("es", "Español"), Language("ar", "العربية", "rtl"))
}
"""Languages by tag; the templates are in English."""

# from the highest weight to the lowest; a weight below a tenth counts as not wanted
_WEIGHTS = (
    r"(?:;[ \t]*q=1(?:\.0{0,3})?[ \t]*)?",
    *(rf";[ \t]*q=0\.{tenth}[0-9]{{0,2}}[ \t]*" for tenth in range(9, 0, -1)),
)
LANGUAGE_RULES = tuple(
    rf"(?:^|,)[ \t]*({'|'.join(LANGUAGES)})(?:-[a-z0-9-]{{0,30}})?[ \t]*{weight}(?:,|$)" for weight in _WEIGHTS
)
"""Case-insensitive regular expressions; the first match has the language as its group. No match means English."""
_RULES = tuple(re.compile(rule, re.IGNORECASE) for rule in LANGUAGE_RULES)


@lru_cache(maxsize=256)
def preferred_language(accepted: str) -> Language:
    """Return the language that the header prefers (RFC 9110 section 12.5.4)."""
    accepted = accepted[:_LONGEST]
    found = next((found for rule in _RULES if (found := rule.search(accepted))), None)
    return ENGLISH if found is None else LANGUAGES[found[1].lower()]


def mark(text: str) -> str:
    """Return the text unchanged: it marks a text that is looked up by variable, for the tool that collects texts."""
    return text
