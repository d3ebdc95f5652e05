"""SQL fragments: numbering, quoting, composition."""

from __future__ import annotations

import pytest

from libs.pg.sql import EMPTY, Sql, all_of, any_of, bind, binds, ident, join, sql


def test_render_numbers_binds_in_the_order_of_the_text() -> None:
    later = sql("{c} < {v}", c=ident("b"), v=bind(2, "int8"))
    earlier = sql("{c} = {v}", c=ident("a"), v=bind("x", "text"))
    text, args = (earlier + sql(" AND ") + later).render()
    assert text == '"a" = $1::text AND "b" < $2::int8'
    assert args == ("x", 2)


def test_one_bind_used_twice_is_sent_once() -> None:
    value = bind(b"\x00", "bytea")
    text, args = sql("f({v}) OR g({v})", v=value).render()
    assert text == "f($1::bytea) OR g($1::bytea)"
    assert args == (b"\x00",)


def test_equal_values_have_numbers_of_their_own() -> None:
    same = join(", ", [bind(1, "int8"), bind(1, "int8")]).render()
    other = join(", ", [bind(1, "int8"), bind(2, "int8")]).render()
    assert same[0] == other[0] == "$1::int8, $2::int8"


def test_cast_for_types_that_travel_as_text() -> None:
    assert bind("high", "text", cast='"a b".alert').render() == ('$1::text::"a b".alert', ("high",))


@pytest.mark.parametrize(
    ("names", "quoted"),
    [
        (("a b",), '"a b"'),
        (('x"; DROP TABLE t; --',), '"x""; DROP TABLE t; --"'),
        (("hazard", "select"), '"hazard"."select"'),
        (("émoji 🌊 $1 {x}",), '"émoji 🌊 $1 {x}"'),
    ],
)
def test_ident_quotes_hostile_names(names: tuple[str, ...], quoted: str) -> None:
    assert sql("{n}", n=ident(*names)).render() == (quoted, ())


@pytest.mark.parametrize("names", [(), ("",), ("a\0b",), ("a", "")])
def test_ident_refuses_what_is_no_identifier(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="identifier"):
        ident(*names)


def test_numbered_placeholders_in_text_are_refused() -> None:
    for template in ("a = $1", "a = $9"):
        with pytest.raises(ValueError, match="placeholders"):
            sql(template)
    assert sql("a = '$'").render() == ("a = '$'", ())


def test_a_missing_fragment_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError):
        sql("{a} = {b}", a=ident("a"))


def test_braces() -> None:
    assert sql("'{{}}'::jsonb").render() == ("'{}'::jsonb", ())


def test_all_of_and_any_of_parenthesise_and_skip_empty() -> None:
    conditions = [sql("a OR b"), EMPTY, sql("c")]
    assert all_of(conditions).render()[0] == "(a OR b) AND (c)"
    assert any_of(conditions).render()[0] == "(a OR b) OR (c)"
    assert all_of([]).render()[0] == "TRUE"
    assert any_of([EMPTY]).render()[0] == "FALSE"
    assert not Sql()


def test_several_values_have_commas_between_them() -> None:
    assert binds([1, 2, 2], "int8").render() == ("$1::int8, $2::int8, $3::int8", (1, 2, 2))
    assert binds([1], "int8").render() == ("$1::int8", (1,))
    assert not binds([], "int8")


def test_what_is_used_again_and_again_is_joined_without_a_change() -> None:
    value = bind(1, "int8")
    pieces = sql("a ") + sql("= ") + value + sql(" AND ") + sql("b = ") + value
    assert pieces.merge_texts().render() == pieces.render() == ("a = $1::int8 AND b = $1::int8", (1,))
    assert len(pieces.merge_texts().parts) == 4
