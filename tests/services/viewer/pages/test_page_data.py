"""The page data of a map."""

import json

from libs.catalogue.basins import BASINS
from libs.catalogue.model import Column, TimeColumn
from libs.catalogue.modules import module
from services.viewer.pages.page_data import describe, in_order, script_json
from tests.services.viewer.conftest import HOSTILE, collection


def test_script_json_cannot_end_the_script() -> None:
    text = script_json({"title": HOSTILE, "comment": "<!-- <script>"})
    assert "<" not in text
    assert json.loads(text) == {"title": HOSTILE, "comment": "<!-- <script>"}


def test_time_is_a_column_that_is_filled() -> None:
    assert describe(collection("hazard.a"))["time"] == {
        "column": "at",
        "start": "2020-01-01",
        "end": "2020-02-01",
        "lasts": False,
        "endColumn": None,
        "issuedColumn": None,
        "asOf": "2020-02-01",
        # requests without a column are about the first
        "usual": False,
    }
    assert describe(collection("hazard.a", times=()))["time"] is None


def test_features_that_last_are_marked_where_the_time_is_their_start() -> None:
    ends = (TimeColumn("at", "date", "2020-01-01", "2020-02-01"), TimeColumn("until", "date"))
    assert describe(collection("hazard.a", times=ends, time_end="until"))["time"]["lasts"] is True
    assert describe(collection("hazard.a", times=ends[::-1], time_end="at"))["time"]["lasts"] is False


def test_as_of_is_the_newest_issue_never_an_end_of_validity() -> None:
    starts, ends = TimeColumn("at", "date", "2020-01-01", "2020-02-01"), TimeColumn("until", "date", None, "2999-01-01")
    issued = TimeColumn("made", "date", "2019-01-01", "2020-01-15")
    lasting = collection("hazard.a", times=(starts, ends, issued), time_end="until")
    assert describe(lasting)["time"]["end"] == "2999-01-01"
    assert describe(lasting)["time"]["asOf"] == "2020-02-01", "the newest start, where no issue is named"
    named = collection("hazard.a", times=(starts, ends, issued), time_end="until", time_issued="made")
    assert describe(named)["time"]["asOf"] == "2020-01-15"
    assert describe(named)["time"]["issuedColumn"] == "made"


def test_the_number_of_features_is_that_of_the_catalogue() -> None:
    assert describe(collection("hazard.a"))["items"] is None
    assert describe(collection("hazard.a", item_count=7))["items"] == 7


def test_importance_is_the_first_that_is_a_column() -> None:
    assert describe(collection("hazard.a"))["importance"] is None
    assert describe(collection("hazard.a", importance=("-nothing", "-event_id")))["importance"] == "-event_id"


def test_collection_without_geometry() -> None:
    described = describe(collection("hazard.a", geometries=()))
    assert described["geometryType"] is None
    assert described["bbox"] is None


def test_the_codes_of_a_basin_have_labels() -> None:
    columns = tuple(Column(name, "text", "string") for name in ("basin", "name"))
    basin, name = describe(collection("hazard.a", columns=columns))["columns"]
    assert basin["labels"] == BASINS
    assert "labels" not in name


def test_a_column_is_told_with_its_unit() -> None:
    columns = (Column("wind", "real", "number", title="Wind", format="float", unit="kt"),)
    assert describe(collection("hazard.a", columns=columns))["columns"] == [
        {"name": "wind", "title": "Wind", "type": "number", "format": "float", "unit": "kt"}
    ]


def test_event_key_only_where_there_is_one() -> None:
    assert describe(collection("hazard.a"))["eventKey"] == "event_id"
    assert describe(collection("hazard.a", columns=()))["eventKey"] is None


def test_modules_of_the_contract() -> None:
    modules = {
        "hazard.hazard_eq_events": "Earthquakes",
        "hazard.hazard_fl_alerts_mom_forecast": "Floods",
        "hazard.hazard_ts_tracks": "Tropical storms",
        "hazard.hazard_ts_disturbance_nodes": "Tropical disturbances",
        "my_data.wells": "My data",
    }
    assert {identifier: module(collection(identifier)) for identifier in modules} == modules


def test_order_is_that_of_the_contract_then_others() -> None:
    identifiers = ["other.z", "hazard.hazard_fl_alerts", "hazard.hazard_ts_nodes", "hazard.hazard_eq_events"]
    ordered = [entry.id for entry in in_order(collection(identifier) for identifier in identifiers)]
    assert ordered == ["hazard.hazard_eq_events", "hazard.hazard_ts_nodes", "hazard.hazard_fl_alerts", "other.z"]


def test_only_texts_of_hazards_have_translations() -> None:
    columns = (Column("level", "text", "string"), Column("size", "float8", "number"))
    worded = {
        name: [each.get("worded", False) for each in describe(collection(name, columns=columns))["columns"]]
        for name in ("hazard.hazard_fl_alerts", "public.parcels")
    }
    assert worded == {"hazard.hazard_fl_alerts": [True, False], "public.parcels": [False, False]}
