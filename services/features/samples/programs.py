"""The programs: each a text that reads a source unchanged. The tests run these same texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from libs.web.accept_language import mark
from libs.web.page_text import shell
from services.features.samples.source import Query, Source

_PAGE = 10_000
"""Features per request of a client that follows pages."""


@dataclass(frozen=True, slots=True)
class Program:
    """A text to copy; `id` never changes, `language` is the programming language."""

    id: str
    title: str
    language: str
    text: str


def programs_of(source: Source) -> list[Program]:
    """Return all programs that can read the source, those with the fewest requirements first."""
    return [*_of_files(source), *(_of_query(source, source.query) if source.query else ())]


def _of_files(source: Source) -> Iterator[Program]:
    name = source.name
    geojson = source.file("geojson")[1]
    kind, file = source.file("gpkg", "geojson")
    yield Program("address", mark("Address"), "url", geojson)
    yield Program("curl", "curl", "shell", f"curl --fail --output {name}.geojson {shell(geojson)}")
    yield Program("geopandas", mark("Python with geopandas"), "python", _GEOPANDAS % json.dumps(file))
    yield Program("sf", mark("R with sf"), "r", _SF % (f".{kind}", json.dumps(file)))
    yield Program("fetch", "JavaScript", "javascript", _FETCH % json.dumps(geojson))
    yield Program(
        "qgis", mark("QGIS, in its Python console"), "python", _QGIS % (json.dumps(geojson), repr(source.title))
    )
    yield Program("gdal", "GDAL", "shell", f"ogr2ogr {name}.gpkg {shell(geojson)} -nln {name}")
    if "parquet" in source.files:
        local = f"{name}.parquet"
        text = _DUCKDB % (json.dumps(source.files["parquet"]), local, local)
        yield Program("duckdb", mark("Python with DuckDB"), "python", text)


def _of_query(source: Source, query: Query) -> Iterator[Program]:
    arguments = ", ".join(f"{name!r}: {value!r}" for name, value in _owslib(query).items())
    yield Program(
        "owslib",
        mark("Python with OWSLib"),
        "python",
        _OWSLIB % (repr(f"{query.base}/"), arguments, repr(query.collection)),
    )
    if query.layer is not None:
        layer = {"id": source.name, "type": query.layer, "source": source.name, "source-layer": query.collection}
        texts = (json.dumps(source.name), json.dumps(query.tiles), json.dumps(layer))
        yield Program("maplibre", mark("MapLibre GL JS, as vector tiles"), "javascript", _MAPLIBRE % texts)


def _owslib(query: Query) -> dict[str, Any]:
    """Return the parameters in OWSLib's types: boxes as lists, the order as a pair."""
    arguments: dict[str, Any] = {**query.parameters, "limit": _PAGE}
    if "bbox" in arguments:
        arguments["bbox"] = [float(number) for number in arguments["bbox"].split(",")]
    if "sortby" in arguments:
        # OWSLib sends the first of a pair unchanged unless the second is "desc"
        arguments["sortby"] = (arguments["sortby"], "asc")
    return arguments


_GEOPANDAS = """import geopandas

data = geopandas.read_file(%s)
print(data.head())"""

_SF = """library(sf)

file <- tempfile(fileext = "%s")
download.file(%s, file, mode = "wb")
data <- st_read(file)
print(head(data))"""

_FETCH = """const response = await fetch(%s);
if (!response.ok) throw new Error(await response.text());
const { features } = await response.json();
console.log(features.length, features[0]);"""

_QGIS = """layer = QgsVectorLayer(%s, %s, "ogr")
QgsProject.instance().addMapLayer(layer)"""

_DUCKDB = """import urllib.request
import duckdb

urllib.request.urlretrieve(%s, "%s")
print(duckdb.sql("SELECT * FROM '%s' LIMIT 10"))"""

_OWSLIB = """from owslib.ogcapi.features import Features

service = Features(%s)
query = {%s}
features, more = [], True
while more:
    page = service.collection_items(%s, **query, offset=len(features))
    features += page["features"]
    more = any(link["rel"] == "next" for link in page["links"])
print(len(features), features[:1])"""

_MAPLIBRE = """// on a map that has loaded
map.addSource(%s, { type: "vector", tiles: [%s] });
map.addLayer(%s);"""
