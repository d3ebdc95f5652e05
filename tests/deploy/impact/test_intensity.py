"""The equation of intensity gives what its authors published."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from deploy.impact.intensity import CLASSES, FARTHEST_KM, intensity, radii_km, sigma

_REFERENCE = Path(__file__).with_name("openquake_3_26_2_allen_2012.csv")


@pytest.mark.parametrize(
    ("magnitude", "distance_km", "expected"),
    # worked out by hand: c0 + c1 M + c2 ln sqrt(R² + RM²), beyond 50 km + c4 ln(R / 50)
    [(6.0, 10.0, 7.249), (6.0, 100.0, 4.249), (7.0, 50.0, 6.537), (5.0, 20.0, 5.019)],
)
def test_intensity_equals_published_equation(magnitude: float, distance_km: float, expected: float) -> None:
    assert intensity(magnitude, distance_km) == pytest.approx(expected, abs=0.002)


def test_sigma_falls_with_distance() -> None:
    assert sigma(0) == pytest.approx(1.19)
    assert sigma(22.9) == pytest.approx(1.005)
    assert sigma(300) == pytest.approx(0.822, abs=0.001)


@pytest.mark.parametrize(("magnitude", "depth_km"), [(5.0, 2.0), (6.4, 10.6), (7.9, 35.0)])
def test_radius_is_where_intensity_is_lowest_of_class(magnitude: float, depth_km: float) -> None:
    radii = radii_km(magnitude, depth_km)
    assert radii
    assert list(radii.values()) == sorted(radii.values())
    for name, radius in radii.items():
        distance = (radius**2 + depth_km**2) ** 0.5
        assert intensity(magnitude, distance) == pytest.approx(CLASSES[name], abs=0.001) or distance == pytest.approx(
            FARTHEST_KM
        )


def test_class_beyond_the_epicentre_is_left_out() -> None:
    assert "IX" not in radii_km(5.0, 10.0)
    assert "VIII" not in radii_km(5.0, 10.0)


def test_intensity_equals_openquake() -> None:
    """Equal values of `AllenEtAl2012Rhypo`, which the file has: OpenQuake is 80 MB and needs 30 packages.

    It was made with PyPI openquake-engine 3.26.2: `AllenEtAl2012Rhypo().compute(ctx, [MMI()], m, s, t, p)` with
    `mag` and `rhypo` of each row; `m` and `s` are its intensity and sigma.
    """
    with _REFERENCE.open(encoding="utf-8", newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    assert len(rows) == 56
    for row in rows:
        found = intensity(row["magnitude"], row["distance_km"])
        assert (found, sigma(row["distance_km"])) == pytest.approx((row["intensity"], row["sigma"]), abs=2e-6), row
