"""Names that a client may have meant."""

from __future__ import annotations

import pytest

from libs.cql.queryable import kind_of, near_names, queryable
from libs.pg.column_types import Kind

MANY = [f"column_{number}" for number in range(400)]


def test_each_name_that_differs_in_case_alone_is_near() -> None:
    assert near_names("magnitude", ["Magnitude", "place", "MAGNITUDE"]) == ("Magnitude", "MAGNITUDE")


def test_no_more_than_three_are_told() -> None:
    assert near_names("tag", ["TAG", "Tag", "tAg", "taG", "tags"]) == ("TAG", "Tag", "tAg")


def test_a_name_that_differs_in_case_alone_is_found_however_many_there_are() -> None:
    assert near_names("magnitude", [*MANY, "Magnitude"]) == ("Magnitude",)


def test_the_likeliest_come_first_each_as_it_is_written_first() -> None:
    names = ["magnitudes", "Magnitude", "MAGNITUDE", "place"]
    assert near_names("magnitud", iter(names)) == near_names("magnitud", names) == ("Magnitude", "magnitudes")
    assert near_names("zzz", ["Magnitude", "place"]) == ()


@pytest.mark.parametrize(
    ("sql_type", "enum", "kind"),
    [
        ("numeric(10,2)", None, Kind.NUMBER),
        ("a.mood", ("sad", "ok"), Kind.ENUM),
        ("a.mood[]", ("sad", "ok"), Kind.ARRAY),
        ("a.mood", None, Kind.OTHER),
        ("character varying(9)[]", None, Kind.ARRAY),
        ("other.geography(Point,4326)", None, Kind.GEOMETRY),
    ],
)
def test_a_property_is_of_the_kind_of_its_type(sql_type: str, enum: tuple[str, ...] | None, kind: Kind) -> None:
    assert kind_of(sql_type, enum) is queryable("a", sql_type, enum=enum).kind is kind


def test_members_of_an_array_are_of_a_type_of_their_own() -> None:
    moods = queryable("a", "a.mood[]", enum=("sad", "ok"))
    assert moods.element == queryable("a", "a.mood", enum=("sad", "ok"))
    assert (moods.base_type, queryable("a", "character(3)[]").base_type) == ("a.mood[]", "bpchar[]")
    assert queryable("a", "integer").element is None
    assert [queryable("a", name).is_geography for name in ("geography(Point,4326)", "geometry")] == [True, False]
