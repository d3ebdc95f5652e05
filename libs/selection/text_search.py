"""The parameter `q`: search in all text properties of a collection, after the draft of Features Part 9. Pure.

Each term is a word or words in this order; one term suffices. Case and accents do not count. A feature matches

- if a text has the term. This is a CQL2 filter, so that it has the same limits and indexes as filters have;
- if a text has other forms of its words, by the rules of the language of the text;
- if no feature of the collection matches by these, and a text has similar words. The best matches come first.

All of this is one condition, so that pages, counts, tiles and exports agree.
"""

import re
from collections.abc import Iterator, Sequence

from libs.catalogue.model import Collection, Column
from libs.pg.sql import Sql, any_of, bind, ident, join, sql
from libs.pg.text_folding import UNTRIED, TextFolding
from libs.pg.text_search import SIMPLE, configuration_sql

MOST_COLUMNS = 20
"""Maximum number of searched properties; the first ones are searched."""
MOST_ROWS = 10_000
"""Maximum number of rows of a collection in which similar words are looked for: about a second without an index."""
_WORD = re.compile(r"[^\W_]+")
_LEAST = 3
"""Minimum number of letters that the forms of a word share; of longer words it is half of them."""
_WITH_PREFIXES = frozenset({"pg_catalog.arabic"})
"""Languages in which the forms of a word begin differently."""


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


def search_condition(collection: Collection, terms: Sequence[str], folding: TextFolding, exact: Sql) -> Sql:
    """Return the condition of a search. exact: the condition that a text has one of the terms."""
    pairs = [(term, column) for term in terms for column in searched(collection) if _WORD.search(term)]
    direct = any_of([exact, *(_in_other_forms(term, column, folding) for term, column in pairs)])
    schema = _trigrams(collection, folding)
    if schema is None or not pairs:
        return direct
    similar = any_of(
        sql("{similarity} >= 0.5", similarity=_similarity(term, column, schema, folding)) for term, column in pairs
    )
    fallback = sql(
        "NOT EXISTS (SELECT FROM {table} WHERE {direct}) AND ({similar})",
        table=ident(collection.schema, collection.name),
        direct=direct,
        similar=similar,
    )
    return any_of([direct, fallback])


def rank(collection: Collection, terms: Sequence[str], folding: TextFolding) -> Sql | None:
    """Return how well a feature matches, from 0 to 1000; None if the database cannot tell."""
    schema = _trigrams(collection, folding)
    columns = searched(collection)
    if schema is None or not columns:
        return None
    values = [_similarity(term, column, schema, folding) for term in terms for column in columns]
    return sql("(coalesce(greatest({values}), 0) * 1000)::int", values=join(", ", values)).merge_texts()


def _trigrams(collection: Collection, folding: TextFolding) -> Sql | None:
    """Return the schema of pg_trgm; None if the database does not have it, or if comparing all rows takes too long."""
    schema, rows = folding.search.trigrams, collection.rows if collection.item_count is None else collection.item_count
    return ident(schema) if schema is not None and rows is not None and rows <= MOST_ROWS else None


def _similarity(term: str, column: Column, schema: Sql, folding: TextFolding) -> Sql:
    text = folding.of(ident(column.name))
    return sql("{schema}.word_similarity({term}, {text})", schema=schema, term=_word(term, folding), text=text)


def _in_other_forms(term: str, column: Column, folding: TextFolding) -> Sql:
    """Return the condition that a text has the words of a term in any form, next to each other and in this order."""
    configuration = folding.search.configuration_of(column.name)
    if configuration == SIMPLE:
        return sql("")
    text = folding.of(ident(column.name))
    condition = sql(
        "to_tsvector({configuration}, {text}) @@ phraseto_tsquery({configuration}, {term})",
        configuration=configuration_sql(configuration),
        text=text,
        term=_word(term, folding),
    )
    if not configuration.startswith("pg_catalog.") or configuration in _WITH_PREFIXES or folding.case is None:
        return condition
    # Parsing each text takes fifty times as long as looking for the beginning of the first word, which its other forms
    # share.
    word = _WORD.findall(term)[0]
    beginning = folding.of(bind(f"%{word[: max(_LEAST, len(word) // 2)]}%", "text"))
    return sql("{text} LIKE {beginning} AND {condition}", text=text, beginning=beginning, condition=condition)


def _word(term: str, folding: TextFolding) -> Sql:
    return folding.of(bind(" ".join(term.split()), "text"))
