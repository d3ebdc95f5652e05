"""Ids of features as members of a list."""

import pytest

from libs.selection.ids import listed_id, unescaped


@pytest.mark.parametrize("identifier", ["7", "a,b", "5%", "%2C", " a b  ", "a%2Cb~c", " "])
def test_an_id_is_a_member_of_a_list(identifier: str) -> None:
    listed = listed_id(identifier)
    assert "," not in listed
    assert listed == listed.strip()
    assert unescaped(listed) == identifier
