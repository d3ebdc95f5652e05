"""`/facets` beside what plain SQL and the items count."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import asyncpg
import pytest

from libs.catalogue.model import Collection
from libs.selection.selection import select
from libs.web.query_params import QueryValues
from services.features.aggregation.edges import calendar_edges
from services.features.aggregation.facet import TermFacet
from services.features.resources import CATALOGUE, FACETS, FOLDING, VERSIONS
from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, Services

EVENTS = "/collections/hostile.events/facets"


async def _facet(features: Client, token: str, path: str = EVENTS, **parameters: str) -> dict[str, Any]:
    document = await features.json(path, facets=token, **parameters)
    (facet,) = document["facets"].values()
    counted = sum(bucket["count"] for bucket in facet["buckets"]) + facet.get("other", {}).get("count", 0)
    assert counted + facet["nulls"] == document["numberMatched"]
    return facet  # type: ignore[no-any-return]


async def _rows(features: Client, **parameters: str) -> list[dict[str, Any]]:
    items = await features.json("/collections/hostile.events/items", limit="1000", f="geojson", **parameters)
    return [{**row["properties"], "geometry": row["geometry"]} for row in items["features"]]


@pytest.mark.parametrize(
    "selection",
    [{}, {"bbox": "-100,-50,100,60"}, {"datetime": "2020-03-01/.."}, {"filter": "magnitude > 3"}, {"category": "low"}],
)
async def test_terms_are_those_of_the_items(features: Client, selection: dict[str, str]) -> None:
    expected = Counter(row["category"] for row in await _rows(features, **selection))
    facet = await _facet(features, "category", **selection)
    assert {bucket["value"]: bucket["count"] for bucket in facet["buckets"]} == expected
    counts = [bucket["count"] for bucket in facet["buckets"]]
    assert counts == sorted(counts, reverse=True)
    assert (facet["type"], facet["property"], facet["more"]) == ("term", "category", False)


async def test_terms_of_whole_numbers_are_numbers(features: Client) -> None:
    first = sorted(row["id"] for row in await _rows(features))[:3]
    facet = await _facet(features, "id:term:3:value_asc")
    assert [bucket["value"] for bucket in facet["buckets"]] == first
    assert all(isinstance(value, int) for value in first)


async def test_what_is_left_out_is_told(features: Client) -> None:
    expected = Counter(row["magnitude"] for row in await _rows(features))
    nulls = expected.pop(None)
    facet = await _facet(features, "magnitude:term:3:value_desc")
    assert [bucket["value"] for bucket in facet["buckets"]] == sorted(expected, reverse=True)[:3]
    left = sum(n for value, n in expected.items() if value not in sorted(expected, reverse=True)[:3])
    assert facet["other"] == {"buckets": len(expected) - 3, "count": left}
    assert (facet["more"], facet["nulls"]) == (True, nulls)
    few = await _facet(features, "magnitude:term:1000", **{"min-count": "6"})
    assert {bucket["value"] for bucket in few["buckets"]} == {value for value, n in expected.items() if n >= 6}
    assert (await _facet(features, "magnitude:term:1000", **{"min-count": "999"}))["buckets"] == []


@pytest.mark.parametrize(
    ("token", "edges"),
    [
        ("magnitude:4", [0.0, 1.95, 3.9, 5.85, 7.8]),
        ("magnitude:width:2.5", [0, 2.5, 5.0, 7.5, 10.0]),
        ("magnitude:edges:1/2/5", [None, 1, 2, 5, None]),
        ("id:edges:10.5/20", [None, 10.5, 20, None]),
    ],
)
async def test_ranges_of_numbers(features: Client, token: str, edges: list[float | None]) -> None:
    facet = await _facet(features, token)
    name = token.partition(":")[0]
    items = await features.json("/collections/hostile.events/items", limit="1000", f="geojson")
    values = [row["id"] if name == "id" else row["properties"][name] for row in items["features"]]
    buckets = facet["buckets"]
    assert [bucket.get("min") for bucket in buckets] == edges[:-1]
    assert [bucket.get("max") for bucket in buckets] == edges[1:]
    last = len(buckets) - 1
    for place, bucket in enumerate(buckets):
        low, high = bucket.get("min", -1e9), bucket.get("max", 1e9)
        inside = [v for v in values if v is not None and low <= v and (v < high or (place == last and v == high))]
        assert bucket["count"] == len(inside), bucket
    assert facet["nulls"] == values.count(None)


async def test_quantiles_hold_as_many_each(features: Client) -> None:
    facet = await _facet(features, "id:quantile:4")
    assert [bucket["count"] for bucket in facet["buckets"]] == [59, 59, 59, 60]
    # fewer values than parts
    assert len((await _facet(features, "magnitude:quantile:900"))["buckets"]) < 41
    moments = (await _facet(features, "at:quantile:900"))["buckets"]
    assert len(moments) == 236
    assert all(bucket["min"] < bucket["max"] for bucket in moments)


async def test_as_many_ranges_as_the_width_makes(features: Client) -> None:
    buckets = (await _facet(features, "id:width:1"))["buckets"]
    assert [bucket["min"] for bucket in buckets] == list(range(1, 238))


@pytest.mark.parametrize(
    "way", ["magnitude", "magnitude:quantile:4", "magnitude:width:2", "at", "at:month", "at:quantile:4"]
)
async def test_where_no_row_matches_there_are_no_ranges(features: Client, way: str) -> None:
    facet = await _facet(features, way, filter="id < 0")
    assert (facet["buckets"], facet["nulls"]) == ([], 0)


@pytest.mark.parametrize(("unit", "length"), [("year", 4), ("month", 7), ("day", 10)])
async def test_calendars_are_those_of_utc(features: Client, unit: str, length: int) -> None:
    facet = await _facet(features, f"at:{unit}")
    expected = Counter(row["at"][:length] for row in await _rows(features))
    assert {b["min"][:length]: b["count"] for b in facet["buckets"] if b["count"]} == expected
    assert all(a["max"] == b["min"] for a, b in zip(facet["buckets"], facet["buckets"][1:], strict=False))
    assert facet["interval"] == unit
    week = await _facet(features, "at:week")
    assert week["buckets"][0]["min"] == "2019-12-30T00:00:00Z"


async def test_times_that_no_format_has_are_counted_as_none(features: Client) -> None:
    path = "/collections/hostile.moments/facets"
    day = await _facet(features, "day:quarter", path, filter="day > DATE('1000-01-01') OR day IS NULL")
    assert sum(bucket["count"] for bucket in day["buckets"]) == 1
    every = await features.get(path, {"facets": "day:month"})
    assert every.status == 422
    assert "'day' would have more than 1000 buckets" in every.json()["detail"][0]["msg"]
    ends = await _facet(features, "seen:edges:0001-01-02/2000-01-01/2020-01-01/2020-01-02", path)
    # two times are infinite or before our era, one is of the year 10000, one is null; one is of the last day
    assert [bucket["count"] for bucket in ends["buckets"]] == [0, 0, 0, 1, 1]
    assert ends["nulls"] == 4


@pytest.mark.parametrize("cell", ["grid:30", "hexagon:15"])
async def test_places_lie_in_the_cells_of_postgis(features: Client, owner: asyncpg.Connection, cell: str) -> None:
    facet = await _facet(features, f"geom:{cell}")
    size = float(cell.partition(":")[2])
    if cell.startswith("grid"):
        cells = "SELECT i + 180 / $1::float8 AS i, j + 90 / $1 AS j, geom FROM ST_SquareGrid($1, $2)"
    else:
        cells = "SELECT i, j, geom FROM ST_HexagonGrid($1, $2)"
    rows = await owner.fetch(
        f"SELECT i::int || '/' || j::int, count(*) FROM ({cells}) AS cell JOIN hostile.events AS e"  # noqa: S608
        " ON ST_Intersects(cell.geom, e.geom) GROUP BY 1",
        size,
        "SRID=4326;POLYGON((-180 -90, 180 -90, 180 90, -180 90, -180 -90))",
    )
    expected = dict(map(tuple, rows))
    found = {bucket["value"]: bucket["count"] for bucket in facet["buckets"]}
    # a place on an edge is in one cell only
    assert found.keys() <= expected.keys()
    assert all(found[name] <= expected[name] for name in found)
    assert sum(found.values()) == 237
    inner = await owner.fetchval(
        "SELECT count(*) FROM hostile.events AS e JOIN ST_GeomFromGeoJSON($1) AS cell ON ST_Within(e.geom, cell)",
        json.dumps(facet["buckets"][10]["geometry"]),
    )
    assert 0 < inner <= facet["buckets"][10]["count"]


@pytest.mark.parametrize(
    "name", ["mixed_types", "planet", "srid_3857", "srid_2193", "geographies", "mixed_srids", "heavy"]
)
async def test_geometries_of_every_kind_have_one_place(features: Client, name: str) -> None:
    await _facet(features, "geom:grid:10", f"/collections/hostile.{name}/facets")


async def test_cells_are_features_for_those_who_draw(features: Client) -> None:
    cells = await features.json(EVENTS, facets="geom:hexagon:20", f="geojson")
    assert cells["type"] == "FeatureCollection"
    assert sum(cell["properties"]["count"] for cell in cells["features"]) == 237
    assert [cells["links"][0]["href"].count(part) for part in ("f=geojson", "f=")] == [1, 1]
    assert (await features.get(EVENTS, {"facets": "category", "f": "geojson"})).status == 422


@pytest.mark.parametrize(
    ("facets", "sentence", "kind"),
    [
        ("category:0", "must have a size of 1 to 1000", "value_error"),
        ("id:width:0.001", "would have more than 1000 buckets; ask for a greater width", "too_many_buckets"),
        ("at:second", "would have more than 1000 buckets; ask for a longer unit or a shorter time", "too_many_buckets"),
    ],
)
async def test_what_is_wrong_with_a_facet_is_said(features: Client, facets: str, sentence: str, kind: str) -> None:
    answer = await features.get(EVENTS, {"facets": facets})
    # what was read already is called by its name
    shown = facets.partition(":")[0] if kind == "too_many_buckets" else facets
    assert (answer.status, answer.json()) == (
        422,
        {
            "detail": [
                {"type": kind, "loc": ["query", "facets"], "msg": f"facets: '{shown}' {sentence}", "input": shown},
            ]
        },
    )


async def test_an_empty_word_is_no_facet(features: Client) -> None:
    for facets, found in (("", 6), ("category,", 1)):
        assert len((await features.json(EVENTS, facets=facets))["facets"]) == found


@pytest.mark.parametrize(("unit", "begin"), [("month", 12), ("quarter", 10), ("year", 1)])
def test_the_last_unit_ends_with_the_last_moment(unit: str, begin: int) -> None:
    last = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    edges = calendar_edges(unit, datetime(9999, 12, 5, tzinfo=UTC), last, most=1)
    assert edges == [datetime(9999, begin, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]


async def test_facets_are_counted_once_for_a_version(features: Client, owner: asyncpg.Connection) -> None:
    several = {"facets": "category,datetime:month,datetime:year,geom"}
    first = (await features.get(EVENTS, several)).json()
    assert list(first["facets"]) == ["category", "datetime", "datetime:year", "geom"]
    # without a unit, the one that suits is chosen, and told
    assert (await features.json(EVENTS, facets="datetime"))["facets"]["datetime"]["interval"] == "week"
    answer = await features.get(EVENTS, several)
    assert answer.json()["facets"] == first["facets"]
    again = await features.get(EVENTS, several, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status == 304
    await owner.execute("UPDATE hostile.events SET category = 'none' WHERE id = 1")
    try:

        async def renewed() -> None:
            found = await _facet(features, "category")
            assert "none" in {bucket["value"] for bucket in found["buckets"]}

        await eventually(renewed)
    finally:
        await owner.execute("UPDATE hostile.events SET category = 'middle' WHERE id = 1")


async def test_what_there_is_to_count_is_told_without_counting(features: Client) -> None:
    document = await features.json(EVENTS)
    assert document["id"] == "hostile.events"
    assert {name: facet["type"] for name, facet in document["facets"].items()} == {
        "datetime": "histogram",
        "name": "term",
        "magnitude": "histogram",
        "category": "term",
        "at": "histogram",
        "geom": "grid",
    }
    assert all("buckets" not in facet for facet in document["facets"].values())
    collection = await features.get(EVENTS, {"f": "facets"})
    assert collection.type == "application/facets+json"


@pytest.mark.parametrize(
    ("token", "least"), [("n", 5), ("n:term", 1e30), ("n:quantile:2", 5), ("n:edges:6/100000000000000000000", None)]
)
async def test_numbers_that_no_whole_number_of_json_holds_are_counted(
    features: Client, large_numbers: str, token: str, least: float | None
) -> None:
    facet = await _facet(features, token, large_numbers)
    first = facet["buckets"][0]
    assert first.get("value", first.get("min")) == least
    if least == 5:
        assert facet["buckets"][-1]["max"] == 1e30
    # one is beyond all numbers of JSON
    assert facet["nulls"] == 1
    page = await features.get(large_numbers, {"facets": token, "f": "html"})
    assert page.status == 200


@pytest.fixture(scope="module")
async def large_numbers(features: Client, hostile: HostileDatabase) -> AsyncIterator[str]:
    """A table of numbers, and of places, that not all can hold."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.large_numbers (id int PRIMARY KEY, n numeric, g geometry(Point, 4326), any_ geometry);"
        "INSERT INTO hostile.large_numbers VALUES"
        " (1, 1e30, ST_SetSRID(ST_MakePoint('NaN', 'NaN'), 4326), 'SRID=4326;POINT(1 2)'),"
        " (2, 1e30, NULL,"
        " ST_SetSRID(ST_MakeLine(ST_MakePoint(0, 0), ST_MakePoint('NaN', 1)), 4326)),"
        " (3, 5, ST_SetSRID(ST_MakePoint(1, 'NaN'), 4326), ST_SetSRID(ST_MakePoint('NaN', 'NaN'), 4326)),"
        " (4, 1e400, 'SRID=4326;POINT(1 2)', 'SRID=4326;POINT EMPTY');"
        "GRANT SELECT ON hostile.large_numbers TO hostile_reader"
    )
    await eventually(lambda: features.json("/collections/hostile.large_numbers/queryables"))
    yield "/collections/hostile.large_numbers/facets"
    await owner.execute("DROP TABLE hostile.large_numbers")
    await owner.close()


