from typing import Any

import pytest

from libs.ogc.errors import Fault, InvalidParameters
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


def test_a_list_without_bounds_may_have_one_member_or_many() -> None:
    assert [read_query(ALL, None, [("numbers", text)]).values["numbers"] for text in ("7", "1,2,3,4,5,6,7,8,9")] == [
        [7],
        [*range(1, 10)],
    ]


def test_truth_may_be_written_in_any_case() -> None:
    found = [read([("flag", text)]).values["flag"] for text in ("TRUE", "True", "FALSE")]
    assert found == [True, True, False]


def test_bounds_belong_to_what_is_allowed() -> None:
    assert [read([("limit", text)]).values["limit"] for text in ("0", "100")] == [0, 100]
    assert [len(read([("bbox", text)]).values["bbox"]) for text in ("1,2,3,4", "1,2,3,4,5,6")] == [4, 6]


_WHOLE, _TRUTH = "must be a whole number", "must be true or false"
_KNOWN = "limit, bbox, flag, f, count, share, words, numbers"


@pytest.mark.parametrize(
    ("name", "text", "kind", "said"),
    [
        ("limit", "ten", "int_parsing", f"limit {_WHOLE}"),
        ("limit", "1.0", "int_parsing", f"limit {_WHOLE}"),
        ("limit", "", "int_parsing", f"limit {_WHOLE}"),
        ("limit", "٣", "int_parsing", f"limit {_WHOLE}"),
        ("limit", "9" * 30, "less_than_equal", "limit must be at most 100"),
        ("limit", "-1", "greater_than_equal", "limit must be at least 0"),
        ("limit", "101", "less_than_equal", "limit must be at most 100"),
        ("bbox", "1,2,3", "minItems", "bbox has 3 items, minimum is 4"),
        ("bbox", "1,2,3,4,5,6,7", "maxItems", "bbox has 7 items, maximum is 6"),
        ("bbox", "1,2, three,4", "float_parsing", "bbox item 3 (' three') must be a number"),
        ("bbox", "1,2,nan,4", "float_parsing", "bbox item 3 ('nan') must be a number"),
        ("bbox", "1,2,1e999,4", "float_parsing", "bbox item 3 ('1e999') must be a number below 1.8e308"),
        ("flag", "yes", "bool_parsing", f"flag {_TRUTH}"),
        ("f", "xml", "enum", "f must be one of json, html"),
        ("f", "js\x00on", "string_type", "f must not hold a NUL character"),
        ("nonsense", "1", "extra_forbidden", f"nonsense is not a parameter; this resource knows {_KNOWN}"),
        ("limit", "-" + "9" * 30, "greater_than_equal", "limit must be at least 0"),
        ("limit", "+" + "9" * 30, "less_than_equal", "limit must be at most 100"),
        ("count", "9" * 30, "less_than_equal", "count must be at most 999999999999999999"),
        ("count", "-" + "9" * 30, "greater_than_equal", "count must be at least -999999999999999999"),
        ("words", "a,", "string_too_short", "words item 2 ('') must not be empty"),
        ("words", "a,bcde", "string_too_long", "words item 2 ('bcde') must have 3 characters at most"),
        ("numbers", "1,2.5", "int_parsing", f"numbers item 2 ('2.5') {_WHOLE}"),
        ("share", "-0.1", "greater_than_equal", "share must be at least 0"),
        ("share", "1.1", "less_than_equal", "share must be at most 1"),
    ],
)
def test_faults_name_the_parameter_and_what_is_wrong(name: str, text: str, kind: str, said: str) -> None:
    (fault,) = read_query(ALL, None, [(name, text)]).faults
    # NUL is never repeated in an error
    assert fault == Fault(("query", name), said, None if "\x00" in text else text, kind)


def test_what_knows_no_parameters_says_so() -> None:
    (fault,) = read_query({}, None, [("limit", "1")]).faults
    assert fault.msg == "limit is not a parameter; this resource knows none"


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
    assert result.faults == [Fault(("query", "magnitude"), "magnitude is given more than once", "6", "repeated")]
    # told once, and never with a character that cannot be shown
    result = read(
        [("magnitude", "5"), ("magnitude", "6"), ("a\x00b", "1"), ("magnitude", "7")], extra="propertyQueries"
    )
    assert [fault.msg for fault in result.faults] == [
        "magnitude is given more than once",
        "a?b must not hold a NUL character",
    ]
    assert [fault.loc for fault in result.faults] == [("query", "magnitude"), ("query", "a?b")]
    assert result.extra == {"magnitude": "5"}


def test_what_is_required_is_missing_unless_it_is_given() -> None:
    declared = {"q": query_parameter({"name": "q", "required": True, "schema": {"type": "string", "maxLength": 2}})}
    found = [
        [(fault.loc, fault.type, fault.msg) for fault in read_query(declared, None, query).faults]
        for query in ([], [("q", "abc")], [("q", "a\x00")], [("q", "ab")])
    ]
    assert found == [
        [(("query", "q"), "missing", "q is missing")],
        [(("query", "q"), "string_too_long", "q must have 2 characters at most")],
        [(("query", "q"), "string_type", "q must not hold a NUL character")],
        [],
    ]


def test_a_schema_keyword_that_would_go_unchecked_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^x: not, pattern would not be checked$"):
        query_parameter({"name": "x", "schema": {"type": "string", "pattern": "a+", "not": {}}})
    # a schema that does not restrict the values
    schema = {"type": "integer", "default": 3, "description": "D", "example": 1, "format": "int32", "nullable": True}
    unbounded = query_parameter({"name": "x", "schema": schema}, to_maximum=True)
    assert (unbounded.name, unbounded.default, unbounded.required, unbounded.parse("7")) == ("x", 3, False, 7)
    # by itself a list is one parameter for each of its members
    for said in ({}, {"explode": True}):
        with pytest.raises(ValueError, match=r"^x: lists are comma-separated here \(explode: false\)$"):
            query_parameter({"name": "x", "schema": {"type": "array", "items": {"type": "string"}}, **said})
