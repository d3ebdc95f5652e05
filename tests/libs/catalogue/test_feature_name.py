"""Names of features on pages; the map's script is tested with the same cases."""

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from libs.catalogue.feature_name import feature_name, name_columns
from libs.catalogue.model import Collection, TimeColumn

_CASES = json.loads((Path(__file__).parents[2] / "services" / "feature_names.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", _CASES, ids=lambda case: str(case["says"]))
def test_features_are_distinguished(case: dict[str, Any]) -> None:
    start, end = case["time"] or (None, None)
    collection = Collection(
        id="s.t",
        schema="s",
        name="t",
        oid=1,
        kind="table",
        title=case["title"],
        description=None,
        columns=(),
        times=tuple(TimeColumn(name, "timestamptz") for name in (start, end) if name),
        time_end=end,
    )
    assert feature_name(collection, case["id"], case["properties"]) == case["name"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("NA", "North Atlantic"),
        ("SA", "South Atlantic"),
        ("EP", "East Pacific"),
        ("WP", "West Pacific"),
        ("SP", "South Pacific"),
        ("NI", "North Indian Ocean"),
        ("SI", "South Indian Ocean"),
        ("XX", "XX"),
    ],
)
def test_storms_without_a_name_are_called_by_their_basin(code: str, name: str) -> None:
    collection = Collection("s.t", "s", "t", 1, "table", "Storms", None, ())
    assert feature_name(collection, 1, {"basin": code}) == name
    assert feature_name(collection, 1, {"basin": code, "name": " ODA "}) == "ODA"


@pytest.mark.parametrize(
    ("properties", "wind"),
    [
        ({"max_wind_kt": 1234567}, ", 1234567 kt"),
        ({"max_wind_kt": True, "wind_kt": Decimal("65.50")}, ", 65.5 kt"),
        ({"max_wind_kt": "65", "wind_speed_kt": 0.1}, ", 0.1 kt"),
        ({}, ""),
    ],
)
def test_winds_are_numbers(properties: dict[str, Any], wind: str) -> None:
    collection = Collection("s.t", "s", "t", 1, "table", "Storms", None, ())
    assert feature_name(collection, 1, {"basin": "NA", **properties}) == f"North Atlantic{wind}"


def test_time_is_the_first_filled_and_a_start_is_an_interval() -> None:
    moments = {"a": "2020-01-01", "b": "2020-02-02", "c": "2020-03-03"}
    a, b, c = (TimeColumn(name, "date", "2019-01-01", "2021-01-01") for name in moments)
    for times, when in (
        ((a, b, c), "1 Jan – 3 Mar 2020"),
        # the start or the end of the first is unknown: the next one has a single moment
        ((replace(a, start=None, end=None), b, c), "2 Feb 2020"),
        ((replace(a, end=None), b, c), "2 Feb 2020"),
        ((replace(a, start=None), b, c), "2 Feb 2020"),
        ((replace(a, start=None), replace(b, end=None), replace(c, end=None)), "1 Jan – 3 Mar 2020"),
    ):
        collection = Collection("s.t", "s", "t", 1, "table", "s", None, (), times=times, time_end="c")
        assert feature_name(collection, 1, moments) == f"s, {when}"


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["ID", "NAME_EN", "station_name", "Name", "place"], ["place", "Name", "NAME_EN", "station_name"]),
        # columns with exactly these names are first, in this order, and once
        (["place", "name", "title"], ["title", "name", "place"]),
        (["label", "TITLE", "bezeichnung"], ["label", "TITLE", "bezeichnung"]),
        (["nom", "nombre", "nome", "naam", "namn", "nazwa"], ["nom", "nombre", "nome", "naam", "namn", "nazwa"]),
        (["a_name", "name_a", "label"], ["label", "a_name", "name_a"]),
        # in any case of letters, and over a line's end
        (["Station_Name", "a\nb_name"], ["Station_Name", "a\nb_name"]),
        # parts of words, and letters that only look the same
        (["names", "surname", "names_of", "labelled", "_name_x", "ſtation_titlE", "name\n"], []),
        (["NAME_", "ﬁrst_NAME"], ["NAME_", "ﬁrst_NAME"]),
        (["StopName", "schulname", "filename", "rename", "nom_rue"], ["nom_rue", "StopName", "schulname"]),
        ([], []),
    ],
)
def test_columns_that_may_name_a_feature_are_known_by_their_names(names: list[str], found: list[str]) -> None:
    assert name_columns(iter(names)) == found
