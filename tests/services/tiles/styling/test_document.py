"""Styles: valid for MapLibre's own checker, and their expressions give the colours of the legend."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from libs.web.basemap import Basemap
from services.tiles.styling.document import style_json
from services.tiles.styling.palette import (
    ALERT,
    DISTURBANCE,
    FLOOD_SEVERITY,
    FORMATION,
    INTENSITY,
    MAGNITUDE,
    MISSING,
    WIND,
    WIND_ZONE,
)
from tests.services.tiles.styling.evaluating import MODULES, evaluate

_BASE = "https://example.org/api"

# collection id, geometry type, properties
_Kind = tuple[str, str, dict[str, str]]
_EARTHQUAKES: _Kind = ("hazard.hazard_eq_events", "Point", {"magnitude": "number", "depth": "number"})
_NODES: _Kind = (
    "hazard.hazard_ts_nodes",
    "Point",
    {"category": "string", "wind_kt": "integer", "kind": "string", "name": "string", "valid_time": "string"},
)
_TRACKS: _Kind = (
    "hazard.hazard_ts_tracks",
    "MultiLineString",
    {"category": "string", "max_wind_kt": "integer", "name": "s"},
)
_BUFFERS: _Kind = ("hazard.hazard_ts_buffers", "MultiPolygon", {"wind_speed_kt": "integer", "name": "string"})
_FLOODS: _Kind = (
    "hazard.hazard_fl_events",
    "MultiPolygon",
    {"began": "string", "severity": "number", "alert_level": "string"},
)
_ALERTS: _Kind = ("hazard.hazard_fl_alerts", "MultiPolygon", {"alert_level": "string", "severity": "number"})
_GAUGES: _Kind = ("hazard.hazard_fl_glofas_gauges_forecast", "Point", {"alert_level": "string"})
_DISTURBANCE_TRACKS: _Kind = ("hazard.hazard_ts_disturbance_tracks", "MultiLineString", {"category": "string"})
_DISTURBANCE_NODES: _Kind = (
    "hazard.hazard_ts_disturbance_nodes",
    "Point",
    {"category": "string", "wind_kt": "integer"},
)
_DISTURBANCE_BUFFERS: _Kind = (
    "hazard.hazard_ts_disturbance_buffers",
    "MultiPolygon",
    {"wind_speed_kt": "integer", "probability_7_days": "integer"},
)
_CONTOURS: _Kind = ("hazard.hazard_eq_contours", "MultiLineString", {"intensity": "number", "version": "integer"})
_MIXED: _Kind = ('other.Mixed "geometries"', "Geometry", {})
_KINDS: tuple[_Kind, ...] = (
    _EARTHQUAKES,
    _CONTOURS,
    _NODES,
    _TRACKS,
    _BUFFERS,
    _FLOODS,
    _ALERTS,
    _GAUGES,
    _DISTURBANCE_TRACKS,
    _DISTURBANCE_NODES,
    _DISTURBANCE_BUFFERS,
    _MIXED,
    ("other.lines", "LineString", {"a": "string"}),
    ("other.areas", "Polygon", {}),
    ("other.points", "MultiPoint", {}),
    ("other.bag", "GeometryCollection", {}),
    ("other.depth_only", "Point", {"magnitude": "number"}),
)


def _style(kind: _Kind, **fields: Any) -> dict[str, Any]:
    collection_id, geometry_type, properties = kind
    values: dict[str, Any] = {
        "title": "A title",
        "base_url": _BASE,
        "tile_matrix_set_id": "WebMercatorQuad",
        "tiles_url_template": f"{_BASE}/tiles/{{z}}/{{x}}/{{y}}",
        "minzoom": 0,
        "maxzoom": 14,
        "bounds": (-120.0, 20.0, -60.0, 45.0),
        "center": None,
        "attribution": None,
    }
    return style_json(
        collection_id=collection_id, geometry_type=geometry_type, properties=properties, **{**values, **fields}
    )


def _dark(style: dict[str, Any]) -> dict[str, Any]:
    layers = [
        {**layer, "paint": {**layer.get("paint", {}), **layer.get("metadata", {}).get("dams:dark", {})}}
        for layer in style["layers"]
    ]
    return {**style, "layers": layers}


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind[0])
@pytest.mark.parametrize("theme", ["light", "dark", "plain"])
def test_is_valid_for_maplibre(kind: _Kind, theme: str, tmp_path: Path) -> None:
    style = _style(kind, attribution="A <b>source</b>", plain=theme == "plain")
    file = tmp_path / "style.json"
    file.write_text(json.dumps(_dark(style) if theme == "dark" else style), encoding="utf-8")
    program = MODULES / ".bin" / "gl-style-validate"
    run = subprocess.run([str(program), str(file)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "")


def test_draws_an_operators_basemap_in_place_of_ours(tmp_path: Path) -> None:
    basemap = Basemap("https://tiles.example.org/{z}/{x}/{y}.png", "© <b>Example</b>", 17)
    style = _style(_TRACKS, basemap=basemap)
    assert style["sources"].keys() == {"basemap-raster", "hazard.hazard_ts_tracks"}
    raster = style["sources"]["basemap-raster"]
    assert (raster["tiles"], raster["maxzoom"]) == (["https://tiles.example.org/{z}/{x}/{y}.png"], 17)
    # below the data; only what lies below everything is left of ours
    data = set(style["metadata"]["dams:layers"])
    assert [layer["id"] for layer in style["layers"] if layer["id"] not in data] == ["basemap-sea", "basemap-raster"]
    assert [layer["id"] for layer in style["layers"]][1] == "basemap-raster"
    file = tmp_path / "style.json"
    file.write_text(json.dumps(_dark(style)), encoding="utf-8")
    program = MODULES / ".bin" / "gl-style-validate"
    run = subprocess.run([str(program), str(file)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout.strip()) == (0, "")


@pytest.mark.parametrize("kind", _KINDS, ids=lambda kind: kind[0])
def test_draws_the_collection_from_its_own_tiles(kind: _Kind) -> None:
    style = _style(kind)
    ids = style["metadata"]["dams:layers"]
    layers = [layer for layer in style["layers"] if layer["id"] in ids]
    assert layers
    assert len({layer["id"] for layer in style["layers"]}) == len(style["layers"])
    for layer in layers:
        assert layer["source"] == layer["source-layer"] == kind[0]
    assert style["sources"][kind[0]]["tiles"] == [f"{_BASE}/tiles/{{z}}/{{x}}/{{y}}"]
    assert style["version"] == 8
    assert isinstance(style["zoom"], int)


def test_needs_no_other_host() -> None:
    text = json.dumps(_style(_EARTHQUAKES))
    assert text.count("http") == text.count(_BASE)
    assert "glyphs" not in _style(_EARTHQUAKES)


def test_data_lie_between_the_land_and_the_labels() -> None:
    ids = [layer["id"] for layer in _style(_FLOODS)["layers"]]
    assert ids.index("basemap-land") < ids.index("hazard.hazard_fl_events:fill") < ids.index("basemap-labels-country")


def test_no_basemap_layer_draws_data() -> None:
    asked = {}
    for layer in _style(_FLOODS)["layers"]:
        if layer["id"].startswith("basemap-") and "source" in layer:
            first = layer["filter"][1] if layer["filter"][0] == "all" else layer["filter"]
            assert first[:2] == ["==", ["get", "basemap"]]
            assert (layer["source"], "." in layer["source-layer"]) == ("basemap", False)
            asked[layer["id"].removeprefix("basemap-")] = first[2]
    assert asked == {
        "graticule": "graticule",
        "land": "land",
        "lakes": "lake",
        "rivers": "river",
        "coast": "coast",
        "borders": "border",
        "provinces": "province",
        "labels-sea": "sea",
        "labels-province": "province",
        "labels-town": "town",
        "labels-country": "country",
    }


def test_mixed_geometries_are_drawn_by_their_kind() -> None:
    style = _style(_MIXED)
    drawn = {
        layer["type"]: layer["filter"] for layer in style["layers"] if layer["id"] in style["metadata"]["dams:layers"]
    }
    assert drawn["circle"] == ["==", ["geometry-type"], "Point"]
    assert drawn["fill"] == ["==", ["geometry-type"], "Polygon"]
    assert drawn["line"] == ["==", ["geometry-type"], "LineString"]


def test_earthquakes_are_coloured_by_magnitude() -> None:
    cases = [{"magnitude": value} for value in (-1, 4.9, 5, 6, 7.9, 8, 9.5)]
    found = evaluate(_style(_EARTHQUAKES), "hazard.hazard_eq_events:circle", "circle-color", cases)
    colors = [item.color for item in MAGNITUDE.classes]
    assert found == [colors[at] for at in (0, 0, 1, 2, 3, 4, 4)]


@pytest.mark.parametrize(("kind", "layer"), [(_TRACKS, "line"), (_BUFFERS, "fill"), (_FLOODS, "fill")])
def test_classes_have_their_dark_colours_in_a_dark_theme(kind: _Kind, layer: str) -> None:
    style = _style(kind)
    scale = next(entry for entry in style["metadata"]["dams:legend"] if "classes" in entry)
    name = scale["properties"][0]
    cases = [{name: item["from"] if "from" in item else item["values"][0]} for item in scale["classes"]]
    found = evaluate(_dark(style), f"{kind[0]}:{layer}", f"{layer}-color", cases)
    assert found == [item["dark"] for item in scale["classes"]]
    # a plain layer has one colour, in each theme
    plain = _dark(_style(kind, plain=True))
    colors = {str(each["paint"].get(f"{layer}-color")) for each in plain["layers"] if each["id"].startswith(kind[0])}
    assert {item["dark"] for item in scale["classes"]} <= colors


def test_outlines_of_floods_vanish_at_low_zooms() -> None:
    def width(kind: _Kind, zoom: int) -> float:
        return float(evaluate(_style(kind), f"{kind[0]}:outline", "line-width", [{}], zoom)[0])

    assert (width(_FLOODS, 2), width(_FLOODS, 4)) == (0, 0)
    # those of other areas are fine there
    assert 0 < width(_ALERTS, 2) < width(_ALERTS, 5) < 0.8
    assert min(width(_FLOODS, 9), width(_ALERTS, 9)) > 1


def test_earthquakes_grow_with_magnitude() -> None:
    cases = [{"magnitude": value} for value in (4, 5, 6, 7, 8)]
    for zoom in (1, 4, 8):
        found = evaluate(_style(_EARTHQUAKES), "hazard.hazard_eq_events:circle", "circle-radius", cases, zoom)
        assert found == sorted(found)
        assert found[-1] > 5 * found[0]


def test_missing_values_have_a_colour_of_their_own() -> None:
    found = evaluate(_style(_EARTHQUAKES), "hazard.hazard_eq_events:circle", "circle-color", [{}, {"magnitude": "?"}])
    assert found == [MISSING] * 2


@pytest.mark.parametrize(("kind", "layer"), [(_NODES, "circle"), (_TRACKS, "line")], ids=["nodes", "tracks"])
def test_storms_are_coloured_by_category_then_by_wind(kind: _Kind, layer: str) -> None:
    wind = "wind_kt" if kind is _NODES else "max_wind_kt"
    cases: list[dict[str, Any]] = [
        {"category": "C5", wind: 20},
        {"category": 3},
        {wind: 33},
        {wind: 34},
        {wind: 137},
        {},
    ]
    found = evaluate(_style(kind), f"{kind[0]}:{layer}", f"{layer}-color", cases)
    colors = [item.color for item in WIND.classes]
    assert found == [*(colors[at] for at in (6, 4, 0, 1, 6)), MISSING]


def test_forecast_nodes_are_paler() -> None:
    cases = [{"kind": "analysed"}, {"kind": "forecast"}]
    analysed, forecast = evaluate(_style(_NODES), "hazard.hazard_ts_nodes:circle", "circle-opacity", cases)
    assert forecast < analysed / 1.5


def test_storms_are_named_and_their_positions_are_not() -> None:
    events: _Kind = ("hazard.hazard_ts_events", "Point", {"category": "string", "name": "string"})
    labels = [
        [layer for layer in _style(kind)["layers"] if layer["id"].startswith(kind[0]) and layer["type"] == "symbol"]
        for kind in (events, _NODES)
    ]
    assert [len(layers) for layers in labels] == [1, 0]
    [large], [small] = (evaluate(_style(kind), f"{kind[0]}:circle", "circle-radius", [{}]) for kind in (events, _NODES))
    assert small < large


def test_buffers_are_coloured_by_wind() -> None:
    cases = [{"wind_speed_kt": value} for value in (34, 50, 64)]
    found = evaluate(_style(_BUFFERS), "hazard.hazard_ts_buffers:fill", "fill-color", cases)
    assert found == [item.color for item in WIND_ZONE.classes[:3]]


def test_floods_and_alerts_are_coloured_by_severity_and_level() -> None:
    floods = evaluate(
        _style(_FLOODS), "hazard.hazard_fl_events:fill", "fill-color", [{"severity": n} for n in (1, 1.5, 2)]
    )
    assert floods == [item.color for item in FLOOD_SEVERITY.classes]
    levels = [{"alert_level": level, "severity": 2} for level in ("Green", "Orange", "Red")]
    alerts = evaluate(_style(_ALERTS), "hazard.hazard_fl_alerts:fill", "fill-color", levels)
    assert alerts == [item.color for item in ALERT.classes]


def test_contours_are_coloured_by_intensity() -> None:
    cases = [{"intensity": value} for value in (3.5, 5.5, 6, 7, 9)]
    found = evaluate(_style(_CONTOURS), "hazard.hazard_eq_contours:line", "line-color", cases)
    assert found == [item.color for item in INTENSITY.classes]


def test_areas_of_formation_have_the_classes_of_the_outlook() -> None:
    cases: list[dict[str, Any]] = [{"probability_7_days": value} for value in (0, 30, 40, 60, 70)]
    cases.append({"wind_speed_kt": 34})
    found = evaluate(_style(_DISTURBANCE_BUFFERS), "hazard.hazard_ts_disturbance_buffers:fill", "fill-color", cases)
    low, medium, high = (item.color for item in FORMATION.classes)
    assert found == [low, low, medium, medium, high, DISTURBANCE]


def test_disturbances_look_apart_from_named_storms() -> None:
    for kind in (_DISTURBANCE_TRACKS, _DISTURBANCE_NODES, _DISTURBANCE_BUFFERS):
        style = _style(kind)
        text = json.dumps([layer for layer in style["layers"] if layer["id"] in style["metadata"]["dams:layers"]])
        assert DISTURBANCE in text
        assert WIND.classes[3].color not in text
        assert style["metadata"]["dams:legend"][0]["provisional"] is True


@pytest.mark.parametrize(
    "kind", [_EARTHQUAKES, _CONTOURS, _TRACKS, _BUFFERS, _FLOODS, _ALERTS], ids=lambda kind: kind[0]
)
def test_legend_shows_the_colours_that_are_drawn(kind: _Kind) -> None:
    style = _style(kind)
    scale = next(entry for entry in style["metadata"]["dams:legend"] if "classes" in entry)
    name = scale["properties"][0]
    cases = [{name: item["from"] if "from" in item else item["values"][0]} for item in scale["classes"]]
    drawn = [layer for layer in style["layers"] if layer["id"] in style["metadata"]["dams:layers"]]
    layer = next(entry for entry in drawn if not entry["id"].endswith(":casing"))
    found = evaluate(style, layer["id"], f"{layer['type']}-color", cases)
    assert found == [item["color"] for item in scale["classes"]]


def test_legend_shows_the_sizes_that_are_drawn() -> None:
    style = _style(_EARTHQUAKES)
    sizes = next(entry for entry in style["metadata"]["dams:legend"] if "sizes" in entry)
    assert (sizes["title"], sizes["unit"], sizes["symbol"]) == ("Magnitude", None, "circle")
    cases = [dict.fromkeys(sizes["properties"], item["label"]) for item in sizes["sizes"]]
    assert [item["color"] for item in sizes["sizes"]] == [item["color"] for item in sizes["classes"]]
    drawn = evaluate(style, "hazard.hazard_eq_events:circle", "circle-radius", cases, zoom=2)
    assert [item["diameter"] / 2 for item in sizes["sizes"]] == pytest.approx(drawn, rel=0.2)


_CHOOSE = """
import { createExpression } from "@maplibre/maplibre-gl-style-spec";
import { readFileSync } from "node:fs";
const { layers, cases } = JSON.parse(readFileSync(0, "utf8"));
const drawn = ({ filter }, properties) =>
  createExpression(filter, { type: "boolean" }).value.evaluate({ zoom: 4 }, { type: 1, properties });
