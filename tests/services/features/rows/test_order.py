"""Sorting and paging over every type of column, with and without a key."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.in_process import Client


async def pages(features: Client, collection: str, **parameters: str) -> list[dict[str, Any]]:
    """All features, page by page; fails where `next` links do not come to an end."""
    answer = await features.get(f"/collections/{collection}/items", parameters)
    found: list[dict[str, Any]] = []
    for _ in range(300):
        assert answer.status == 200, answer.body[:500]
        found += answer.json()["features"]
        following = answer.link("next")
        if following is None:
            return found
        answer = await features.get(following)
    raise AssertionError(f"there is no end: {[feature.get('id') for feature in found[:50]]}")


@pytest.mark.parametrize("key", ["varchar_key", "enum_key", "uuid_key", "numeric_key", "date_key", "text_key"])
async def test_keys_of_any_type_order_pages(features: Client, owner: asyncpg.Connection, key: str) -> None:
    count = await owner.fetchval(f"SELECT count(*) FROM hostile.{key}")  # noqa: S608
    found = await pages(features, f"hostile.{key}", limit="2")
    assert len(found) == len({feature["id"] for feature in found}) == count


@pytest.mark.parametrize("direction", ["", "-"])
async def test_every_property_sorts_or_is_refused_with_a_reason(features: Client, direction: str) -> None:
    schema = await features.json("/collections/hostile.types/queryables")
    for name in schema["properties"]:
        answer = await features.get("/collections/hostile.types/items", {"sortby": direction + name})
        if answer.status == 422:
            assert answer.json()["detail"][0]["loc"] == ["query", "sortby"], name
            continue
        found = await pages(features, "hostile.types", sortby=direction + name, limit="1")
        assert sorted(int(feature["id"]) for feature in found) == [-1, 3, 9007199254740993], name


@pytest.mark.parametrize("sortby", ["category,-magnitude", "-magnitude,category,-at"])
async def test_pages_of_several_directions_are_those_of_sql(
    features: Client, owner: asyncpg.Connection, sortby: str
) -> None:
    terms = [f"{name.lstrip('-')} {'DESC' if name[0] == '-' else 'ASC'} NULLS LAST" for name in sortby.split(",")]
    rows = await owner.fetch(f"SELECT id FROM hostile.events ORDER BY {', '.join(terms)}, id")  # noqa: S608 - our own
    found = await pages(features, "hostile.events", sortby=sortby, limit="20")
    assert [feature["id"] for feature in found] == [row["id"] for row in rows]


@pytest.mark.parametrize("sortby", ["category", "-category", "magnitude", "-magnitude,name"])
async def test_ties_of_a_view_without_a_key_are_not_lost(features: Client, sortby: str) -> None:
    found = await pages(features, "hostile.event_view", sortby=sortby, limit="10")
    assert sorted(feature["properties"]["id"] for feature in found) == list(range(1, 238))


@pytest.mark.parametrize("limit", ["10", "100"])
async def test_rows_that_are_alike_are_paged_there_and_back(
    features: Client, owner: asyncpg.Connection, limit: str
) -> None:
    await owner.execute(
        "CREATE VIEW hostile.alike AS SELECT category, nullif(category, 'low') AS other FROM hostile.events;"
        "CREATE VIEW hostile.alike_many AS SELECT id <= 125 AS early FROM hostile.events, generate_series(1, 40);"
        "GRANT SELECT ON hostile.alike, hostile.alike_many TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.alike_many/items"))
        rows = "SELECT category, count(*) FROM hostile.events GROUP BY 1"
        expected = dict(map(tuple, await owner.fetch(rows)))
        for parameters in ({}, {"sortby": "-category"}, {"sortby": "other"}):
            found = await pages(features, "hostile.alike", limit=limit, **parameters)
            assert Counter(feature["properties"]["category"] for feature in found) == expected
        # a page that is read piece by piece
        async with asyncio.timeout(30):
            many = (await features.json("/collections/hostile.alike_many/items", limit="9400"))["features"]
        counted = Counter(feature["properties"]["early"] for feature in many)
        assert sorted(counted.values()) in ([9400 - 40 * 125, 40 * 125], [40 * 112, 9400 - 40 * 112])
        # there is a way back wherever it leads to the same page
        answer = await features.get("/collections/hostile.alike/items", {"limit": limit, "sortby": "category"})
        for _ in range(2):
            assert answer.status == 200, answer.body
            before, answer = answer.json()["features"], await features.get(answer.link("next") or "")
            back = answer.link("prev")
            assert back is not None or limit == "10"
            assert back is None or (await features.json(back))["features"] == before
    finally:
        await owner.execute("DROP VIEW hostile.alike, hostile.alike_many")


@pytest.mark.parametrize("sortby", ["at", "-at", "day", "-day"])
async def test_times_beyond_the_calendar_page_once_and_are_null(
    features: Client, owner: asyncpg.Connection, sortby: str
) -> None:
    await owner.execute(
        "CREATE TABLE hostile.far_times (id integer PRIMARY KEY, at timestamptz, day date);"
        "INSERT INTO hostile.far_times SELECT n, at::timestamptz, at::date FROM unnest(ARRAY['infinity', 'infinity',"
        " 'infinity', '-infinity', '-infinity', '0044-03-15 BC', '12345-01-01', '2020-01-01', NULL])"
        " WITH ORDINALITY t (at, n);"
        "GRANT SELECT ON hostile.far_times TO hostile_reader"
    )
    try:
        await eventually(lambda: features.json("/collections/hostile.far_times/items"))
        found = await pages(features, "hostile.far_times", sortby=sortby, limit="2")
        assert sorted(feature["id"] for feature in found) == list(range(1, 10))
        values = {feature["id"]: feature["properties"] for feature in found}
        assert values[1]["at"] is None
        assert values[6]["day"] is None
        assert values[8]["day"] == "2020-01-01"
    finally:
        await owner.execute("DROP TABLE hostile.far_times")


async def test_an_id_has_one_spelling(features: Client) -> None:
    address = "/collections/hostile.events/items"
    assert [f["id"] for f in (await features.json(f"{address}?ids=1,2"))["features"]] == [1, 2]
    for other in ("01", "1.0", "%2B1", "1e0"):
        assert (await features.json(f"{address}?ids={other},2"))["numberMatched"] == 1, other
    assert (await features.get(f"{address}?ids=one")).status == 422
