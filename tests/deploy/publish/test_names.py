"""Names of files need no escapes, and different identifiers have different names."""

from __future__ import annotations

import re

import pytest

from deploy.publish.names import file_name


@pytest.mark.parametrize("name", ["AL112017", "hazard.hazard_eq_events", "FL1--analysed-64-kt-MEX"])
def test_a_plain_identifier_is_its_name(name: str) -> None:
    assert file_name(name) == name


def test_other_identifiers_have_plain_names_of_their_own() -> None:
    odd = ["a/b", "a_b", "a b", "a%2Fb", "..", ".", ".a", "é", "a?b"]
    names = [file_name(name) for name in odd]
    assert len({*names}) == len(odd)
    assert all(re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]*", name) for name in names)
