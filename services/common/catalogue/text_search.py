"""The parameter `q` of the list of collections, after the draft of Common Part 4. Pure.

A term matches if its words occur as whole words in this order in one text: title, description, id or a keyword. One
term suffices. Case and accents do not count, and neither does the plural of a word.
"""

import re
from collections.abc import Iterable, Sequence
from unicodedata import combining, normalize

from libs.catalogue.model import Collection

_WORD = re.compile(r"[^\W_]+")


def matches(collection: Collection, terms: Sequence[str], translations: Iterable[str] = ()) -> bool:
    """Return whether a collection has one of the terms. translations: its texts in the language of the response."""
    texts = (collection.title, collection.description or "", collection.id, *collection.keywords, *translations)
    found = [f" {' '.join(_words(text))} " for text in texts]
    return any(words and f" {' '.join(words)} " in text for term in terms if (words := _words(term)) for text in found)


def _words(text: str) -> list[str]:
    plain = "".join(each for each in normalize("NFD", text) if not combining(each)).casefold()
    return [word.removesuffix("s") for word in _WORD.findall(plain)]