@pytest.fixture(scope="module")
async def long_terms(features: Client, hostile: HostileDatabase) -> AsyncIterator[str]:
    """A table of 1,000 long texts that differ in their ends alone, and twice a short one."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.long_terms AS SELECT n AS id, CASE WHEN n > 1000 THEN 'short'"
        " ELSE repeat('ä', 5000) || n END AS word FROM generate_series(1, 1002) AS n;"
        "GRANT SELECT ON hostile.long_terms TO hostile_reader; SELECT dams.watch('hostile.long_terms')"
    )
    await eventually(lambda: features.json("/collections/hostile.long_terms/queryables"))
    yield "/collections/hostile.long_terms/facets"
    await owner.execute("DROP TABLE hostile.long_terms")
    await owner.close()


async def test_long_texts_are_cut_where_they_are_shown_and_counted_whole(features: Client, long_terms: str) -> None:
    facet = await _facet(features, "word:3", long_terms)
    assert (
        facet["buckets"] == [{"value": "short", "count": 2}] + [{"value": "ä" * 1000, "valueCut": True, "count": 1}] * 2
    )
    assert facet["other"] == {"buckets": 998, "count": 998}
    page = (await features.get(long_terms, {"facets": "word", "f": "html"})).body.decode()
    assert ("word=short" in page, "word=%C3%A4" in page, f">{'ä' * 1000}…<" in page) == (True, False, True)


async def test_long_texts_leave_the_cache_earlier(running: Services, features: Client, long_terms: str) -> None:
    app = running.apps["features"]

    async def known() -> Collection:
        collection = app[CATALOGUE].collection("hostile.long_terms")
        assert app[VERSIONS].version(collection) is not None
        return collection

    collection = await eventually(known)
    facet = TermFacet("word", collection.columns[-1], size=1000)
    # as many that each takes the place of several thousand short ones
    selections = [
        select(collection, QueryValues(defaultdict(lambda: None, filter=f"id <> {n}")), folding=app[FOLDING].current)
        for n in range(60)
    ]
    counted = [(await app[FACETS].count(selection, [facet]))[0][0] for selection in selections]
    assert (await app[FACETS].count(selections[-1], [facet]))[0][0] is counted[-1]
    assert (await app[FACETS].count(selections[0], [facet]))[0][0] is not counted[0]


@pytest.mark.parametrize("token", ["g:grid:10", "any_:hexagon:10"])
async def test_places_that_are_nowhere_are_counted_as_none(features: Client, large_numbers: str, token: str) -> None:
    facet = await _facet(features, token, large_numbers)
    assert ([bucket["count"] for bucket in facet["buckets"]], facet["nulls"]) == ([1], 3)


async def test_every_type_of_column_that_is_offered_is_counted(features: Client) -> None:
    path = "/collections/hostile.types/facets"
    for name in (await features.json(path))["facets"]:
        await _facet(features, name, path)


async def test_the_page_shows_bars_and_leads_to_the_features(features: Client) -> None:
    page = (await features.get(EVENTS, headers={"Accept": "text/html"})).body.decode()
    assert "237 features" in page
    assert "category=low" in page
    assert "<rect" in page
    assert "<polygon" in page
