"""What the document of facets says of each of them beside what was counted."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from services.features.aggregation import facet, facet_counts, spread
from tests.services.in_process import Client

EVENTS = "/collections/hostile.events/facets"
_HISTOGRAM = {"type": "histogram", "sortedBy": "value"}
_TERM = {"type": "term", "property": "category", "sortedBy": "count", "minOccurs": 1}


@pytest.mark.parametrize(
    ("token", "definition"),
    [
        ("category", _TERM),
        ("category:5:count_asc", {**_TERM, "sortOrder": "ascending"}),
        ("category:5:value_asc", {**_TERM, "sortedBy": "value", "sortOrder": "ascending"}),
        ("category:5:value_desc", {**_TERM, "sortedBy": "value"}),
        ("magnitude", {**_HISTOGRAM, "property": "magnitude", "bucketType": "fixedBucketCount"}),
        ("magnitude:3", {**_HISTOGRAM, "property": "magnitude", "bucketType": "fixedBucketCount"}),
        ("magnitude:width:2", {**_HISTOGRAM, "property": "magnitude", "bucketType": "fixedInterval"}),
        ("magnitude:quantile:3", {**_HISTOGRAM, "property": "magnitude", "bucketType": "quantiles"}),
        ("magnitude:edges:1/2", {**_HISTOGRAM, "property": "magnitude", "bucketType": "edges"}),
        ("at", {**_HISTOGRAM, "property": "at", "bucketType": "fixedInterval", "interval": "week"}),
        ("at:year", {**_HISTOGRAM, "property": "at", "bucketType": "fixedInterval", "interval": "year"}),
        ("at:3", {**_HISTOGRAM, "property": "at", "bucketType": "fixedBucketCount"}),
        ("at:quantile:3", {**_HISTOGRAM, "property": "at", "bucketType": "quantiles"}),
        ("at:edges:2020-02-01/2020-03-01", {**_HISTOGRAM, "property": "at", "bucketType": "edges"}),
        ("geom:grid", {"type": "grid", "property": "geom", "cell": "grid", "cellSize": 10.0}),
        ("geom:grid:5", {"type": "grid", "property": "geom", "cell": "grid", "cellSize": 5.0}),
        ("geom:hexagon", {"type": "grid", "property": "geom", "cell": "hexagon", "cellSize": 10.0}),
        ("geom::90", {"type": "grid", "property": "geom", "cell": "grid", "cellSize": 90.0}),
        ("geom:hexagon:0.001", {"type": "grid", "property": "geom", "cell": "hexagon", "cellSize": 0.001}),
    ],
)
async def test_each_way_to_count_is_told(features: Client, token: str, definition: dict[str, Any]) -> None:
    (facet,) = (await features.json(EVENTS, facets=token))["facets"].values()
    assert {name: facet[name] for name in facet.keys() - {"buckets", "more", "nulls", "other"}} == definition
    assert ("other" in facet) is (definition["type"] == "term")


async def test_as_many_edges_and_facets_as_there_may_be(features: Client) -> None:
    edges = "magnitude:edges:" + "/".join(map(str, range(999)))
    facet = (await features.json(EVENTS, facets=edges))["facets"]["magnitude"]
    assert len(facet["buckets"]) == 1000
    ten = [f"id:{number}" for number in range(1, 11)]
    document = await features.json(EVENTS, facets=",".join(ten))
    # the first by the name of its property, the others by all that was asked for
    assert list(document["facets"]) == ["id", *ten[1:]]
    assert [len(facet["buckets"]) for facet in document["facets"].values()] == [*range(1, 11)]


@pytest.mark.parametrize(
    ("parameters", "offered"),
    [
        ({}, True),
        ({"facets": "geom"}, True),
        ({"facets": "geom:hexagon"}, True),
        # no one set of cells
        ({"facets": "category"}, False),
        ({"facets": "geom,geom:hexagon"}, False),
    ],
)
async def test_cells_are_offered_where_there_are_some(
    features: Client, parameters: dict[str, str], offered: bool
) -> None:
    document = await features.json(EVENTS, **parameters)
    types = [link["type"] for link in document["links"] if link["rel"] == "alternate"]
    assert ("application/geo+json" in types) is offered
    assert (await features.get(EVENTS, {**parameters, "f": "geojson"})).status == (200 if offered else 422)
    about = [link["href"] for link in document["links"] if link["rel"] == "collection"]
    assert about == [f"{features.base}/collections/hostile.events"]
    assert "facets" in parameters or document.get("numberMatched") is None


async def test_links_lead_to_a_collection_of_any_name(features: Client) -> None:
    address = f"/collections/{quote('hostile.émoji 🌋/table?x=1#y%41', safe='')}"
    links = (await features.json(f"{address}/facets", facets="id:3"))["links"]
    found = {link["rel"]: link["href"].partition("?")[0] for link in links}
    assert found == dict.fromkeys(("self", "alternate"), f"{features.base}{address}/facets") | {
        "collection": f"{features.base}{address}"
    }


async def test_cells_as_features_say_what_they_hold(features: Client) -> None:
    asked = {"facets": "geom:grid:45", "filter": "id < 100"}
    cells = await features.json(EVENTS, f="geojson", **asked)
    (facet,) = (await features.json(EVENTS, **asked))["facets"].values()
    assert (cells["id"], cells["numberReturned"]) == ("hostile.events", len(cells["features"]))
    assert [(cell["type"], cell["id"], cell["geometry"], cell["properties"]) for cell in cells["features"]] == [
        (
            "Feature",
            bucket["value"],
            bucket["geometry"],
            {"facet": "geom", "count": bucket["count"], "centre": bucket["centre"]},
        )
        for bucket in facet["buckets"]
    ]


@pytest.mark.parametrize(("size", "left"), [(1, 2), (2, 1), (3, 0)])
async def test_buckets_that_are_left_out_are_told_even_one(features: Client, size: int, left: int) -> None:
    (facet,) = (await features.json(EVENTS, facets=f"category:{size}"))["facets"].values()
    assert (len(facet["buckets"]), facet["other"]["buckets"], facet["more"]) == (size, left, left > 0)


async def test_as_many_cells_as_there_may_be_are_given_and_one_more_is_refused(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = len((await features.json(EVENTS, facets="geom:grid:7"))["facets"]["geom"]["buckets"])
    assert cells > 3
    # what was counted before is known; a filter that is always true makes it another selection
    asked = {"facets": "geom:grid:7", "filter": "id > -7"}
    monkeypatch.setattr(facet_counts, "MOST_CELLS", cells - 1)
    answer = await features.get(EVENTS, asked)
    (fault,) = answer.json()["detail"]
    assert (answer.status, fault["loc"], fault["input"], fault["type"]) == (
        422,
        ["query", "facets"],
        "geom",
        "too_many_buckets",
    )
    assert f"'geom' would have more than {cells - 1} buckets; ask for larger cells or a smaller bbox" in fault["msg"]
    monkeypatch.setattr(facet_counts, "MOST_CELLS", cells)
    assert len((await features.json(EVENTS, **asked))["facets"]["geom"]["buckets"]) == cells


def test_how_much_is_counted_and_shown() -> None:
    assert (facet.MOST_FACETS, facet.MOST_BUCKETS, facet.MOST_CELLS) == (10, 1000, 10_000)
    assert (facet.DEFAULT_BUCKETS, facet.DEFAULT_CELL, facet.LONGEST_TERM) == (10, 10.0, 1000)
    assert spread.MOST_COUNTED == 200_000
