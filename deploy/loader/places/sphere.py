"""Positions on the unit sphere, and trees that find the nearest of them."""

import os

import numpy as np
import numpy.typing as npt

# The threads of pykdtree otherwise spin after each query: one position took 0.2 s on a busy machine, instead of 0.01 s.
# OpenMP reads this when it is loaded, so pykdtree is imported here only.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

from pykdtree.kdtree import KDTree

__all__ = ["EARTH_KM", "KDTree", "Numbers", "on_sphere"]

Numbers = npt.NDArray[np.float64]

EARTH_KM = 6371.0088


def on_sphere(longitudes: Numbers, latitudes: Numbers) -> Numbers:
    """Return positions in degrees as points on the unit sphere, shape (n, 3): the nearest there is nearest on Earth."""
    east, north = np.radians(longitudes), np.radians(latitudes)
    return np.column_stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
