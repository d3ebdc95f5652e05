"""Find where tracks cross from sea to land."""

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry.base import BaseGeometry

from deploy.loader.geometry.antimeridian import Degrees

Numbers = npt.NDArray[np.int64]

_TURN = 180.0
_BESIDE_DEGREES = 1.0


class Landfall(NamedTuple):
    """Whether the centre crossed from sea to land since the previous position, and into which country or territory."""

    landfall: bool | None
    place: str | None


NOT_LOOKED_AT = Landfall(None, None)
_NONE = Landfall(False, None)


class Coast:
    """The coasts of countries and territories, split at ±180°; lakes are land.

    At 1:50 million, a coast may be a few km off, and the smallest islands are missing.
    """

    def __init__(self, shapes: Sequence[tuple[str, BaseGeometry]]) -> None:
        self._names = [name for name, _ in shapes]
        self._shapes = np.array([shape for _, shape in shapes], dtype=object)

    def landfalls(self, tracks: Sequence[tuple[Degrees, Degrees]]) -> list[list[Landfall]]:
        """Return the landfall at each position of each track.

        Longitudes are within ±180, positions in order of time. The first position of a track has no landfall, on land
        or not. An island crossed between two positions at sea counts for the second one.
        """
        if not tracks:
            return []
        ends = np.cumsum([0, *(len(longitudes) for longitudes, _ in tracks)])
        longitudes = np.concatenate([track[0] for track in tracks])
        latitudes = np.concatenate([track[1] for track in tracks])
        land = self._countries(np.asarray(shapely.points(longitudes, latitudes), dtype=object))
        came = np.zeros(len(land), dtype=bool)
        came[1:] = (land[1:] >= 0) & (land[:-1] < 0)
        at_sea = np.zeros(len(land), dtype=bool)
        # a line through the whole world is not a storm's path
        at_sea[1:] = (land[1:] < 0) & (land[:-1] < 0) & (np.abs(np.diff(longitudes)) < _TURN)
        firsts = ends[:-1][np.diff(ends) > 0]
        came[firsts] = at_sea[firsts] = False
        later = np.flatnonzero(at_sea)
        steps = np.stack(
            [np.column_stack([longitudes, latitudes])[later - 1], np.column_stack([longitudes, latitudes])[later]],
            axis=1,
        )
        crossed = (
            self._countries(np.asarray(shapely.linestrings(steps), dtype=object))
            if len(later)
            else np.array([], dtype=np.int64)
        )
        land[later] = crossed
        came[later] = crossed >= 0
        found = [
            Landfall(True, self._names[country]) if yes else _NONE for country, yes in zip(land, came, strict=True)
        ]
        return [found[start:end] for start, end in pairwise(ends.tolist())]

    def nearest(self, longitude: float, latitude: float) -> str | None:
        """Return the country or territory whose coast is nearest to a position, within a degree; else None."""
        point = shapely.Point(longitude, latitude)
        found = self._tree.query_nearest(point, max_distance=_BESIDE_DEGREES, all_matches=False)
        return self._names[int(found[0])] if found.size else None

    @cached_property
    def _tree(self) -> shapely.STRtree:
        return shapely.STRtree(self._shapes)

    def _countries(self, places: npt.NDArray[np.object_]) -> Numbers:
        """Return the number of the country that contains each place, -1 for none."""
        # the tree contains the places, so that each country is prepared once for all of them
        country, place = shapely.STRtree(places).query(self._shapes, predicate="intersects")
        numbers = np.full(len(places), -1, dtype=np.int64)
        numbers[place] = country
        return numbers
