"""How columns are selected, and where in a row the values of an order are."""

from __future__ import annotations

import asyncpg
import pytest

from libs.catalogue.model import Collection, Column, GeometryColumn
from libs.selection.selection import Selection, SortTerm
from services.features.rows.columns import columns_of, sort_places
from tests.conftest import MakeDatabase

KEY = Column("id", "integer", "integer", not_null=True)
SIZE = Column("size", "double precision", "number")
NAME = Column("name", "text", "string")
AT = Column("at", "timestamp with time zone", "string", format="date-time")
GEOMETRY = GeometryColumn("geom", "Point", 4326)


def collection(key: str | None = "id") -> Collection:
    return Collection("a.b", "a", "b", 1, "table", "B", None, (KEY, SIZE, NAME, AT), key=key, sources=(1,))


@pytest.mark.parametrize(
    ("key", "geometry", "column", "places", "more"),
    [
        ("id", GEOMETRY, KEY, (0,), []),
        ("id", GEOMETRY, NAME, (4,), []),
        ("id", None, NAME, (3,), []),
        (None, GEOMETRY, NAME, (3,), []),
        ("id", GEOMETRY, AT, (5,), []),
        # the text that reads back as the same number is not the one in the answer
        ("id", GEOMETRY, SIZE, (6,), ['item."size"::text']),
    ],
)
def test_what_the_row_has_is_not_fetched_again(
    key: str | None, geometry: GeometryColumn | None, column: Column, places: tuple[int, ...], more: list[str]
) -> None:
    shown = collection(key)
    _, layout = columns_of(Selection(shown, geometry, (), shown.columns, ()), "geojson")
    found, fetched = sort_places([SortTerm(column)], layout)
    assert found == places
    assert [part.render()[0] for part in fetched] == more


def test_what_is_not_shown_is_fetched_behind_the_rest() -> None:
    bare = Selection(collection(), None, (), (SIZE,), ())
    _, layout = columns_of(bare, "geojson")
    places, fetched = sort_places([SortTerm(NAME), SortTerm(AT), SortTerm(KEY)], layout)
    assert places == (2, 3, 0)
    assert [part.render()[0] for part in fetched] == ['item."name"::text', 'item."at"::text']


def test_places_of_times_are_noted_those_of_keys_too() -> None:
    shown = collection("at")
    _, layout = columns_of(Selection(shown, GEOMETRY, (), shown.columns, ()), "geojson")
    assert [place for place, _ in layout.times] == [0, 5]
    assert layout.raw_json == (False, False, False, False)


async def test_exact_numbers_are_as_they_are_written_or_null(make_database: MakeDatabase) -> None:
    exact = Column("n", "numeric", "number")
    bare = Selection(collection(None), None, (), (exact,), ())
    columns, layout = columns_of(bare, "geojson")
    assert layout.raw_json == (True,)
    connection = await asyncpg.connect(await make_database())
    rows = await connection.fetch(
        f"SELECT {columns.render()[0]} FROM unnest(ARRAY['1.50', 'NaN', '-Infinity', 'Infinity', '-1e30']::numeric[])"  # noqa: S608
        " AS item (n)"
    )
    await connection.close()
    assert [row[0] for row in rows] == ["1.50", None, None, None, f"-1{30 * '0'}"]
