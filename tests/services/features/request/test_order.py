"""The last terms of an order, which depend on what distinguishes the rows of a collection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.selection.selection import Selection, SortTerm
from services.features.request.items_query import total_order
from services.features.request.order import is_by_content, partly_hashed_columns, row_identity, usual_order

ID = Column("id", "integer", "integer", not_null=True)
WORD = Column("word", "text", "string")
AT = Column("at", "date", "string", format="date")
BARE = Collection("a.b", "a", "b", 7, "table", "B", None, (WORD, ID, AT))
KEYED = replace(BARE, key="id")
VIEW = replace(BARE, kind="view", sources=(8,))


@pytest.mark.parametrize(
    ("collection", "names"),
    [
        (KEYED, ["id"]),
        (replace(BARE, composite_key=("word", "id")), ["word", "id"]),
        (replace(VIEW, key="id", sources=()), ["id"]),
        # a table that is one, with children, and of which that is not known
        (replace(BARE, sources=(7,)), ["ctid"]),
        (replace(BARE, sources=(7, 8)), ["tableoid", "ctid"]),
        (BARE, ["tableoid", "ctid"]),
        (replace(KEYED, key_repeats=True, sources=(7, 8)), ["tableoid", "ctid"]),
        (replace(BARE, kind="materialized view", sources=(7,)), ["ctid"]),
        (replace(BARE, kind="partitioned table", sources=(8, 9)), ["tableoid", "ctid"]),
        (VIEW, ["content"]),
        (replace(BARE, kind="foreign table"), ["content"]),
        # rows that change by themselves, and the result of a function
        (replace(VIEW, sources=()), []),
        (replace(VIEW, sources=(), key="id", key_repeats=True), []),
        (replace(BARE, kind="function", sources=(8,)), []),
    ],
)
def test_rows_are_told_apart_by(collection: Collection, names: list[str]) -> None:
    terms = row_identity(collection)
    assert [term.column.name for term in terms] == names
    assert is_by_content(terms) is (names == ["content"])


@pytest.mark.parametrize(
    ("collection", "names"),
    [
        (VIEW, ["id"]),
        (replace(VIEW, columns=(WORD, AT)), ["at"]),
        (replace(VIEW, columns=(WORD,)), []),
        # an order of their own
        (KEYED, []),
        (replace(BARE, sources=(7,)), []),
        (replace(VIEW, key="id", key_repeats=True), []),
    ],
)
def test_order_without_a_key_is_by_the_first_possible_key(collection: Collection, names: list[str]) -> None:
    assert [term.column.name for term in usual_order(collection)] == names


def test_places_of_rows_are_compared_as_what_they_are() -> None:
    places = row_identity(replace(BARE, sources=(7, 8)))
    assert [(term.column.name, term.column.sql_type, term.column.not_null) for term in places] == [
        ("tableoid", "oid", True),
        ("ctid", "tid", True),
    ]
    (content,) = row_identity(VIEW)
    assert (content.column.sql_type, content.column.not_null, content.descending) == ("bigint", True, False)


@pytest.mark.parametrize(
    ("sql_type", "is_one"),
    [
        ("uuid", True),
        ("integer", True),
        ("bigint", True),
        ("date", True),
        ("timestamp with time zone", True),
        ("timestamp without time zone", True),
        ("real", False),
        ("numeric", False),
        ("text", False),
        ("boolean", False),
    ],
)
def test_what_may_be_a_key(sql_type: str, is_one: bool) -> None:
    collection = replace(VIEW, columns=(WORD, Column("it", sql_type, "string")))
    assert [term.column.name for term in usual_order(collection)] == (["it"] if is_one else [])


def test_a_hash_of_the_content_holds_long_texts_and_geometries_in_part() -> None:
    bits = Column("bits", "json", "")
    geometry = GeometryColumn("geom", "Point", 4326)
    collection = replace(VIEW, columns=(WORD, ID, bits), geometries=(geometry,))
    assert partly_hashed_columns(collection) == ["word", "geom"]
    # a column without an order cannot end one
    assert partly_hashed_columns(replace(collection, columns=(ID, Column("spot", "point", "string")))) == ["geom"]
    (term,) = row_identity(collection)
    assert term.expression is not None
    assert term.expression.render() == (
        """hashtextextended(ROW(left(item."word"::text, 500), item."id", item."bits","""
        """ octet_length(item."word"::text), box2d(item."geom"::geometry))::text, 0)""",
        (),
    )


def test_order_by_a_column_named_like_the_hash_ends_with_it() -> None:
    named = Column("content", "bigint", "integer")
    view = replace(VIEW, columns=(named, ID))
    order = total_order(Selection(view, None, (), view.columns, (SortTerm(named),), ()))
    assert order == (SortTerm(named), *row_identity(view))
