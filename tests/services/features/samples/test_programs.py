"""The requests of the programs: all matching features, with addresses that shells and programs accept unchanged."""

from __future__ import annotations

import ast
import shlex
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from libs.catalogue.model import Collection
from services.features.samples.programs import Program, programs_of
from services.features.samples.source import Source, file_name, source_of

_BASE = "https://example.org/api"
_NAME = "it's 10% of “it”"
_COLLECTION = Collection(f"hazard.{_NAME}", "hazard", _NAME, 1, "table", 'It\'s “10%” \\ of "it"', None, ())


def _source(*, geometry_type: str | None = "Point", **given: str) -> Source:
    return source_of(_COLLECTION, given, _BASE, geometry_type=geometry_type)


def _program(source: Source, name: str) -> Program:
    return next(program for program in programs_of(source) if program.id == name)


def test_a_query_travels_whole_and_its_page_does_not() -> None:
    asked = "name = 'O''Hara & \"Söhne\"' AND note LIKE '$(x)`\\\\'"
    source = _source(filter=asked, bbox="1,2,3,4", limit="5", offset="20", cursor="x", f="html", geometry="lonlat")
    words = shlex.split(_program(source, "curl").text)
    assert words[:3] == ["curl", "--fail", "--output"]
    assert words[3] == "it_s_10_of_it.geojson"
    asked_for = parse_qs(urlsplit(words[4]).query)
    assert asked_for == {"filter": [asked], "bbox": ["1,2,3,4"], "f": ["geojson"]}
    for program in programs_of(source):
        if program.language == "python":
            ast.parse(program.text)
        assert "lonlat" not in program.text


def test_owslib_gets_what_it_takes() -> None:
    text = _program(_source(bbox="1,2,3,4.5", sortby="-magnitude,time"), "owslib").text
    line = next(line for line in text.splitlines() if line.startswith("query = "))
    expected = {"bbox": [1.0, 2.0, 3.0, 4.5], "sortby": ("-magnitude,time", "asc"), "limit": 10_000}
    assert ast.literal_eval(line.removeprefix("query = ")) == expected


@pytest.mark.parametrize(
    ("geometry_type", "given", "columns"),
    [
        ("Point", {}, True),
        ("MultiPolygon", {}, False),
        (None, {}, False),
        ("Point", {"crs": "http://www.opengis.net/def/crs/EPSG/0/3857"}, False),
        ("Point", {"bbox-only": "true"}, False),
    ],
)
def test_spreadsheets_have_columns_of_points_as_they_are(
    geometry_type: str | None, given: dict[str, str], *, columns: bool
) -> None:
    address = _source(geometry_type=geometry_type, **given).spreadsheet
    assert address is not None
    assert address.endswith("f=csv&geometry=lonlat&bom=true" if columns else "f=csv&bom=true")


@pytest.mark.parametrize(
    ("geometry_type", "layer"),
    [("Point", "circle"), ("MultiLineString", "line"), ("Polygon", "fill"), ("Geometry", "circle"), (None, None)],
)
def test_a_map_draws_what_there_is(geometry_type: str | None, layer: str | None) -> None:
    programs = {program.id: program.text for program in programs_of(_source(geometry_type=geometry_type))}
    assert ("maplibre" in programs) == (layer is not None)
    assert layer is None or f'"type": "{layer}"' in programs["maplibre"]


def test_tiles_are_of_the_same_features() -> None:
    text = _program(_source(datetime="2018-01-01/..", sortby="name", properties="name"), "maplibre").text
    assert '/{z}/{x}/{y}?datetime=2018-01-01/.."]' in text


def test_of_one_file_there_are_the_programs_that_read_it() -> None:
    source = replace(_source(), files={"geojson": f"{_BASE}/events/1?f=geojson"}, query=None)
    programs = {program.id: program.text for program in programs_of(source)}
    assert programs.keys() == {"address", "curl", "geopandas", "sf", "fetch", "qgis", "gdal"}
    assert all(f"{_BASE}/events/1?f=geojson" in text for text in programs.values())
    assert '".geojson"' in programs["sf"]


def test_files_have_names_that_systems_take() -> None:
    assert [file_name(text) for text in ("a.b", "Straße 1", "“”", "-x_")] == ["a_b", "Stra_e_1", "data", "x"]
