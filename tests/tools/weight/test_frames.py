"""The summary of the times between frames."""

import pytest

from tools.weight.frames import frames_of


def test_times_between_frames_come_to_the_middle_the_slow_and_the_longest() -> None:
    found = frames_of([*range(100, 0, -1), 900.0], 2.02)
    assert (found.number, found.median, found.slow, found.longest, found.scripts) == (101, 51, 96, 900, 20)
    assert frames_of([16.0], 0).slow == 16
    with pytest.raises(ValueError, match="no frame was drawn"):
        frames_of([], 0)
