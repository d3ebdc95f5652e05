"""Shaking intensity around an earthquake, by a published equation.

Source: Allen, T. I., Wald, D. J. and Worden, C. B. (2012), Intensity attenuation for active crustal regions, Journal of
Seismology 16, 409-433; the version for hypocentral distance, without site amplification.
"""

from math import exp, log, sqrt

EQUATION = "Allen, Wald and Worden (2012), hypocentral distance, without site amplification"
LOWEST_MAGNITUDE, HIGHEST_MAGNITUDE = 5.0, 7.9
"""Magnitudes that the equation was made for."""
DEEPEST_KM = 40.0
"""Depth down to which an earthquake counts as one of the crust, in km."""
FARTHEST_KM = 300.0
"""Hypocentral distance up to which the equation was made, in km."""
CLASSES = {"X": 9.5, "IX": 8.5, "VIII": 7.5, "VII": 6.5, "VI": 5.5, "V": 4.5, "IV": 3.5}
"""Modified Mercalli intensity classes, and the lowest intensity of each, the strongest first."""

_C0, _C1, _C2, _C4, _M1, _M2 = 2.085, 1.428, -1.402, 0.078, -0.209, 2.042
_S1, _S2, _S3 = 0.82, 0.37, 22.9
_NEAR_KM = 50.0


def intensity(magnitude: float, distance_km: float) -> float:
    """Return the expected Modified Mercalli intensity at a hypocentral distance in km."""
    reach = _M1 + _M2 * exp(magnitude - 5)
    value = _C0 + _C1 * magnitude + _C2 * log(sqrt(distance_km**2 + reach**2))
    return value + _C4 * log(distance_km / _NEAR_KM) if distance_km > _NEAR_KM else value


def sigma(distance_km: float) -> float:
    """Return the standard deviation of the intensity at a hypocentral distance in km."""
    return _S1 + _S2 / (1 + (distance_km / _S3) ** 2)


def applies(magnitude: float | None, depth_km: float | None) -> str | None:
    """Return why the equation cannot be applied to an earthquake; None if it can."""
    if magnitude is None or depth_km is None:
        return "The magnitude or the depth of the earthquake is unknown."
    if not LOWEST_MAGNITUDE <= magnitude <= HIGHEST_MAGNITUDE:
        return f"The intensity equation is for magnitudes {LOWEST_MAGNITUDE} to {HIGHEST_MAGNITUDE}."
    if depth_km > DEEPEST_KM:
        return f"The intensity equation is for earthquakes of the crust, down to {DEEPEST_KM:.0f} km."
    return None


def radii_km(magnitude: float, depth_km: float) -> dict[str, float]:
    """Return the distance from the epicentre to which each class of `CLASSES` reaches, in km.

    Classes that the earthquake does not reach at its epicentre are left out.
    """
    depth = max(depth_km, 0.0)
    return {
        name: radius
        for name, lowest in CLASSES.items()
        if (radius := _radius_km(magnitude, depth, lowest)) is not None and radius > 0
    }


def _radius_km(magnitude: float, depth_km: float, lowest: float) -> float | None:
    if intensity(magnitude, depth_km) < lowest:
        return None
    near, far = depth_km, FARTHEST_KM
    if intensity(magnitude, far) >= lowest:
        return sqrt(far**2 - depth_km**2)
    # intensity falls with distance: a metre is reached after some thirty halvings
    while far - near > 0.001:
        middle = (near + far) / 2
        near, far = (middle, far) if intensity(magnitude, middle) >= lowest else (near, middle)
    return sqrt(max(near**2 - depth_km**2, 0.0))
