"""Which texts are numbers."""

from __future__ import annotations

import pytest

from libs.ogc.numbers import INTEGER, NUMBER


@pytest.mark.parametrize(
    ("text", "whole", "number"),
    [
        ("0", True, True),
        ("-12", True, True),
        ("+12", True, True),
        ("9" * 18, True, True),
        ("9" * 19, False, True),
        ("1.5", False, True),
        ("1.", False, True),
        (".5", False, True),
        ("-.5e-3", False, True),
        ("1e308", False, True),
        ("1E+5", False, True),
        ("1e1000", False, False),
        ("1e", False, False),
        (".", False, False),
        ("", False, False),
        ("+", False, False),
        ("1 ", False, False),
        ("1\n", False, False),
        ("nan", False, False),
        ("inf", False, False),
        ("0x1", False, False),
        ("1_000", False, False),
        ("٣", False, False),
    ],
)
def test_numbers(text: str, whole: bool, number: bool) -> None:
    assert (INTEGER.match(text) is not None, NUMBER.match(text) is not None) == (whole, number)
