"""What QGIS makes of the service, as JSON; run by the system's Python, which has the bindings of QGIS.

/usr/bin/python3 qgis_layers.py https://…/api collection picture.png
"""

import json
import sys
from collections import Counter
from pathlib import Path
from urllib.request import urlretrieve

from qgis.core import (
    Qgis,
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsDataSourceUri,
    QgsFeatureRequest,
    QgsMapRendererParallelJob,
    QgsMapSettings,
    QgsRectangle,
    QgsVectorLayer,
    QgsVectorTileLayer,
)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

SUBSETS = (
    '"magnitude" >= 5',
    "\"network\" = 'us'",
    '"magnitude" >= 4 AND "depth" < 100',
    "\"event_date\" < '2018-02-01T00:00:00Z'",
)


_KINDS = {1: "Boolean", 2: "Integer", 4: "Integer", 6: "Real", 10: "String", 14: "Date", 16: "DateTime"}
"""Type names by number, for fields whose types have no name: those that QGIS takes from a schema (3.44)."""


def types(layer: QgsVectorLayer) -> dict[str, str]:
    """By name of the field."""
    return {field.name(): field.typeName() or _KINDS[int(field.type())] for field in layer.fields()}


def features(address: str, collection: str) -> dict[str, object]:
    """A layer of the provider of OGC API Features, read to its end, by rectangle and by subsets."""
    source = f" url='{address}' typename='{collection}'"
    layer = QgsVectorLayer(source, "features", "OAPIF")
    found = {
        "valid": layer.isValid(),
        "count": layer.featureCount(),
        "types": types(layer),
        "ids": [feature["event_id"] for feature in layer.getFeatures()],
        "subsets": {},
    }
    box = QgsVectorLayer(f"{source} restrictToRequestBBOX='1'", "box", "OAPIF")
    found["box"] = sum(1 for _ in box.getFeatures(QgsFeatureRequest().setFilterRect(QgsRectangle(-130, 20, -60, 60))))
    for subset in SUBSETS:
        layer.setSubsetString(subset)
        found["subsets"][subset] = sum(1 for _ in layer.getFeatures())
    return found


def files(address: str, collection: str, folder: Path) -> dict[str, object]:
    """Whole collections, downloaded and opened as layers: how many features, in which CRS, of which types."""
    found: dict[str, object] = {}
    for extension in ("fgb", "gpkg", "geojson"):
        file = folder / f"{collection}.{extension}"
        urlretrieve(f"{address}/collections/{collection}/export?f={extension}", file)  # noqa: S310 - the stack's own address
        layer = QgsVectorLayer(str(file), extension, "ogr")
        found[extension] = {
            "valid": layer.isValid(),
            "crs": layer.crs().authid(),
            "ids": [feature["event_id"] for feature in layer.getFeatures()],
            "types": types(layer),
        }
    return found


def picture(address: str, collection: str, file: str) -> dict[str, object]:
    """A layer of vector tiles with its style, drawn on the whole world; its colours, by how often they occur."""
    tileset = f"{address}/collections/{collection}/tiles/WebMercatorQuad"
    # as its dialog puts it together: which characters are escaped is another thing in each version
    source = QgsDataSourceUri()
    for parameter, text in {
        "type": "xyz",
        "url": f"{tileset}/{{z}}/{{x}}/{{y}}",
        "styleUrl": f"{tileset}/style.json?plain=true",
        "zmin": "0",
        "zmax": "14",
    }.items():
        source.setParam(parameter, text)
    layer = QgsVectorTileLayer(bytes(source.encodedUri()).decode(), "tiles")
    error, done = layer.loadDefaultStyle()
    settings = QgsMapSettings()
    settings.setLayers([layer])
    settings.setOutputSize(QSize(2000, 1200))
    settings.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:3857"))
    settings.setExtent(QgsRectangle(-20e6, -12e6, 20e6, 12e6))
    job = QgsMapRendererParallelJob(settings)
    job.start()
    job.waitForFinished()
    image = job.renderedImage()
    image.save(file)
    colors = Counter(QColor(image.pixel(x, y)).name() for x in range(image.width()) for y in range(image.height()))
    return {"styled": done, "error": error, "valid": layer.isValid(), "colors": colors}


application = QgsApplication([], False)
application.initQgis()
base, name, png = sys.argv[1:]
result = {"version": Qgis.QGIS_VERSION, "picture": picture(base, name, png)}
if "eq_events" in name:
    result["features"] = [features(address, name) for address in (base, f"{base}/")]
    result["files"] = files(base, name, Path(png).parent)
sys.stdout.write(json.dumps(result))
