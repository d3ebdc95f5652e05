"""The exponents of growth that documents quote."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tools.benchmarks.growth.fit import Series, picture, table


def _series(points: list[tuple[float, float]]) -> Series:
    return Series("a page", "rows", "ms", tuple(points))


@pytest.mark.parametrize("exponent", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power_law_is_found(exponent: float) -> None:
    found = _series([(size, 3 * size**exponent) for size in (10, 100, 1000)])
    assert found.exponent == pytest.approx(exponent)
    assert found.last == pytest.approx(exponent)


def test_the_last_step_is_told_beside_the_whole() -> None:
    found = _series([(10, 1), (100, 1), (1000, 10)])
    assert found.exponent == pytest.approx(0.5)
    assert found.last == pytest.approx(1.0)
    assert "| rows | a page, ms | 10: 1.00, 100: 1.00, 1,000: 10.0 | 0.50 | 1.00 |" in table([found])


def test_a_larger_size_is_reckoned_from_the_last_step() -> None:
    assert _series([(10, 1), (100, 1), (1000, 10)]).extrapolate(10_000) == pytest.approx(100)
    assert _series([(10, 1), (100, 5), (1000, 5)]).extrapolate(100_000) == pytest.approx(5)


def test_the_picture_has_a_panel_and_a_mark_for_each_point() -> None:
    drawn = ET.fromstring(picture([_series([(10, 1), (100, 20)]), _series([(1, 5), (2, 5), (4, 5)])]))  # noqa: S314 - ours
    svg = "{http://www.w3.org/2000/svg}"
    assert [len(panel.findall(f"{svg}circle")) for panel in drawn.findall(f"{svg}g")] == [2, 3]
    first, last = drawn.findall(f"{svg}g")[0].findall(f"{svg}circle")
    assert float(first.get("cx", "")) < float(last.get("cx", ""))
    assert float(first.get("cy", "")) > float(last.get("cy", ""))
