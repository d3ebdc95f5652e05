"""Ids of features: as members of a list, as conditions, and as they are made of several columns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from libs.catalogue.model import Collection, Column
from libs.selection.ids import composite_id, has_odd_id, key_condition, listed_id, unescape_id

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
    ("column", "text", "condition", "value"),
    [
        (NUMBER, "49", '"id" = $1::int8', 49),
        (NUMBER, "-1", '"id" = $1::int8', -1),
        (NUMBER, "0", '"id" = $1::int8', 0),
        (NUMBER, "1" * 18, '"id" = $1::int8', int("1" * 18)),
        (NUMBER, "1" * 19, '"id" = $1::int8', int("1" * 19)),
        (TEXT, "a,b~%7E", '"code" = $1::text', "a,b~%7E"),
        (TEXT, "", '"code" = $1::text', ""),
        (DAY, "2020-01-01", '"day" = $1::date', date(2020, 1, 1)),
        (MOMENT, "2020-01-01T00:00:00Z", '"at" = $1::timestamptz', datetime(2020, 1, 1, tzinfo=UTC)),
        (FLOAT, "1.5", '"size" = $1::float8', 1.5),
        # values that only the database can read
        (SPAN, "P1D", '"span" = $1::text::interval', "P1D"),
        (BITS, "101", '"b" = $1::text::bit(3)', "101"),
        # with its length it would be cut, and find another
        (SHORT, "1011", '"s" = $1::text::bit varying', "1011"),
        (LEVEL, "low", '"level" = $1::text::a.levels', "low"),
    ],
)
def test_the_feature_with_an_id_is_found_by_its_key(column: Column, text: str, condition: str, value: object) -> None:
    found = key_condition(_of(column), text)
    assert found is not None
    assert found.render() == (condition, (value,))


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
    ("columns", "text", "condition", "values"),
    [
        ((NUMBER, TEXT), "1~a%7Eb%2Cc%25", '("id" = $1::int8) AND ("code" = $2::text)', (1, "a~b,c%")),
        *(
            ((DAY, NUMBER), f"{text}~1", '("day" = $1::text::date) AND ("id" = $2::int8)', (text, 1))
            for text in ("infinity", "-infinity", "0044-03-15 BC", "12345-01-01")
        ),
        (
            (MOMENT, NUMBER),
            "12345-01-01T00:00:00Z~1",
            '("at" = $1::text::timestamp with time zone) AND ("id" = $2::int8)',
            ("12345-01-01T00:00:00Z", 1),
        ),
        *(
            ((FLOAT, NUMBER), f"{text}~1", '("size" = $1::text::double precision) AND ("id" = $2::int8)', (text, 1))
            for text in ("Infinity", "-Infinity", "NaN")
        ),
    ],
)
def test_of_several_columns_each_has_its_part(
    columns: tuple[Column, ...], text: str, condition: str, values: tuple[object, ...]
) -> None:
    found = key_condition(_of(*columns), text)
    assert found is not None
    assert found.render() == (condition, values)


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


def test_parts_of_an_id_are_texts_without_what_stands_between_them() -> None:
    escaped = "replace(replace(replace({}::text, '%', '%25'), '~', '%7E'), ',', '%2C')"
    parts = {
        NUMBER: '"id"::text',
        DAY: '"day"::text',
        COST: '"cost"::numeric::text',
        MOMENT: r"""regexp_replace("at"::text, '^([^ ]+) ([^ +]+)(\+00)?$', '\1T\2Z')""",
        TEXT: escaped.format('"code"'),
        FLOAT: escaped.format('"size"'),
    }
    assert composite_id(tuple(parts)).render() == (" || '~' || ".join(parts.values()), ())
