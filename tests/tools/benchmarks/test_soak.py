"""The verdict of a soak: a rise is reported, and a minute with a restart does not count as one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.running_stack import RunningStack
from tools.benchmarks.soak.disturbing import Disturbing
from tools.benchmarks.soak.flatness import Course


def test_what_rises_steadily_is_not_flat() -> None:
    leaking = Course("memory", [500 + 2.0 * minute for minute in range(60)], floor=30)
    assert leaking.rise == pytest.approx(118)
    assert not leaking.is_flat
    assert "rises by 118.0: NOT FLAT" in leaking.line()


@pytest.mark.parametrize(
    "values",
    [
        [500.0] * 60,
        [500.0, 503.0] * 30,
        # freshly started at the beginning and in the middle
        [300.0, *[500.0] * 29, 320.0, *[500.0] * 29],
        [500.0, *[500.0] * 57, 900.0, 900.0],
        [500.0 - minute for minute in range(60)],
    ],
)
def test_what_stays_falls_or_jumps_for_a_moment_is_flat(values: list[float]) -> None:
    assert Course("memory", values, floor=30).is_flat


def test_a_cache_may_fill_the_room_that_it_has() -> None:
    filling = Course("Redis", [30, 50, 70, 90], floor=8, room=256)
    assert (filling.is_flat, filling.is_well) == (False, True)
    assert "fills the 256 that it may have" in filling.line()
    assert not Course("Redis", [30, 150, 270, 390], floor=8, room=256).is_well


def test_small_numbers_may_rise_by_their_floor() -> None:
    assert Course("connections", [20, 21, 22, 23, 24], floor=4).is_flat
    assert not Course("connections", [20, 22, 24, 26, 28], floor=4).is_flat


def test_a_process_that_is_away_is_not_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, _: killed.append(pid))
    # the supervisor's state of a program that it is about to restart
    monkeypatch.setattr(RunningStack, "pid", lambda *_: 0)
    told = Disturbing(RunningStack(tmp_path, ""), seed=1).kill()
    assert told.endswith("was away already")
    assert killed == []
    monkeypatch.setattr(RunningStack, "pid", lambda *_: 4711)
    Disturbing(RunningStack(tmp_path, ""), seed=1).kill()
    assert killed == [4711]
