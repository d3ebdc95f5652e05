"""Flooded areas in satellite images: rasters of the Global Flood Monitoring of Copernicus, as areas.

A raster has 1 for flooded, 0 for other and 255 for unknown pixels of 20 m (`ensemble_flood_extent`), without permanent
water. A search of its catalogue (STAC) names the rasters of its items. GDAL reads them at a lower resolution, removes
groups of few pixels, and draws areas around the others.
"""

import re
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

import numpy as np
import numpy.typing as npt
import rasterio
import shapely
from pyproj import Transformer
from rasterio.enums import Resampling
from rasterio.errors import NotGeoreferencedWarning, RasterioError
from rasterio.features import shapes, sieve
from shapely.geometry import MultiPolygon, shape

from deploy.loader.documents.faults import FAULTS, reason
from deploy.loader.documents.reading import features_of
from deploy.loader.geometry.antimeridian import area_km2
from deploy.loader.geometry.polygons import repair
from deploy.loader.places.gazetteer import Nearby, installed_gazetteer
from deploy.loader.records.floods import FLOODS, FloodEvent
from deploy.loader.records.target import Batch
from deploy.loader.source import Document, Findings, Rejected, Source

SOURCE_NAME = "Copernicus GFM"
_ASSET = "ensemble_flood_extent"
_FLOODED = 1
_MOST_PIXELS = 4096
"""Pixels along a side of a raster that are read; of larger ones, each has the value of most pixels in it."""
_FEWEST = 8
"""Smallest group of flooded pixels, without which radar noise would be drawn."""
_SMALLEST_KM2 = 1.0
_TIME = re.compile(r"(\d{8})[T_](\d{6})")
_TOLERANCE = timedelta(days=1)


class _Footprint(NamedTuple):
    name: str
    time: datetime
    area: MultiPolygon
    address: str


def list_rasters(document: Document) -> Iterator[str]:
    """Yield the rasters of the items that a search found. Raises DocumentError."""
    for item in features_of(document):
        try:
            address = item["assets"][_ASSET]["href"]
            yield urljoin(document.address, address)
        except FAULTS:
            continue


def read(documents: list[Document], findings: Findings) -> Iterator[Batch]:
    """Yield one batch of all rasters. A record is a raster. Raises DocumentError."""
    found = []
    for document in documents:
        if _is_raster(document.path):
            findings.read += 1
            name = Path(urlsplit(document.address).path).name
            try:
                footprint = _footprint(document, name)
            except (*FAULTS, RasterioError, NotGeoreferencedWarning) as error:
                findings.rejected.append(Rejected(name, reason(error)))
                continue
            if footprint is None:
                findings.left_out.append(Rejected(name, f"less than {_SMALLEST_KM2:g} km² are flooded"))
                continue
            found.append(footprint)
            findings.issued = max(footprint.time, findings.issued or footprint.time)
        else:
            # a search without results is valid
            features_of(document)
    if not found:
        return
    gazetteer = installed_gazetteer()
    centres = [each.area.representative_point() for each in found]
    near = gazetteer.nearby([each.x for each in centres], [each.y for each in centres])
    people = gazetteer.people_within([each.area for each in found])
    yield Batch([(FLOODS, _row(each, facts, count)) for each, facts, count in zip(found, near, people, strict=True)])


def _is_raster(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) in {b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"}


def _footprint(document: Document, name: str) -> _Footprint | None:
    """Return the flooded area of a raster; None if it is small. Raises ValueError, RasterioError."""
    said = _TIME.search(name)
    if said is None:
        raise ValueError("its name has no time such as 20260928T153725")
    time = datetime.strptime("".join(said.groups()), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    if time > document.retrieved + _TOLERANCE:
        raise ValueError(f"its time, {time:%Y-%m-%d %H:%M} UTC, is in the future")
    with warnings.catch_warnings():
        # rasterio warns about a raster without a position
        warnings.simplefilter("error", NotGeoreferencedWarning)
        return _trace(document, name, time)


def _trace(document: Document, name: str, time: datetime) -> _Footprint | None:
    with rasterio.open(document.path) as raster:
        if raster.crs is None:
            raise ValueError("it has no coordinate reference system")
        shrunk = max(1.0, max(raster.width, raster.height) / _MOST_PIXELS)
        height, width = max(1, round(raster.height / shrunk)), max(1, round(raster.width / shrunk))
        pixels = raster.read(1, out_shape=(height, width), resampling=Resampling.mode) == _FLOODED
        transform = raster.transform * rasterio.Affine.scale(raster.width / width, raster.height / height)
        to_degrees = Transformer.from_crs(raster.crs.to_wkt(), 4326, always_xy=True)
    kept = sieve(pixels.astype(np.uint8), _FEWEST)
    drawn = [shape(geometry) for geometry, value in shapes(kept, mask=kept == 1, transform=transform) if value == 1]
    if not drawn:
        return None
    outlines = shapely.transform(shapely.union_all(drawn), partial(_degrees, to_degrees))
    area, _ = repair(shapely.make_valid(outlines))
    if area_km2(area) < _SMALLEST_KM2:
        return None
    return _Footprint(name.rpartition(".")[0] or name, time, area, document.address.partition("#")[0])


def _degrees(to_degrees: Transformer, places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return longitudes and latitudes, of which the longitudes do not jump at ±180°."""
    east, north = to_degrees.transform(places[:, 0], places[:, 1])
    return np.column_stack([east + 360 * np.round((east[0] - east) / 360), north])


def _row(found: _Footprint, near: Nearby, people: int) -> FloodEvent:
    return FloodEvent(
        event_id=f"GFM-{found.name}",
        title=f"Flooded area in a satellite image, {near.country or near.words}, {found.time:%d %B %Y}",
        # an image shows one moment
        began=found.time,
        ended=found.time,
        severity=None,
        main_cause=None,
        dead=None,
        displaced=None,
        area_km2=area_km2(found.area),
        other_country=None,
        glide_number=None,
        alert_level=None,
        episode_id=None,
        url=found.address if "://" in found.address else None,
        place=near.words,
        population_in_places=people,
        source=SOURCE_NAME,
        withdrawn=None,
        geom=found.area,
        **near._asdict(),
    )


SOURCE = Source(
    name="flood-footprints",
    title="Flooded areas in radar images, Copernicus Global Flood Monitoring",
    licence="CC BY 4.0 (Copernicus Emergency Management Service)",
    licence_url="https://creativecommons.org/licenses/by/4.0/",
    attribution="Copernicus Emergency Management Service, Global Flood Monitoring, distributed by EODC",
    rhythm=timedelta(hours=1),
    targets=(FLOODS,),
    read=read,
    documents="rasters (ensemble_flood_extent as GeoTIFF), or a search of the catalogue that names them",
    named=list_rasters,
    once=True,
    most_named=40,
    needs="DAMS_LOADER_ADDRESSES, a search for images of a region",
)
