"""The catalogue of the Southern California Earthquake Data Center since 1932, as CSV.

Columns and their letters: scedc.caltech.edu/eq-catalogs/docs/scec_dc_format.html.
"""

from collections.abc import Iterator
from datetime import timedelta

from pydantic import Field
from shapely.geometry import Point

from deploy.loader.records.earthquakes import CATALOGUE, CatalogueEvent
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Source
from deploy.loader.sources.catalogues import Listed, batches
from deploy.loader.sources.surroundings import UNKNOWN

_TYPES = {
    "eq": "earthquake",
    "qb": "quarry blast",
    "sn": "sonic boom",
    "nt": "nuclear explosion",
    "uk": "unknown",
    "ex": "explosion",
    "rs": "rockslide",
}
# the names that the USGS uses
_MAGNITUDES = {"l": "ml", "w": "mw", "b": "mb", "s": "ms", "e": "me", "c": "mc", "h": "mh", "d": "md", "lr": "mlr"}
_NO_MAGNITUDE = "n"


class _Event(Listed):
    event_id: str = Field(min_length=1)
    event_type: str
    magnitude: float = Field(allow_inf_nan=False)
    mag_type: str
    depth_km: float = Field(allow_inf_nan=False)


def _row(event: _Event, point: Point) -> CatalogueEvent:
    magnitude = None if event.mag_type == _NO_MAGNITUDE else event.magnitude
    kind = _TYPES.get(event.event_type, event.event_type)
    title = f"M {magnitude:.1f}" if magnitude is not None else kind.capitalize()
    return CatalogueEvent(
        event_id=event.event_id,
        title=f"{title} - Southern California",
        place=None,
        magnitude=magnitude,
        magnitude_type=_MAGNITUDES.get(event.mag_type),
        depth=event.depth_km,
        event_date=event.time,
        updated=None,
        source="SCEDC",
        network="ci",
        event_type=kind,
        status=None,
        **UNKNOWN,
        geom=point,
    )


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield large batches of events, in the order of the documents."""
    return batches(documents, findings, _Event, _row, CATALOGUE)


SOURCE = Source(
    name="scedc-catalogue",
    title="Southern California Earthquake Data Center, catalogue",
    licence="To be cited by its DOI",
    licence_url="https://doi.org/10.7909/C3WD3xH1",
    attribution="Caltech and U.S. Geological Survey, Southern California Earthquake Data Center, doi:10.7909/C3WD3xH1",
    rhythm=timedelta(days=1),
    targets=(CATALOGUE,),
    read=read,
    documents="CSV with event_id, time, event_type, magnitude, mag_type, latitude, longitude, depth_km",
)
