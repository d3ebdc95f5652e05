"""The basin of a position."""


def basin_at(longitude: float, latitude: float) -> str:
    """Return the basin of a position. Source: IBTrACS, basins; a rough line separates those beside the Americas."""
    if latitude < 0:
        return "SA" if -70 <= longitude < 20 else "SI" if 20 <= longitude < 135 else "SP"
    if 30 <= longitude < 100:
        return "NI"
    if longitude >= 100 or longitude < -180:
        return "WP"
    american = -100 + (18 - latitude) * 1.8
    return "EP" if longitude < min(american, -77) else "NA"