const colors = (properties) =>
  layers.filter((layer) => drawn(layer, properties)).map(({ type, paint }) => paint[`${type}-color`]);
console.log(JSON.stringify(cases.map(colors)));
"""


@pytest.mark.parametrize(("kind", "layer"), [(_EARTHQUAKES, "circle"), (_TRACKS, "line"), (_ALERTS, "fill")])
def test_plain_layers_draw_each_feature_once_and_in_its_colour(kind: _Kind, layer: str) -> None:
    cases: list[dict[str, Any]] = [
        *({"magnitude": magnitude} for magnitude in (-1, 4.9, 5, 6.5, 7, 9)),
        *({"category": category} for category in ("TD", 3, "C5", "?")),
        *({"category": "?", "max_wind_kt": wind} for wind in (0, 64, 200)),
        *({"alert_level": level} for level in ("Green", "red", "Red")),
        {},
    ]
    prefix = f"{kind[0]}:{layer}"
    plain = _style(kind, plain=True)
    layers = [entry for entry in plain["layers"] if entry["id"].startswith(prefix)]
    assert set(plain["metadata"]["dams:layers"]) >= {entry["id"] for entry in layers}
    run = subprocess.run(
        ["node", "--input-type=module", "-e", _CHOOSE],
        cwd=MODULES.parent,
        input=json.dumps({"layers": layers, "cases": cases}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [[color] for color in evaluate(_style(kind), prefix, f"{layer}-color", cases)]


@pytest.mark.parametrize(
    ("bounds", "center", "zoom"),
    [
        (None, [0.0, 0.0], 1),
        ((-180, -90, 180, 90), [0.0, 0.0], 1),
        ((-120, 20, -60, 45), [-90.0, 32.5], 3),
        ((170, -20, -170, 0), [180.0, -10.0], 4),
        ((10, 50, 10, 50), [10.0, 50.0], 13),
    ],
)
def test_centre_and_zoom_show_the_bounds(bounds: Any, center: list[float], zoom: int) -> None:
    style = _style(_EARTHQUAKES, bounds=bounds)
    assert style["center"] == pytest.approx(center) or style["center"] == pytest.approx([-center[0], center[1]])
    assert style["zoom"] == zoom


def test_bounds_across_180_do_not_limit_the_source() -> None:
    assert "bounds" not in _style(_EARTHQUAKES, bounds=(170, -20, -170, 0))["sources"]["hazard.hazard_eq_events"]
    assert _style(_EARTHQUAKES)["sources"]["hazard.hazard_eq_events"]["bounds"] == [-120, 20, -60, 45]
