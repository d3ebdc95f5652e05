"""The parameter `q`: search in all text properties of a collection, after the draft of Features Part 9. Pure.

Each term is a word or words in this order; one term suffices. Case and accents do not count. The search is a CQL2
filter, so that it has the same limits and indexes as filters have.
"""

from collections.abc import Iterator, Sequence

from libs.catalogue.model import Collection, Column
from libs.pg.text_folding import UNTRIED, TextFolding

MOST_COLUMNS = 20
"""Maximum number of searched properties; the first ones are searched."""


def text_filter(collection: Collection, terms: Sequence[str], folding: TextFolding = UNTRIED) -> str | None:
    """Return the filter in CQL2 text; None if the collection has no text to search.

    folding: what the database supports; without accents or case, a search compares them.
    """
    conditions = [
        f"{_folded(_name(column), folding)} LIKE {_folded(_pattern(term), folding)}"
        for term in terms
        for column in searched(collection)
    ]
    return " OR ".join(conditions) if conditions else None


def searched(collection: Collection) -> list[Column]:
    """Return the properties that `q` searches."""
    return list(_texts(collection))[:MOST_COLUMNS]


def _texts(collection: Collection) -> Iterator[Column]:
    for column in collection.columns:
        if column.type == "string" and column.format is None and column.enum is None:
            yield column


def _folded(expression: str, folding: TextFolding) -> str:
    if folding.case is not None:
        expression = f"CASEI({expression})"
    return f"ACCENTI({expression})" if folding.accents is not None else expression


def _name(column: Column) -> str:
    doubled = column.name.replace('"', '""')
    return f'"{doubled}"'


def _pattern(term: str) -> str:
    words = " ".join(term.split())
    escaped = words.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("'", "''")
    return f"'%{escaped}%'"
