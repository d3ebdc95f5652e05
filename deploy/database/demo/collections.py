"""Which builder fills which table; what several tables are made of is made once."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from deploy.database.demo import alerts, buffers, disturbances, earthquakes, floods, gauges, storms
from deploy.database.demo.best_tracks import USA, BestTrack, best_tracks, merged_fixes, read_fixes
from deploy.database.demo.rivers import Land, River, read_rivers
from deploy.database.demo.sources import Sources

# Zones of older storms would double the loading time.
BUFFERS_SINCE = 2015

# A row is a NamedTuple whose fields are columns of the table, `geom` a shapely geometry.
Builder = Callable[[], Iterable[Any]]


class DemoCollections:
    """Builders of the rows of all tables from the packaged files, with as many things simulated as given."""

    def __init__(
        self, sources: Sources, *, flood_count: int = 160, alert_count: int = 60, watersheds: int = 45
    ) -> None:
        self._sources = sources
        self._flood_count, self._alert_count, self._watersheds = flood_count, alert_count, watersheds

    def fingerprint(self) -> str:
        """Same fingerprint, same rows."""
        return f"{self._sources.fingerprint()} {self._flood_count} {self._alert_count} {self._watersheds}"

    @cached_property
    def _storms(self) -> list[BestTrack]:
        return best_tracks(merged_fixes(self._sources.storms_wmo, self._sources.storms_jtwc))

    @cached_property
    def _disturbances(self) -> list[BestTrack]:
        return disturbances.disturbance_tracks(read_fixes(self._sources.storms_jtwc, USA))

    @cached_property
    def _land(self) -> Land:
        return Land.read(self._sources.countries, self._sources.world)

    @cached_property
    def _rivers(self) -> list[River]:
        return read_rivers(self._sources.world)

    @cached_property
    def _floods(self) -> list[floods.Flood]:
        return floods.simulate_floods(self._rivers, self._land, self._flood_count)

    def builders(self) -> dict[str, Builder]:
        """Table in schema hazard -> function that makes its rows; nothing is read or made until it is called."""
        return {
            "hazard_eq_events": lambda: earthquakes.earthquake_events(self._sources.earthquakes),
            "hazard_ts_events": lambda: storms.storm_events(self._storms),
            "hazard_ts_tracks": lambda: storms.storm_tracks(self._storms),
            "hazard_ts_nodes": lambda: storms.storm_nodes(self._storms),
            "hazard_ts_buffers": lambda: buffers.wind_buffers(
                (track for track in self._storms if track.fixes[0].season >= BUFFERS_SINCE), buffers.STORM_WINDS_KT
            ),
            "hazard_ts_disturbance_events": lambda: storms.storm_events(self._disturbances, disturbances=True),
            "hazard_ts_disturbance_tracks": lambda: storms.storm_tracks(
                self._disturbances, gap_hours=disturbances.GAP_HOURS
            ),
            "hazard_ts_disturbance_nodes": lambda: storms.storm_nodes(self._disturbances),
            "hazard_ts_disturbance_buffers": lambda: buffers.wind_buffers(
                self._disturbances, buffers.DISTURBANCE_WINDS_KT, gap_hours=disturbances.GAP_HOURS
            ),
            "hazard_fl_events": lambda: [flood.event for flood in self._floods],
            "hazard_fl_alerts": lambda: alerts.flood_alerts(self._floods, self._rivers, self._land, self._alert_count),
            "hazard_fl_alerts_mom_forecast": lambda: alerts.forecast_alerts(self._rivers, self._land, self._watersheds),
            "hazard_fl_glofas_gauges_forecast": lambda: gauges.gauge_forecasts(self._rivers, self._floods, self._land),
        }
