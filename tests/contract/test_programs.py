"""The programs on pages read all matching features: the tests run these same texts."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode

import duckdb
import pytest
from pyogrio import read_info

from tests.contract.conftest import COLLECTION, Api

pytestmark = pytest.mark.system

_TRACKS = "hazard.hazard_ts_tracks"
_QUERIES: list[tuple[str, dict[str, str]]] = [
    (COLLECTION, {}),
    (
        COLLECTION,
        {"filter": "magnitude >= 4.5 AND place LIKE '%a%'", "bbox": "-180,-60,180,70", "sortby": "-magnitude"},
    ),
    (_TRACKS, {"datetime": "2015-01-01/..", "category": "C5"}),
]
_QUERY = pytest.mark.parametrize(("collection", "query"), _QUERIES)


def _text(api: Api, collection: str, query: Mapping[str, str], name: str) -> str:
    programs = api.get(f"/collections/{collection}/programs", {**query, "f": "json"}).json()["programs"]
    return str(next(program["text"] for program in programs if program["id"] == name))


def _matched(api: Api, collection: str, query: Mapping[str, str]) -> int:
    answer = api.get(f"/collections/{collection}/items", {**query, "limit": "1", "f": "geojson"})
    number: int = answer.json()["numberMatched"]
    assert number > 3
    return number


def _ran(command: list[str], folder: Path, text: str | None = None) -> str:
    # addresses of the stack are local, even if the machine has a proxy
    environment = {**os.environ, "no_proxy": "127.0.0.1", "GDAL_PAM_ENABLED": "NO"}
    result = subprocess.run(
        command, input=text, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@_QUERY
def test_the_address_and_curl(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    expected = _matched(api, collection, query)
    answer = api.get(_text(api, collection, query, "address"))
    assert len(answer.json()["features"]) == expected
    _ran(["bash", "-c", _text(api, collection, query, "curl")], tmp_path)
    (file,) = tmp_path.iterdir()
    assert file.name == f"{collection.partition('.')[2]}.geojson"
    assert read_info(file)["features"] == expected


@_QUERY
def test_geopandas(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    text = _text(api, collection, query, "geopandas")
    shown = _ran([sys.executable, "-c", f"{text}\nprint(len(data))"], tmp_path)
    assert int(shown.splitlines()[-1]) == _matched(api, collection, query)


@_QUERY
def test_owslib(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    shown = _ran([sys.executable, "-c", _text(api, collection, query, "owslib")], tmp_path)
    assert int(shown.split()[0]) == _matched(api, collection, query)


@_QUERY
def test_duckdb(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    assert "geometry" in _ran([sys.executable, "-c", _text(api, collection, query, "duckdb")], tmp_path)
    (file,) = tmp_path.iterdir()
    with duckdb.connect() as connection:
        found = connection.execute("SELECT count(*) FROM read_parquet(?)", [str(file)]).fetchone()
    assert found == (_matched(api, collection, query),)


@_QUERY
def test_javascript(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    text = _text(api, collection, query, "fetch")
    shown = _ran(["node", "--input-type=module"], tmp_path, text)
    assert int(shown.split()[0]) == _matched(api, collection, query)


@_QUERY
def test_gdal(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    _ran(["bash", "-c", _text(api, collection, query, "gdal")], tmp_path)
    (file,) = tmp_path.iterdir()
    assert (file.suffix, read_info(file)["features"]) == (".gpkg", _matched(api, collection, query))


@pytest.mark.slow
@pytest.mark.clients
@_QUERY
def test_r(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    text = _text(api, collection, query, "sf")
    shown = _ran(["Rscript", "-e", f"{text}\ncat(nrow(data))"], tmp_path)
    assert int(shown.splitlines()[-1]) == _matched(api, collection, query)


_CONSOLE = """
from qgis.core import QgsApplication, QgsProject, QgsVectorLayer
application = QgsApplication([], False)
application.initQgis()
%s
print(layer.isValid(), layer.featureCount(), len(QgsProject.instance().mapLayers()))
"""


@pytest.mark.slow
@pytest.mark.clients
@_QUERY
def test_qgis(api: Api, tmp_path: Path, collection: str, query: dict[str, str]) -> None:
    text = _text(api, collection, query, "qgis")
    shown = _ran(["env", "QT_QPA_PLATFORM=offscreen", "/usr/bin/python3", "-"], tmp_path, _CONSOLE % text)
    assert shown.splitlines()[-1] == f"True {_matched(api, collection, query)} 1"


def test_spreadsheets_get_accents_and_coordinates(api: Api) -> None:
    programs = api.get(f"/collections/{COLLECTION}/programs", {"filter": "magnitude > 5", "f": "json"}).json()
    body = api.get(programs["spreadsheet"]).body
    assert body.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(body.decode("utf-8-sig").splitlines()))
    features = api.get(programs["files"]["geojson"]).json()["features"]
    assert len(rows) == len(features) > 3
    assert {(float(row["longitude"]), float(row["latitude"])) for row in rows} == {
        tuple(feature["geometry"]["coordinates"][:2]) for feature in features
    }
    areas = api.get("/collections/hazard.hazard_fl_events/programs?f=json").json()["spreadsheet"]
    assert api.get(areas).body.startswith(b"\xef\xbb\xbf")


class _Codes(HTMLParser):
    """The texts of all `code` elements in `pre` elements."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = self._inside or tag == "pre"
        if tag == "code" and self._inside:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found[-1] += data


def test_pages_show_the_same_texts(api: Api) -> None:
    query = {"filter": "magnitude >= 4.5 AND place LIKE '%a%'"}
    programs = api.get(f"/collections/{COLLECTION}/programs", {**query, "f": "json"}).json()["programs"]
    expected = [program["text"] for program in programs]
    # even on a page, they read all matching features
    for resource, more in (("items", "&limit=5&offset=5"), ("programs", "")):
        page = api.get(f"/collections/{COLLECTION}/{resource}?{urlencode(query)}{more}&f=html")
        assert _Codes(page.body.decode()).found == expected


def test_the_page_of_a_feature_has_programs_for_it_alone(api: Api) -> None:
    page = api.get(f"/collections/{COLLECTION}/items/1635?f=html")
    address = _Codes(page.body.decode()).found[0]
    assert [feature["id"] for feature in api.get(address).json()["features"]] == [1635]
    event = api.get("/events/AL112017?f=html")
    assert api.get(_Codes(event.body.decode()).found[0]).json()["id"] == "AL112017"


def test_faults_of_a_query_are_said(api: Api) -> None:
    answer = api.get(f"/collections/{COLLECTION}/programs", {"bbox": "1,2", "sortby": "magnitud", "f": "json"})
    assert answer.status == 422
    assert {fault["loc"][-1] for fault in answer.json()["detail"]} == {"bbox", "sortby"}
