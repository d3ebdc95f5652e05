"""What errors tell the code that answers with them: faults, causes, and when another attempt is worthwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from libs.ogc.errors import Fault, InvalidParameters, Restarting, StoredValueError, TooSlow, Unavailable


def test_a_fault_is_a_validation_error_of_the_contract() -> None:
    assert Fault(("query", "bbox"), "is no box", "1,2", "enum").to_json() == {
        "type": "enum",
        "loc": ["query", "bbox"],
        "msg": "is no box",
        "input": "1,2",
    }
    assert Fault(("path",), "is wrong").to_json() == {
        "type": "value_error",
        "loc": ["path"],
        "msg": "is wrong",
        "input": None,
    }


def test_invalid_parameters_tell_every_fault() -> None:
    faults = [Fault(("query", "a"), "one"), Fault(("query", "b"), "other")]
    error = InvalidParameters(faults)
    assert error.faults == tuple(faults)
    assert str(error) == "one; other"


@pytest.mark.parametrize(
    ("make", "said", "retry_after", "cause"),
    [
        (lambda: Unavailable("away"), "away", 2, "other"),
        (lambda: Unavailable("away", retry_after=7, cause="deadline"), "away", 7, "deadline"),
        (lambda: Restarting("away"), "away", 2, "other"),
        (TooSlow, "The database took too long to answer; ask for less, or try again.", 5, "slow"),
        (lambda: TooSlow("a filter"), "a filter", 5, "slow"),
        # a stored value is not corrected within moments
        (
            StoredValueError,
            "The database cannot work out a stored value, such as a geometry outside the area of its CRS."
            " A filter or geom-column=none may leave it out.",
            60,
            "value",
        ),
    ],
)
def test_what_is_away_says_when_to_try_again_and_why(
    make: Callable[[], Unavailable], said: str, retry_after: int, cause: str
) -> None:
    error = make()
    assert str(error) == said
    assert (error.retry_after, error.cause) == (retry_after, cause)


def test_other_server_takes_over_only_if_configured() -> None:
    assert not Restarting("away").elsewhere
