"""All sources by name, one per line."""

from collections.abc import Mapping

from deploy.loader.source import Source
from deploy.loader.sources import (
    atcf_decks,
    cap_alerts,
    copernicus_ems,
    dfo_floods,
    emsc_earthquakes,
    flood_footprints,
    gdacs_cyclones,
    gdacs_earthquakes,
    gdacs_floods,
    gdacs_impacts,
    glofas_gauges,
    hurdat2,
    ibtracs,
    jma_typhoons,
    jtwc_warnings,
    mom_alerts,
    nhc_advisories,
    nhc_outlooks,
    scedc,
    tsunami_bulletins,
    usgs_csv,
    usgs_geojson,
    usgs_products,
)

SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        usgs_geojson.SOURCE,
        usgs_products.SOURCE,
        tsunami_bulletins.SOURCE,
        usgs_csv.SOURCE,
        scedc.SOURCE,
        emsc_earthquakes.SOURCE,
        gdacs_earthquakes.SOURCE,
        gdacs_floods.SOURCE,
        gdacs_impacts.SOURCE,
        cap_alerts.SOURCE,
        copernicus_ems.SOURCE,
        flood_footprints.SOURCE,
        dfo_floods.SOURCE,
        mom_alerts.SOURCE,
        glofas_gauges.SOURCE,
        nhc_advisories.SOURCE,
        jtwc_warnings.SOURCE,
        jma_typhoons.SOURCE,
        nhc_outlooks.SOURCE,
        atcf_decks.SOURCE,
        hurdat2.SOURCE,
        ibtracs.SOURCE,
        gdacs_cyclones.SOURCE,
    )
}


def sources_to_watch(sources: Mapping[str, Source] = SOURCES) -> list[str]:
    """Return the sources for an operator to run: published at an address, and each event by only one of them."""
    return [name for name, source in sources.items() if list(source.addresses(None)) and not source.by_name_only]
