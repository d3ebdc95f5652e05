"""Names that a client may have meant."""

from __future__ import annotations

from libs.cql.queryable import near_names

MANY = [f"column_{number}" for number in range(400)]


def test_each_name_that_differs_in_case_alone_is_near() -> None:
    assert near_names("magnitude", ["Magnitude", "place", "MAGNITUDE"]) == ("Magnitude", "MAGNITUDE")


def test_no_more_than_three_are_told() -> None:
    assert near_names("tag", ["TAG", "Tag", "tAg", "taG", "tags"]) == ("TAG", "Tag", "tAg")


def test_a_name_that_differs_in_case_alone_is_found_however_many_there_are() -> None:
    assert near_names("magnitude", [*MANY, "Magnitude"]) == ("Magnitude",)


def test_the_likeliest_come_first_each_as_it_is_written_first() -> None:
    assert near_names("magnitud", ["magnitudes", "Magnitude", "MAGNITUDE", "place"]) == ("Magnitude", "magnitudes")
    assert near_names("zzz", ["Magnitude", "place"]) == ()
