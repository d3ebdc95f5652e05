"""Failures that follow from the contract's statuses are expected; all others fail the run."""

import pytest

from tools.suites.__main__ import Check, mark_expected, report


@pytest.mark.parametrize(
    ("name", "status", "counted"),
    [
        ("BBoxCrsParameterInvalid.verifyBboxCrsParameterInvalid", "FAIL", "EXPECTED"),
        ("BBoxCrsParameterInvalid.verifyBboxCrsParameterInvalid", "PASS", "PASS"),
        ("Tile.validateTilesErrorConditions", "FAIL", "EXPECTED"),
        ("QueryCollections.validateNoQueryParameters", "FAIL", "EXPECTED"),
        ("Features.validateFeaturesResponse_Links", "FAIL", "FAIL"),
    ],
)
def test_only_checks_of_another_status_are_expected(name: str, status: str, counted: str) -> None:
    assert mark_expected(Check(name, status, "why")) == Check(name, counted, "why")


def test_report_counts_each_status_and_gives_reasons() -> None:
    checks = [
        Check("a", "PASS", ""),
        Check("b", "FAIL", "404"),
        Check("c", "EXPECTED", "422"),
        Check("c", "EXPECTED", "422"),
    ]
    assert report("Features", checks).splitlines() == [
        "Features: 1 PASS, 1 FAIL, 2 EXPECTED, 0 SKIP",
        "  FAIL 1 × b: 404",
        "  EXPECTED 2 × c: 422",
    ]
