"""Documents of floods that satellites saw, in the forms of Copernicus EMS and its Global Flood Monitoring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import rasterio
from rasterio.transform import from_origin

AREA = "POLYGON ((67 26, 68 26, 68 27, 67 27, 67 26))"
LAYER = "EMSR{}/AOI01/DEL_PRODUCT/EMSR{}_AOI01_DEL_PRODUCT_observedEventA_v1_VT"


def listed(number: int, **changed: Any) -> dict[str, Any]:
    """Return an entry of the list of activations."""
    usual = {
        "code": f"EMSR{number}", "name": f"Flood in Pakistan {number}", "category": "Flood", "countries": ["Pakistan"],
        "eventTime": "2026-05-20T06:00:00", "activationTime": "2026-05-20T16:00:00",
        "lastUpdate": "2026-05-22T10:00:00", "closed": False, "n_products": 1, "centroid": "POINT (67.5 26.5)",
    }  # fmt: skip
    return usual | changed


def activation(number: int, *layers: str, base: str = "https://example.org", **changed: Any) -> dict[str, Any]:
    """Return the details of an activation, with a product that has a footprint if `layers` name files."""
    product = {
        "type": "DEL", "monitoringNumber": 0, "images": [{"sensorName": "Sentinel-1"}],
        "version": {"number": 1, "statusCode": "F", "deliveryTime": "2026-05-21T12:00:00" if layers else None},
        "layers": [{"name": LAYER.format(number, number), "format": "vt", "json": f"{base}{each}"} for each in layers],
    }  # fmt: skip
    aoi = {"name": "Sukkur", "number": 1, "extent": AREA, "products": [product]}
    return listed(number) | {"aois": [aoi]} | changed


def footprint(*rings: list[list[float]], **properties: Any) -> dict[str, Any]:
    """Return a layer of flooded areas."""
    said = {"event_type": "5-Flood", "obj_desc": "Riverine flood", "det_method": "Photo-interpretation"} | properties
    features = [
        {"type": "Feature", "properties": said, "geometry": {"type": "Polygon", "coordinates": [ring]}}
        for ring in rings
    ]
    return {"type": "FeatureCollection", "features": features}


def square(west: float, south: float, size: float = 0.2) -> list[list[float]]:
    east, north = west + size, south + size
    return [[west, south], [east, south], [east, north], [west, north], [west, south]]


RASTER = "ENSEMBLE_FLOOD_20260528T153725_VV_AS020M_E063N021T3.tif"


def raster(
    folder: Path, name: str = RASTER, *, crs: str | None = "EPSG:32642", west: float = 300_000, size: int = 200
) -> Path:
    """Write a raster of 20 m with a flooded rectangle of 2 × 1 km, a few noisy pixels, and unknown ones."""
    values = np.zeros((size, size), dtype=np.uint8)
    values[20:70, 20:120] = 1
    values[150:151, 150:153] = 1
    values[:, :5] = 255
    with rasterio.open(
        folder / name, "w", driver="GTiff", width=size, height=size, count=1, dtype="uint8", nodata=255, crs=crs,
        transform=from_origin(west, 2_900_000, 20, 20), compress="deflate",
    ) as file:  # fmt: skip
        file.write(values, 1)
    return folder / name
