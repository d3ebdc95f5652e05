"""Rows of collections as QGIS reads them, as JSON; run by the system's Python, which has the bindings of QGIS.

/usr/bin/python3 qgis_rows.py https://…/api collection …
"""

import json
import sys

from qgis.core import (
    QgsApplication,
    QgsCoordinateReferenceSystem,
    QgsCoordinateTransform,
    QgsFeature,
    QgsProject,
    QgsVectorLayer,
)
from qgis.PyQt.QtCore import QDate, QDateTime, Qt, QTime, QVariant


def plain(value: object) -> object:
    """Return a value as JSON has it: null, a number, a text; times in UTC."""
    if value is None or (isinstance(value, QVariant) and value.isNull()):
        return None
    if isinstance(value, QDateTime):
        return value.toUTC().toString(Qt.ISODateWithMs)
    if isinstance(value, QDate | QTime):
        return value.toString(Qt.ISODate)
    return value if isinstance(value, bool | int | float | str) else str(value)


def row(feature: QgsFeature, to_wgs84: QgsCoordinateTransform) -> dict[str, object]:
    """Return properties by name, and `geometry` as hexadecimal WKB in WGS 84, longitude first."""
    values = dict(zip(feature.fields().names(), map(plain, feature.attributes()), strict=True))
    shape = feature.geometry()
    if shape.isNull():
        return {**values, "geometry": None}
    shape.transform(to_wgs84)
    return {**values, "geometry": bytes(shape.asWkb()).hex()}


def rows(address: str, collection: str) -> list[dict[str, object]]:
    """Return the rows of a collection, read page by page."""
    source = f" url='{address}' typename='{collection}' pageSize='2'"
    layer = QgsVectorLayer(source, collection, "OAPIF")
    if not layer.isValid():
        raise SystemExit(f"QGIS cannot open {collection}: {layer.error().message()}")
    wgs84 = QgsCoordinateReferenceSystem("OGC:CRS84")
    to_wgs84 = QgsCoordinateTransform(layer.crs(), wgs84, QgsProject.instance())
    return [row(feature, to_wgs84) for feature in layer.getFeatures()]


application = QgsApplication([], False)
application.initQgis()
base, *names = sys.argv[1:]
sys.stdout.write(json.dumps({name: rows(base, name) for name in names}))
