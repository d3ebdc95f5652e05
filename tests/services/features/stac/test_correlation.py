"""Blocks of the correlation identifier are those of the items that the extension publishes as examples."""

from __future__ import annotations

import pytest

from services.features.stac.correlation import block, correlation_id


@pytest.mark.parametrize(
    ("box", "number"),
    [
        ((-78.384606, 17.836973, -72.256615, 20.922965), 983324),
        ((67.37058661497387, 36.57677101053992, 67.37058661497387, 36.57677101053992), 1138838),
        ((-43.202124890625, -21.547707218750002, -43.202124890625, -21.547707218750002), 616285),
        # its latitude lies on the edge of two cells
        ((-60.5, 39.0, -60.5, 39.0), 1159798),
        ((-180.0, -90.0, -180.0, -90.0), 1),
        ((180.0, 90.0, 180.0, 90.0), 0),
        (None, 0),
    ],
)
def test_blocks_are_those_of_published_items(box: tuple[float, ...] | None, number: int) -> None:
    assert block(box) == number


def test_an_identifier_has_day_country_block_code_and_episode() -> None:
    box = (-60.5, 39.0, -60.5, 39.0)
    assert correlation_id("2025-10-21T15:00:00Z", ["JAM", "CUB"], box, "MH0306") == "20251021-JAM-1159798-MH0306-1-GCDB"
    assert correlation_id("2025-10-21T15:00:00Z", ["XYZ"], None, "MH0306") == "20251021-XYZ-0-MH0306-1-GCDB"
