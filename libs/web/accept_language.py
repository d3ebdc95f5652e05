"""The languages that pages have, and which of them `Accept-Language` wants: the same for services and gateway."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

PARAMETER = "lang"
_LONGEST = 500
"""Characters of a header that is looked at; browsers send few."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that pages have: its tag (BCP 47), what it calls itself, and its direction as HTML has it."""

    tag: str
    name: str
    direction: str = "ltr"


ENGLISH = Language("en", "English")
LANGUAGES: Mapping[str, Language] = {
    language.tag: language
    for language in (ENGLISH, Language("fr", "Français"), Language("es", "Español"), Language("ar", "العربية", "rtl"))
}
"""By tag; English is that of the templates."""

# from the most wanted to the least; what weighs less than a tenth is not wanted
_WEIGHTS = (
    r"(?:;[ \t]*q=1(?:\.0{0,3})?[ \t]*)?",
    *(rf";[ \t]*q=0\.{tenth}[0-9]{{0,2}}[ \t]*" for tenth in range(9, 0, -1)),
)
LANGUAGE_RULES = tuple(
    rf"(?:^|,)[ \t]*({'|'.join(LANGUAGES)})(?:-[a-z0-9-]{{0,30}})?[ \t]*{weight}(?:,|$)" for weight in _WEIGHTS
)
"""Regular expressions, in any case of letters; the first that is found has the language as its group, else English."""
_RULES = tuple(re.compile(rule, re.IGNORECASE) for rule in LANGUAGE_RULES)


@lru_cache(maxsize=256)
def preferred(accepted: str) -> Language:
    """The one that the header wants most (RFC 9110 section 12.5.4)."""
    accepted = accepted[:_LONGEST]
    found = next((found for rule in _RULES if (found := rule.search(accepted))), None)
    return ENGLISH if found is None else LANGUAGES[found[1].lower()]
