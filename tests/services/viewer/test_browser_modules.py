"""Parts of the browser's script that need no browser, run by Node.js."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

_BROWSER = Path(__file__).parents[3] / "services" / "viewer" / "browser"


def _run(module: str, expression: str, *arguments: Any) -> Any:
    node = shutil.which("node")
    assert node
    script = (
        f"import * as module from {json.dumps((_BROWSER / module).as_uri())};"
        f"const given = {json.dumps(arguments)};"
        f"process.stdout.write(JSON.stringify(({expression})(...given)));"
    )
    run = subprocess.run([node, "--input-type=module", "-e", script], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode()
    return json.loads(run.stdout)


_CONDITIONS: list[tuple[dict[str, str], str]] = [
    ({"property": "magnitude", "kind": "number", "operator": ">=", "value": "5"}, "magnitude >= 5"),
    ({"property": "depth", "kind": "number", "operator": "<", "value": "-0.5"}, "depth < -0.5"),
    ({"property": "place", "kind": "text", "operator": "=", "value": "O'Brien"}, "place = 'O''Brien'"),
    (
        {"property": "place", "kind": "text", "operator": "contains", "value": "50% of_all"},
        r"CASEI(place) LIKE CASEI('%50\% of\_all%')",
    ),
    ({"property": "level", "kind": "choice", "operator": "<>", "value": "Red"}, "level <> 'Red'"),
    ({"property": "tsunami", "kind": "boolean", "operator": "=", "value": "true"}, "tsunami = TRUE"),
    (
        {"property": "at", "kind": "instant", "operator": ">=", "value": "2018-02-01T06:30"},
        "at >= TIMESTAMP('2018-02-01T06:30:00Z')",
    ),
    ({"property": "day", "kind": "date", "operator": "<=", "value": "2018-02-01"}, "day <= DATE('2018-02-01')"),
    ({"property": "felt", "kind": "number", "operator": "empty", "value": ""}, "felt IS NULL"),
    ({"property": "felt", "kind": "number", "operator": "filled", "value": ""}, "felt IS NOT NULL"),
    ({"property": 'a "b" c', "kind": "text", "operator": "=", "value": "x"}, '"a ""b"" c" = \'x\''),
    ({"property": "Like", "kind": "number", "operator": "=", "value": "1"}, '"Like" = 1'),
]


@pytest.mark.parametrize(("condition", "text"), _CONDITIONS)
def test_condition_is_written_and_read(condition: dict[str, str], text: str) -> None:
    assert _run("filters/cql2.js", "module.conditionText", condition) == text
    read = _run("filters/cql2.js", "module.parsedFilter", text)["conditions"]
    assert [(entry["property"], entry["operator"]) for entry in read] == [
        (condition["property"], condition["operator"])
    ]
    # what is read is written again as the same text
    assert _run("filters/cql2.js", "module.conditionText", {**condition, "value": read[0]["value"]}) == text


def test_conditions_are_joined() -> None:
    conditions = [condition for condition, _ in _CONDITIONS]
    text = _run("filters/cql2.js", "module.filterText", conditions, "OR")
    assert text == " OR ".join(part for _, part in _CONDITIONS)
    assert _run("filters/cql2.js", "module.parsedFilter", text)["joint"] == "OR"


@pytest.mark.parametrize(
    "text", ["a = 1 AND b = 2 OR c = 3", "NOT a = 1", "a = 1 AND", "S_INTERSECTS(geom, POINT(1 2))"]
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert _run("filters/cql2.js", "module.parsedFilter", text) is None


@pytest.mark.parametrize(
    ("kind", "value"), [("number", "x"), ("number", ""), ("instant", "tomorrow"), ("date", "1.2.18")]
)
def test_half_written_values_make_no_condition(kind: str, value: str) -> None:
    assert (
        _run(
            "filters/cql2.js", "module.conditionText", {"property": "a", "kind": kind, "operator": "=", "value": value}
        )
        is None
    )


def test_lengths_are_those_of_the_ellipsoid() -> None:
    # quarter of the meridian and of the equator of WGS 84, in metres
    assert _run("cartography/geodesic.js", "module.pathLength", [[0, 0], [0, 90]]) == pytest.approx(
        10_001_965.729, abs=0.01
    )
    assert _run("cartography/geodesic.js", "module.pathLength", [[0, 0], [45, 0], [90, 0]]) == pytest.approx(
        10_018_754.171, abs=0.01
    )
    assert _run("cartography/geodesic.js", "module.pathLength", [[179, 0], [-179, 0]]) == pytest.approx(
        222_638.98, abs=0.1
    )


@pytest.mark.parametrize(
    "ring", [[[0, 0], [90, 0], [0, 90]], [[0, 90], [90, 0], [0, 0]], [[135, 0], [-135, 0], [0, 90]]]
)
def test_areas_are_those_of_the_ellipsoid(ring: list[list[float]]) -> None:
    # an eighth of the surface of WGS 84, in square metres
    assert _run("cartography/geodesic.js", "module.ringArea", ring) == pytest.approx(510_065_621_724_088 / 8, rel=1e-9)


def test_lines_run_on_across_the_antimeridian() -> None:
    line = _run("cartography/geodesic.js", "module.shortestLine", [[170, 10], [-170, 10]])
    assert line[0] == [170, 10]
    assert line[-1] == pytest.approx([190, 10])
    assert max(abs(after[0] - before[0]) for before, after in pairwise(line)) < 1
    # the shortest way bends towards the pole
    assert max(latitude for _, latitude in line) > 10.1


_NAMES = json.loads((Path(__file__).parents[1] / "feature_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", _NAMES, ids=lambda case: str(case["says"]))
def test_features_are_named_as_on_their_pages(case: dict[str, Any]) -> None:
    start, end = case["time"] or (None, None)
    collection = {"label": case["title"], "time": start and {"column": start, "endColumn": end}}
    feature = {"id": case["id"], "properties": case["properties"]}
    assert _run("words/feature-name.js", "module.featureName", collection, feature) == case["name"]


_STORMS = [
    ("name", "string"),
    ("event_id", "string"),
    ("basin", "string"),
    ("season", "integer"),
    ("category", "string"),
]


@pytest.mark.parametrize(
    ("columns", "text", "filter_", "hint"),
    [
        ([("place", "string")], " a'b ", "(CASEI(place) LIKE CASEI('%a''b%'))", "Search by place"),
        ([("place", "integer")], "x", None, None),
        ([("depth", "number")], "x", None, None),
        (
            _STORMS,
            "Pacific, 2015",
            "(CASEI(name) LIKE CASEI('%Pacific%') OR CASEI(event_id) LIKE CASEI('%Pacific%') OR"
            " basin IN ('EP', 'WP', 'SP')) AND (CASEI(name) LIKE CASEI('%2015%') OR season = 2015)",
            "Search by name, basin, year or event",
        ),
        (
            _STORMS,
            "c5",
            "(CASEI(name) LIKE CASEI('%c5%') OR CASEI(event_id) LIKE CASEI('%c5%') OR category = 'C5')",
            "Search by name, basin, year or event",
        ),
    ],
)
def test_search_is_written_as_cql2(
    columns: list[tuple[str, str]], text: str, filter_: str | None, hint: str | None
) -> None:
    collection = {"columns": [{"name": name, "type": type_} for name, type_ in columns]}
    assert _run("filters/search.js", "module.searchFilter", collection, text) == filter_
    assert _run("filters/search.js", "module.searchHint", collection) == hint


@pytest.mark.parametrize(("lasts", "column"), [(True, None), (False, "at")])
def test_features_that_last_are_asked_for_without_a_column_of_time(lasts: bool, column: str | None) -> None:
    given = {"id": "floods", "time": {"column": "at", "lasts": lasts}, "eventKey": None}
    asked = (
        "(collection) => { const explorer = new module.Explorer({ collections: [collection] });"
        " explorer.setDatetime('2020-01-01/2020-01-02'); return explorer.parameters('floods'); }"
    )
    assert _run("model/explorer.js", asked, given) == {
        "datetime": "2020-01-01/2020-01-02",
        "datetime-column": column,
        "filter": None,
    }


def test_the_explorer_sends_nothing_that_was_not_asked_for() -> None:
    document = {
        "components": {
            "parameters": {
                "limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "default": 10}, "example": 10},
                "any": {"name": "any", "in": "query", "schema": {"type": "object"}},
                "id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}, "example": "other"},
            }
        },
        "paths": {"/a": {"get": {"parameters": [{"name": "bbox", "in": "query", "schema": {}, "example": [1, 2]}]}}},
    }
    made = _run("docs/document.js", "module.prepared", document, {"id": "real"})
    shared = made["components"]["parameters"]
    assert shared["limit"]["description"] == "Without it: `10`. For example `limit=10`."
    assert ("example" in shared["limit"], "default" in shared["limit"]["schema"]) == (False, False)
    assert shared["any"]["example"] == {}
    assert shared["id"]["example"] == "real"
    assert made["paths"]["/a"]["get"]["parameters"][0]["description"] == "For example `bbox=1,2`."


_GAUGE = [
    {"time": "2026-11-01T00:00:00Z", "p25_m3s": 48.1, "p75_m3s": 48.1, "discharge_m3s": 48.1},
    {"time": "2026-11-02T00:00:00Z", "p25_m3s": 50.2, "p75_m3s": 52.2, "discharge_m3s": 51.2},
]
_TITLES = "new Map([['discharge_m3s', {title: 'Discharge', unit: 'm³/s'}]])"


def test_series_is_the_one_meant_with_its_quartiles_as_a_band() -> None:
    series = _run("words/series.js", f"(value) => module.seriesOf('time_series', value, {_TITLES})", _GAUGE)
    assert (series["title"], series["unit"]) == ("Discharge", "m³/s")
    assert [value for _, value in series["points"]] == [48.1, 51.2]
    assert (series["band"]["low"], series["band"]["high"]) == (25, 75)
    assert [edges for _, *edges in series["band"]["points"]] == [[48.1, 48.1], [50.2, 52.2]]


@pytest.mark.parametrize(
    ("value", "values", "unit"),
    [
        (_GAUGE, [48.1, 51.2], "m³/s"),
        ([["2026-01-01", 1], ["2026-01-02", 2]], [1, 2], "mm"),
        ({"times": ["2026-01-01", "2026-01-02"], "rain": [3, 4]}, [3, 4], "mm"),
        ({"series": [{"at": "2026-01-01", "value": 5}, {"at": "2026-01-02", "value": 6}]}, [5, 6], "mm"),
        # nothing but quantiles: the median
        ([{"t": f"2026-01-0{day}", "q10": 0, "q50": day, "q90": 9} for day in (1, 2)], [1, 2], "mm"),
    ],
)
def test_series_of_any_form(value: Any, values: list[float], unit: str) -> None:
    series = _run("words/series.js", "(value) => module.seriesOf('rain_mm', value)", value)
    assert [number for _, number in series["points"]] == values
    assert series["unit"] == unit


@pytest.mark.parametrize("value", [[], {"a": 1}, [1, 2, 3], None, [["2026-01-01", 1]]])
def test_what_is_no_series_makes_no_chart(value: Any) -> None:
    assert _run("words/series.js", "(value) => module.seriesOf('a', value)", value) is None


def test_thresholds_are_return_periods_in_the_same_unit() -> None:
    gauge = {"return_20y_m3s": 263.5, "return_2y_m3s": 138.0, "peak_discharge_m3s": 58.1, "flood_threshold_mm": 3}
    found = _run("words/series.js", "(given) => module.thresholdsOf(given, 'm³/s')", gauge)
    assert found == [{"label": "2-year", "value": 138.0}, {"label": "20-year", "value": 263.5}]
    # a chart shows those within it and the next above, unless that is far off
    reached = "(given, high) => module.reachable(given, high).map(({ label }) => label)"
    assert _run("words/series.js", reached, found, 60) == ["2-year"]
    assert _run("words/series.js", reached, found, 150) == ["2-year", "20-year"]
    assert _run("words/series.js", reached, found, 20) == []


@pytest.mark.parametrize(
    ("properties", "text"),
    [
        (
            [
                {"name": "event_id", "kind": "number", "least": 1, "most": 9, "values": None},
                {"name": "wind kt", "kind": "number", "least": 10, "most": 150, "values": None},
                {"name": "basin", "kind": "choice", "least": None, "most": None, "values": ["EP", "NA"]},
            ],
            "\"wind kt\" >= 80 AND basin = 'EP'",
        ),
        ([{"name": "note", "kind": "text", "least": None, "most": None, "values": None}], "note IS NOT NULL"),
        ([], ""),
    ],
)
def test_example_of_a_filter_is_of_the_collections_own_columns(properties: list[dict[str, Any]], text: str) -> None:
    assert _run("filters/properties.js", "module.exampleFilter", properties) == text


def test_unclassed_features_have_the_colour_of_no_match() -> None:
    classes = [{"label": "TD", "color": "#6c8ebf", "values": ["TD"]}]
    style = {
        "metadata": {"dams:legend": [{"title": "Category (SSHS)", "properties": ["category"], "classes": classes}]},
        "layers": [
            {
                "metadata": {"dams:collection": "a"},
                "paint": {
                    "circle-color": ["match", ["to-string", ["get", "category"]], ["TD"], "#6c8ebf",
                                     ["case", True, ["step", ["get", "wind_kt"], "#8d99a5", 0, "#6c8ebf"], "#8d99a5"]],
                },
            }
        ],
    }  # fmt: skip
    found = _run("panel/legend.js", "module.unclassedOf", style)
    assert (found["label"], found["color"]) == ("no category", "#8d99a5")
    assert found["properties"] == ["category", "wind_kt"]
    style["metadata"]["dams:legend"] = []  # type: ignore[index]
    assert _run("panel/legend.js", "module.unclassedOf", style) is None
