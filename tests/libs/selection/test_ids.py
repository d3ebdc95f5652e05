"""Ids of features as members of a list, and invalid ids; test_selected_rows finds rows by ids."""

from __future__ import annotations

from dataclasses import replace

import pytest

from libs.catalogue.model import Collection, Column
from libs.selection.ids import has_odd_id, key_condition, listed_id, unescape_id

NUMBER, TEXT = Column("id", "integer", "integer"), Column("code", "text", "string")
DAY, MOMENT = Column("day", "date", "string", "date"), Column("at", "timestamp with time zone", "string", "date-time")
FLOAT, COST = Column("size", "double precision", "number"), Column("cost", "money", "number")
SPAN, BITS, BYTES = (
    Column("span", "interval", "string"),
    Column("b", "bit(3)", "string"),
    Column("d", "bytea", "string"),
)
YES = Column("yes", "boolean", "boolean")
LEVEL = Column("level", "a.levels", "string", enum=("low", "high"))
SHORT = Column("s", "bit varying(3)", "string")


def _of(*columns: Column) -> Collection:
    names = tuple(column.name for column in columns)
    plain = Collection("s.t", "s", "t", 1, "table", "T", None, columns)
    return replace(plain, key=names[0]) if len(names) == 1 else replace(plain, composite_key=names)


@pytest.mark.parametrize("identifier", ["7", "a,b", "5%", "%2C", " a b  ", "a%2Cb~c", " "])
def test_an_id_is_a_member_of_a_list(identifier: str) -> None:
    listed = listed_id(identifier)
    assert "," not in listed
    assert listed == listed.strip()
    assert unescape_id(listed) == identifier


def test_what_is_no_escape_of_a_list_stays() -> None:
    assert unescape_id("%7E%41%2c%20%25") == "%7E%41, %"


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        # ids of features are written in one way only
        *(((NUMBER,), text) for text in ("049", "-0", "+1", "49.0", "", " 1", "1\n", "٤", "a")),
        ((TEXT,), "a\0"),
        ((DAY,), "2020-1-1"),
        ((FLOAT,), "NaN"),
        ((NUMBER, TEXT), "1"),
        ((NUMBER, TEXT), "1~a~b"),
        ((NUMBER, TEXT), "01~a"),
        ((NUMBER, TEXT), "1~a\0"),
        ((DAY, TEXT), "ever~a"),
    ],
)
def test_what_can_be_no_id_finds_none(columns: tuple[Column, ...], text: str) -> None:
    assert key_condition(_of(*columns), text) is None


def test_without_a_key_nothing_is_found() -> None:
    assert key_condition(replace(_of(NUMBER), key=None), "1") is None


@pytest.mark.parametrize(
    ("columns", "odd"),
    [
        *(((column,), False) for column in (NUMBER, TEXT, DAY, MOMENT, FLOAT, YES, LEVEL)),
        *(((column,), True) for column in (SPAN, BITS, BYTES, SHORT)),
        ((NUMBER, TEXT), False),
        ((SPAN, NUMBER), True),
        # in a key of several columns, values of types without a format are parts too
        *(((column, NUMBER), True) for column in (DAY, MOMENT, FLOAT)),
    ],
)
def test_some_ids_only_the_database_can_read(columns: tuple[Column, ...], odd: bool) -> None:
    assert has_odd_id(_of(*columns)) is odd
