"""Wind radii of a storm from a simple model, for storms without observed radii."""

import numpy as np

KM_PER_NAUTICAL_MILE = 1.852


def wind_radius_km(wind_speed_kt: float, max_wind_kt: float, latitude: float) -> float:
    """How far from the centre `wind_speed_kt` blows, in km; 0 where it does nowhere.

    A modified Rankine vortex, v = vmax (rmax / r) ** 0.5, around a radius of maximum wind of
    46.4 exp(-0.0155 vmax + 0.0169 |latitude|) km with vmax in m/s.
    Sources: Depperman 1947 (vortex); Willoughby, Darling and Rahn 2006, equation 7a (radius).
    """
    if max_wind_kt < wind_speed_kt:
        return 0.0
    radius = 46.4 * np.exp(-0.0155 * max_wind_kt * 0.514444 + 0.0169 * abs(latitude))
    return float(radius * (max_wind_kt / wind_speed_kt) ** 2)
