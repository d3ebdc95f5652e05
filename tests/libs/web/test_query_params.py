from typing import Any

import pytest

from libs.ogc.errors import InvalidParameters
from libs.web.query_params import query_parameter, read_query

LIMIT = {"name": "limit", "schema": {"type": "integer", "minimum": 0, "maximum": 100, "default": 10}}
BBOX = {
    "name": "bbox",
    "explode": False,
    "schema": {"type": "array", "minItems": 4, "maxItems": 6, "items": {"type": "number"}},
}
FLAG = {"name": "flag", "schema": {"type": "boolean"}}
F = {"name": "f", "schema": {"type": "string", "enum": ["json", "html"]}}
DECLARED = {str(entry["name"]): query_parameter(entry) for entry in (LIMIT, BBOX, FLAG, F)}
OTHERS: list[dict[str, Any]] = [
    {"name": "count", "schema": {"type": "integer"}},
    {"name": "share", "schema": {"type": "number", "minimum": 0, "maximum": 1}},
    *(
        {"name": name, "explode": False, "schema": {"type": "array", "items": items}}
        for name, items in (
            ("words", {"type": "string", "minLength": 1, "maxLength": 3}),
            ("numbers", {"type": "integer"}),
        )
    ),
]
ALL = DECLARED | {str(entry["name"]): query_parameter(entry) for entry in OTHERS}


def read(query: list[tuple[str, str]], extra: str | None = None) -> Any:
    return read_query(DECLARED, extra, query)


def test_values_have_their_declared_types_and_defaults() -> None:
    result = read([("bbox", "-1.5, .5,+2,3e1"), ("flag", "true")])
    assert result.values == {"limit": 10, "bbox": [-1.5, 0.5, 2.0, 30.0], "flag": True, "f": None}
    assert result.given == {"bbox", "flag"}
    assert result.faults == []


def test_members_of_lists_have_their_types_and_no_spaces_around_them() -> None:
    asked = [("words", "a, bcd "), ("numbers", "1, -2"), ("share", "1"), ("count", "9" * 18)]
    values = read_query(ALL, None, asked).values
    assert (values["words"], values["numbers"]) == (["a", "bcd"], [1, -2])
    assert (values["share"], values["count"]) == (1.0, 10**18 - 1)


@pytest.mark.parametrize(
    ("text", "value", "fault"),
    [
        ("100", 100, None),
        ("101", 100, None),
        ("9" * 30, 100, None),
        ("-1", 10, "greater_than_equal"),
        ("x", 10, "int_parsing"),
    ],
)
def test_more_than_the_maximum_means_the_maximum_where_that_is_wanted(text: str, value: int, fault: str | None) -> None:
    found = read_query({"limit": query_parameter(LIMIT, to_maximum=True)}, None, [("limit", text)])
    assert (found.values["limit"], [each.type for each in found.faults]) == (value, [fault] if fault else [])


def test_truth_may_be_written_in_any_case() -> None:
    found = [read([("flag", text)]).values["flag"] for text in ("TRUE", "True", "FALSE")]
    assert found == [True, True, False]


def test_bounds_belong_to_what_is_allowed() -> None:
    assert [read([("limit", text)]).values["limit"] for text in ("0", "100")] == [0, 100]
    assert [len(read([("bbox", text)]).values["bbox"]) for text in ("1,2,3,4", "1,2,3,4,5,6")] == [4, 6]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("limit", "ten", "int_parsing"),
        ("limit", "1.0", "int_parsing"),
        ("limit", "", "int_parsing"),
        ("limit", "٣", "int_parsing"),
        ("limit", "9" * 30, "less_than_equal"),
        ("limit", "-1", "greater_than_equal"),
        ("limit", "101", "less_than_equal"),
        ("bbox", "1,2,3", "minItems"),
        ("bbox", "1,2,3,4,5,6,7", "maxItems"),
        ("bbox", "1,2,three,4", "float_parsing"),
        ("bbox", "1,2,nan,4", "float_parsing"),
        ("bbox", "1,2,1e999,4", "float_parsing"),
        ("flag", "yes", "bool_parsing"),
        ("f", "xml", "enum"),
        ("f", "js\x00on", "string_type"),
        ("nonsense", "1", "extra_forbidden"),
        ("limit", "-" + "9" * 30, "int_parsing"),
        ("limit", "+" + "9" * 30, "less_than_equal"),
        ("count", "9" * 30, "less_than_equal"),
        ("words", "a,", "string_too_short"),
        ("words", "a,bcde", "string_too_long"),
        ("numbers", "1,2.5", "int_parsing"),
        ("share", "-0.1", "greater_than_equal"),
        ("share", "1.1", "less_than_equal"),
    ],
)
def test_faults_name_the_parameter_and_the_kind(name: str, text: str, kind: str) -> None:
    result = read_query(ALL, None, [(name, text)])
    assert [(fault.loc, fault.type) for fault in result.faults] == [(("query", name), kind)]
    # NUL is repeated to nobody
    assert result.faults[0].input == (None if "\x00" in text else text)


def test_numbers_that_no_double_has_and_names_that_are_empty_are_told() -> None:
    found = [fault.msg for fault in read([("bbox", "1,2,1e999,4"), ("", "1")]).faults]
    assert found == [
        "bbox item 3 ('1e999') must be a number below 1.8e308",
        "A parameter without a name is not a parameter; this resource knows limit, bbox, flag, f",
    ]


def test_all_faults_are_reported_at_once() -> None:
    result = read([("limit", "x"), ("bbox", "1"), ("who", "me"), ("limit", "2")])
    assert [fault.type for fault in result.faults] == ["int_parsing", "minItems", "extra_forbidden", "repeated"]
    with pytest.raises(InvalidParameters) as raised:
        result.check()
    assert len(raised.value.faults) == 4


def test_a_free_form_parameter_takes_what_is_not_declared_but_not_twice() -> None:
    result = read([("magnitude", "5"), ("magnitude", "6")], extra="propertyQueries")
    assert result.extra == {"magnitude": "5"}
    assert [fault.type for fault in result.faults] == ["repeated"]
    # told once, and never with a character that cannot be shown
    result = read(
        [("a\x00b", "1"), ("magnitude", "5"), ("magnitude", "6"), ("magnitude", "7")], extra="propertyQueries"
    )
    assert [fault.loc for fault in result.faults] == [("query", "a?b"), ("query", "magnitude")]
    assert result.extra == {"magnitude": "5"}


def test_what_is_required_is_missing_unless_it_is_given() -> None:
    declared = {"q": query_parameter({"name": "q", "required": True, "schema": {"type": "string", "maxLength": 2}})}
    found = [
        [(fault.loc, fault.type) for fault in read_query(declared, None, query).faults]
        for query in ([], [("q", "abc")], [("q", "a\x00")], [("q", "ab")])
    ]
    expected = ["missing", "string_too_long", "string_type", None]
    assert found == [[(("query", "q"), kind)] if kind else [] for kind in expected]


def test_a_schema_keyword_that_would_go_unchecked_is_refused() -> None:
    with pytest.raises(ValueError, match="pattern"):
        query_parameter({"name": "x", "schema": {"type": "string", "pattern": "a+"}})
    # by itself a list is one parameter for each of its members
    for said in ({}, {"explode": True}):
        with pytest.raises(ValueError, match="comma"):
            query_parameter({"name": "x", "schema": {"type": "array", "items": {"type": "string"}}, **said})
