"""Values of the query parameters that are named after properties."""

from __future__ import annotations

import pytest

from libs.cql import CqlError, bbox_predicate, filter_sql, queryable, value_predicate
from libs.geo.crs import crs_of
from libs.ogc.bbox import BBox
from libs.ogc.crs import crs_uri
from tests.libs.cql.conftest import Table
from tests.libs.cql.rows_of_every_type import UUIDS


@pytest.mark.parametrize(
    ("column", "text", "expected"),
    [
        ("whole", "1", [1]),
        ("whole", "+2", [2]),
        ("small", "-3", [3]),
        ("exact", "2.50", [2]),
        ("double", ".25E+1", [2]),
        ("flag", "TRUE", [1]),
        ("flag", "false", [2]),
        ("day", "2020-01-31", [1]),
        ("day", "2020-01-31T23:00:00Z", [1]),
        ("at", "2020-01-31T13:00:00+01:00", [1]),
        ("at", "2020-01-31", [1]),
        ("local", "2020-01-31T12:00:00Z", [1]),
        ("words", "abc", [1]),
        ("words", "it's 100% \\ _", [3]),
        ("fixed", "abc", [1]),
        ("folded", "abc", [1, 2]),
        ("code", UUIDS[0].upper(), [1]),
        ("code", "none", []),
        ("mood", "ok", [3]),
        ("doc", "abc", [1]),
        ("doc", "5", []),
        ("span", "1 day", [1]),
    ],
)
async def test_a_value_of_a_parameter(types: Table, column: str, text: str, expected: list[int]) -> None:
    assert await types.ids(value_predicate(types.queryables[column], text)) == expected


@pytest.mark.parametrize(
    ("sql_type", "text", "message"),
    [
        ("integer", "five", "'five' is not a number (at character 1)"),
        ("integer", "1\n", "'1�' is not a number (at character 1)"),
        ("integer", "١", "'١' is not a number (at character 1)"),
        ("numeric", "1e999", "numbers must be finite and below 1.8e308 (at character 1)"),
        ("boolean", "yes", "'yes' is not true or false (at character 1)"),
        ("date", "2020-13-01", "'2020-13-01' does not exist in the calendar (at character 1)"),
        (
            "timestamp with time zone",
            "yesterday",
            "'yesterday' is not an RFC 3339 date-time such as 2020-01-31T12:00:00Z, nor a date (at character 1)",
        ),
        ("text", "a\0b", "a value may not contain the NUL character (at character 2)"),
        ("interval", "a while", "'a while' is a string, but no duration such as P1DT2H30M"),
        ("text[]", "a", "a property of type array cannot be compared with a value"),
        ("geometry", "POINT(1 2)", "a property of type geometry cannot be compared with a value"),
    ],
)
def test_what_is_no_value_of_a_parameter(sql_type: str, text: str, message: str) -> None:
    with pytest.raises(CqlError) as caught:
        value_predicate(queryable("column", sql_type), text)
    assert str(caught.value) == message


def test_what_has_no_place_on_earth_is_a_fault() -> None:
    uri = crs_uri(3035)
    europe, column = crs_of(uri or ""), queryable("geom", "geometry", srid=4326, geometry_type="Point")
    assert europe
    with pytest.raises(CqlError) as of_box:
        bbox_predicate(column, BBox(-9e6, 9e6, 1.1e7, 2.9e7), europe)
    with pytest.raises(CqlError) as of_filter:
        filter_sql("S_INTERSECTS(geom, POINT(1e8 1e8))", "cql2-text", {"geom": column}, crs=europe)
    sentence = f"the geometry is outside of where {uri} can be used"
    assert (str(of_box.value), of_filter.value.message, of_filter.value.position) == (sentence, sentence, 19)
