"""The parts of the facets document that describe each facet, besides the counts."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest

from services.features.aggregation import facet, facet_counts, spread
from services.features.rows.value_ranges import ValueRanges
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
    # the first by the name of its property, the others by the whole requested text
    assert list(document["facets"]) == ["id", *ten[1:]]
    assert [len(facet["buckets"]) for facet in document["facets"].values()] == [*range(1, 11)]


@pytest.mark.parametrize(
    ("parameters", "offered"),
    [
        ({}, True),
        ({"facets": "geom"}, True),
        ({"facets": "geom:hexagon"}, True),
        # these have no single set of cells
        ({"facets": "category"}, False),
        ({"facets": "geom,geom:hexagon"}, False),
    ],
)
async def test_cells_are_offered_where_there_are_some(
    features: Client, parameters: dict[str, str], offered: bool
) -> None:
    document = await features.json(EVENTS, **parameters)
    types = [link.get("type") for link in document["links"] if link["rel"] == "alternate"]
    assert ("application/geo+json" in types) is offered
    assert (await features.get(EVENTS, {**parameters, "f": "geojson"})).status == (200 if offered else 422)
    about = [link["href"] for link in document["links"] if link["rel"] == "collection"]
    assert about == [f"{features.base}/collections/hostile.events"]
    assert "facets" in parameters or document.get("numberMatched") is None
    asked = "&".join(f"{name}={quote(text)}" for name, text in parameters.items())
    own = [link["href"] for link in document["links"] if link["rel"] == "self"]
    assert own == [f"{features.base}{EVENTS}?{asked}{'&' if asked else ''}f=json"]


async def test_links_lead_to_a_collection_of_any_name(features: Client) -> None:
    address = f"/collections/{quote('hostile.émoji 🌋/table?x=1#y%41', safe='')}"
    links = (await features.json(f"{address}/facets", facets="id:3"))["links"]
    found = {link["rel"]: link["href"].partition("?")[0] for link in links}
    assert found == dict.fromkeys(("self", "alternate", "related"), f"{features.base}{address}/facets") | {
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


async def test_the_document_is_this(features: Client) -> None:
    query = "facets=category%2Cmagnitude%3A2&filter=id%3C5"
    about = f"{features.base}/collections/hostile.events"
    answer = await features.get(f"{EVENTS}?{query}")
    assert answer.type == "application/json"
    assert answer.json() == {
        "id": "hostile.events",
        "title": "Events",
        "defaultBucketCount": 10,
        "numberMatched": 4,
        "facets": {
            "category": {
                **_TERM,
                "buckets": [
                    {"value": "middle", "count": 2},
                    {"value": "high", "count": 1},
                    {"value": "low", "count": 1},
                ],
                "more": False,
                "nulls": 0,
                "other": {"buckets": 0, "count": 0},
            },
            "magnitude": {
                **_HISTOGRAM,
                "property": "magnitude",
                "bucketType": "fixedBucketCount",
                "buckets": [{"min": 0.2, "max": 0.5, "count": 2}, {"min": 0.5, "max": 0.8, "count": 2}],
                "more": False,
                "nulls": 0,
            },
        },
        "links": [
            *(
                {
                    "href": f"{about}/facets?{query}&f={name}",
                    "rel": rel,
                    **media_type,
                    "title": f"This document as {name}",
                }
                for name, rel, media_type in (
                    ("json", "self", {"type": "application/json"}),
                    ("html", "alternate", {"type": "text/html"}),
                    ("facets", "related", {}),
                )
            ),
            {"href": about, "rel": "collection", "type": "application/json", "title": "The collection"},
        ],
    }


async def test_without_a_facet_cells_are_of_the_first_geometry(features: Client) -> None:
    cells = await features.json(EVENTS, f="geojson", filter="id < 5")
    assert list(cells) == ["type", "id", "title", "numberReturned", "links", "features"]
    assert (cells["type"], cells["id"], cells["title"]) == ("FeatureCollection", "hostile.events", "Events")
    assert cells["numberReturned"] == len(cells["features"]) == 4
    assert cells["features"][0] == {
        "type": "Feature",
        "id": "3/5",
        "geometry": {
            "type": "Polygon",
            "coordinates": [[[-150, -40], [-140, -40], [-140, -30], [-150, -30], [-150, -40]]],
        },
        "properties": {"facet": "geom", "count": 1, "centre": [-145, -35]},
    }
    assert [(link["rel"], link.get("type")) for link in cells["links"]] == [
        ("self", "application/geo+json"),
        ("alternate", "application/json"),
        ("alternate", "text/html"),
        ("related", None),
        ("collection", "application/json"),
    ]
    # another one needs an explicit request
    two = await features.json("/collections/hostile.several/facets", f="geojson")
    assert {cell["properties"]["facet"] for cell in two["features"]} == {"place"}
    none = await features.json("/collections/hostile.no_geometry/facets", f="geojson")
    assert (none["numberReturned"], none["features"]) == (0, [])


async def test_the_page_leads_on_with_its_filter_alone(features: Client) -> None:
    answer = await features.get(EVENTS, {"facets": "category", "filter": "id<5", "min-count": "2", "f": "html"})
    page = answer.body.decode().replace("&amp;", "&")
    about = f"{features.base}/collections/hostile.events"
    assert f'href="{about}/items?filter=id%3C5&f=html">These features</a>' in page
    names = ("datetime", "name", "magnitude", "category", "at", "geom")
    assert re.findall(r'<li><a href="([^"]*/facets[^"]*)">(\w+)</a>', page) == [
        (f"{about}/facets?filter=id%3C5&facets={name}&f=html", name) for name in names
    ]
    assert f"{about}/facets?facets=category&filter=id%3C5&min-count=2&f=json" in page
    assert f"{about}/facets?filter=id%3C5&facets=category&min-count=2&f=json&#39;" in page
    ways = await features.get(EVENTS, {"facets": "magnitude:2,at:edges:2020-03-01/2020-04-01", "f": "html"})
    # by the same ranges
    curl = f"{about}/facets?facets=magnitude:2,at:edges:2020-03-01/2020-04-01&f=json&#39;"
    assert curl in ways.body.decode().replace("&amp;", "&")
    assert (">middle</a>" in page, ">low</a>" in page) == (True, False)
    # others than those of the page are offered, but no cells where there are none
    offered = re.findall(r'<a href="[^"]*f=(\w+)" type=', page)
    assert offered == ["json", "facets"]
    plain = (await features.get(EVENTS, {"f": "html"})).body.decode()
    assert "geojson" in re.findall(r'<a href="[^"]*f=(\w+)" type=', plain)
    assert f'href="{about}/items?f=html">Browse and filter</a>' in plain
    named = (await features.get(EVENTS, {"facets": ",", "f": "html"})).body.decode()
    assert ['<section class="facet">' in each for each in (plain, named)] == [True, False]
    # by the round numbers of the page's own ranges
    assert f"{about}/facets?facets=datetime,category,magnitude:width:0.5,geom&amp;f=json&#39;" in plain


async def test_a_page_that_knows_no_ranges_yet_has_no_tag_to_go_on_with(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_for = 0

    async def too_late(*_: object) -> None:
        nonlocal looked_for
        looked_for += 1

    with monkeypatch.context() as patched:
        patched.setattr(ValueRanges, "recent", too_late)
        early = await features.get(EVENTS, {"f": "html"})
        # a request that says what to count needs none, nor does a program
        asked = [await features.get(EVENTS, each) for each in ({"facets": "category"}, {"f": "json"})]
    assert looked_for == 1
    assert (early.status, "Facets of Events" in early.body.decode()) == (200, True)
    # by ranges that the database chooses
    assert "/facets?facets=datetime,magnitude,geom&amp;f=json&#39;" in early.body.decode()
    assert not {"ETag", "Last-Modified"} & early.headers.keys()
    assert all("ETag" in answer.headers for answer in asked)


@pytest.mark.parametrize(("size", "left"), [(1, 2), (2, 1), (3, 0)])
async def test_buckets_that_are_left_out_are_told_even_one(features: Client, size: int, left: int) -> None:
    (facet,) = (await features.json(EVENTS, facets=f"category:{size}"))["facets"].values()
    assert (len(facet["buckets"]), facet["other"]["buckets"], facet["more"]) == (size, left, left > 0)


async def test_as_many_cells_as_there_may_be_are_given_and_one_more_is_refused(
    features: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = len((await features.json(EVENTS, facets="geom:grid:7"))["facets"]["geom"]["buckets"])
    assert cells > 3
    # earlier counts are remembered; a filter that is always true makes it another selection
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
