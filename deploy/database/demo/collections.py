"""The builder of each table; inputs of several tables are made once."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time
from functools import cached_property
from typing import Any

from deploy.database.demo import alerts, buffers, contours, earthquakes, floods, gauges
from deploy.database.demo.rivers import Land, River, read_rivers
from deploy.database.demo.sources import Sources
from deploy.database.demo.storms import DemoStorms
from deploy.loader.geometry.landfall import Coast
from deploy.loader.places.gazetteer import Gazetteer
from deploy.loader.records.storms import AdvisoryZone
from deploy.loader.storms import advisories, disturbances, rows
from deploy.loader.storms.best_tracks import WINDS_KT
from deploy.loader.storms.people import with_people
from deploy.loader.storms.shores import read_coast

# Zones of older storms would double the loading time.
BUFFERS_SINCE = 2015

SIMULATED_TABLES = (
    "hazard_fl_events",
    "hazard_fl_alerts",
    "hazard_fl_alerts_mom_forecast",
    "hazard_fl_alerts_mom_runs",
    "hazard_fl_glofas_gauges_forecast",
)
"""Tables whose rows depend on the day."""

_OBSERVED = "HURDAT2, derived from wind radii"

# A row is a NamedTuple whose fields are columns of the table, `geom` a shapely geometry.
Builder = Callable[[], Iterable[Any]]


class DemoCollections:
    """Builders of the rows of all tables from the packaged files, with the given numbers of simulated objects."""

    def __init__(
        self, sources: Sources, today: date, *, flood_count: int = 160, alert_count: int = 60, watersheds: int = 45
    ) -> None:
        """`today` is the last day of simulated floods."""
        self._sources, self._today = sources, today
        self._flood_count, self._alert_count, self._watersheds = flood_count, alert_count, watersheds

    def fingerprint(self, table: str) -> str:
        """Return the fingerprint of a table's rows: same fingerprint, same rows."""
        return f"{self._of_files} {self._today}" if table in SIMULATED_TABLES else self._of_files

    @cached_property
    def _of_files(self) -> str:
        return f"{self._sources.fingerprint()} {self._flood_count} {self._alert_count} {self._watersheds}"

    @property
    def _now(self) -> datetime:
        return datetime.combine(self._today, time(), UTC)

    @cached_property
    def _storms(self) -> DemoStorms:
        return DemoStorms(self._sources)

    @cached_property
    def _coast(self) -> Coast:
        return read_coast(self._sources.countries)

    @cached_property
    def _gazetteer(self) -> Gazetteer:
        return Gazetteer.read(self._sources.places, self._sources.countries)

    @cached_property
    def _land(self) -> Land:
        return Land.read(self._sources.countries, self._sources.world)

    @cached_property
    def _rivers(self) -> list[River]:
        return read_rivers(self._sources.world)

    @cached_property
    def _floods(self) -> list[floods.Flood]:
        return floods.simulate_floods(self._rivers, self._land, self._gazetteer, self._now, self._flood_count)

    @cached_property
    def _forecasts(self) -> list[alerts.ForecastAlert]:
        return alerts.forecast_alerts(self._rivers, self._land, self._now, self._watersheds)

    def _earthquakes(self) -> Iterable[Any]:
        return earthquakes.earthquake_events(self._sources.earthquakes, self._gazetteer)

    def builders(self) -> dict[str, Builder]:
        """Return the functions that make rows by table of schema hazard; they read nothing until they are called."""
        return {
            "hazard_eq_events": self._earthquakes,
            "hazard_eq_contours": lambda: contours.intensity_contours(self._earthquakes()),
            **self._storm_builders(),
            "hazard_fl_events": lambda: [flood.event for flood in self._floods],
            "hazard_fl_alerts": lambda: alerts.flood_alerts(
                self._floods, self._rivers, self._land, self._gazetteer, self._now, others=self._alert_count
            ),
            "hazard_fl_alerts_mom_forecast": lambda: alerts.latest_of_watersheds(self._forecasts),
            "hazard_fl_alerts_mom_runs": lambda: alerts.runs_of_watersheds(self._forecasts),
            "hazard_fl_glofas_gauges_forecast": lambda: gauges.gauge_forecasts(
                self._rivers, self._floods, self._land, self._now
            ),
        }

    def _step_zones(self) -> list[AdvisoryZone]:
        """Return zones of advisories, and of best tracks at hours without an advisory."""
        storms = self._storms
        issued = {(advisory.event_id, advisory.time) for advisory in storms.advisories}
        observed = rows.observed_zones(storms.analysed, source=_OBSERVED)
        others = [zone for zone in observed if (zone.event_id, zone.start_date) not in issued]
        return [*advisories.advisory_zones(storms.advisories), *others]

    def _storm_builders(self) -> dict[str, Builder]:
        storms, newest = self._storms, self._storms.newest
        return {
            "hazard_ts_events": lambda: rows.storm_events(storms.tracks),
            "hazard_ts_tracks": lambda: [*rows.storm_tracks(storms.tracks), *advisories.forecast_tracks(newest)],
            "hazard_ts_nodes": lambda: [
                *rows.storm_nodes(storms.tracks, self._coast),
                *advisories.forecast_nodes(newest, self._coast),
            ],
            "hazard_ts_buffers": lambda: with_people(
                [
                    *rows.storm_zones(storms.analysed, source=_OBSERVED),
                    *rows.storm_zones(storms.advised, source="NHC, derived from wind radii"),
                    *buffers.wind_buffers(storms.not_advised(since=BUFFERS_SINCE), WINDS_KT),
                    *advisories.forecast_zones(newest),
                ],
                self._gazetteer,
            ),
            "hazard_ts_disturbance_events": lambda: rows.storm_events(storms.disturbances, disturbances=True),
            "hazard_ts_disturbance_tracks": lambda: rows.storm_tracks(
                storms.disturbances, gap_hours=disturbances.GAP_HOURS
            ),
            "hazard_ts_disturbance_nodes": lambda: rows.storm_nodes(storms.disturbances, self._coast),
            "hazard_ts_disturbance_buffers": lambda: with_people(
                buffers.wind_buffers(
                    storms.disturbances, buffers.DISTURBANCE_WINDS_KT, gap_hours=disturbances.GAP_HOURS
                ),
                self._gazetteer,
            ),
            "hazard_ts_advisory_tracks": lambda: advisories.advisory_tracks(storms.advisories),
            "hazard_ts_advisory_nodes": lambda: advisories.advisory_nodes(storms.advisories, self._coast),
            "hazard_ts_advisory_buffers": lambda: with_people(self._step_zones(), self._gazetteer),
        }
