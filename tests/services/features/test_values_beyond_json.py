"""NaN, infinity and numbers beyond the doubles: the value that is shown is the one that is filtered and sorted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client

VALUES = {1: 4.5, 2: "NaN", 3: 6.0, 4: None, 5: "Infinity", 6: "-Infinity", 7: 5.0}
SHOWN = {key: value if isinstance(value, float) else None for key, value in VALUES.items()}
NULLS = {key for key, value in SHOWN.items() if value is None}
TYPES = ["float8", "real", "numeric"]


@pytest.fixture(scope="module")
async def tables(running: object, hostile: HostileDatabase) -> AsyncIterator[dict[str, str]]:
    owner = await asyncpg.connect(hostile.owner_url)
    names = {kind: f"hostile.beyond_{kind}" for kind in ("bare", "indexed")}
    for name in names.values():
        await _fill(owner, name, indexed=name == names["indexed"])
    yield names
    await owner.execute(f"DROP TABLE {', '.join(names.values())}")
    await owner.close()


@pytest.fixture(params=["bare", "indexed"])
def table(tables: dict[str, str], request: pytest.FixtureRequest) -> str:
    return tables[request.param]


async def _fill(owner: asyncpg.Connection, name: str, *, indexed: bool) -> None:
    columns = ", ".join(f"a_{kind} {kind}" for kind in TYPES)
    await owner.execute(f"CREATE TABLE {name} (id integer PRIMARY KEY, huge numeric, {columns})")
    for key, value in VALUES.items():
        text = None if value is None else str(value)
        await owner.execute(
            f"INSERT INTO {name} SELECT $1, CASE WHEN $1 = 3 THEN 1e400 ELSE $1 END,"
            f" {', '.join(f'$2::text::{kind}' for kind in TYPES)}",
            key,
            text,
        )
    if indexed:
        for column in ("huge", *(f"a_{kind}" for kind in TYPES)):
            await owner.execute(f"CREATE INDEX ON {name} ({column})")
    await owner.execute(f"GRANT SELECT ON {name} TO hostile_reader")


async def found(features: Client, table: str, **parameters: str) -> list[dict[str, Any]]:
    page = await eventually(lambda: features.json(f"/collections/{table}/items", limit="50", **parameters))
    return [{"id": feature["id"], **feature["properties"]} for feature in page["features"]]


def _known(condition: Any) -> set[int]:
    return {key for key, value in SHOWN.items() if value is not None and condition(value)}


@pytest.mark.parametrize("kind", TYPES)
async def test_filters_see_the_values_that_are_shown(features: Client, table: str, kind: str) -> None:
    name = f"a_{kind}"
    assert {row["id"]: row[name] for row in await found(features, table)} == SHOWN
    expected = {
        f"{name} > 5": _known(lambda value: value > 5),
        f"{name} >= 5": _known(lambda value: value >= 5),
        f"{name} < 5": _known(lambda value: value < 5),
        f"{name} <= 4.5": {1},
        f"{name} <> 4.5": _known(lambda value: value != 4.5),
        f"{name} = 6": {3},
        f"NOT ({name} > 5)": {1, 7},
        f"NOT ({name} < 5)": {3, 7},
        f"NOT ({name} = 6)": {1, 7},
        f"NOT ({name} > 5 AND id < 100)": {1, 7},
        f"NOT ({name} > 5 OR id > 100)": {1, 7},
        f"NOT (NOT ({name} > 5))": {3},
        f"{name} BETWEEN 4 AND 5": {1, 7},
        f"{name} NOT BETWEEN 4 AND 5": {3},
        f"{name} IN (4.5, 5)": {1, 7},
        f"{name} NOT IN (4.5, 5)": {3},
        f"{name} IS NULL": NULLS,
        f"{name} IS NOT NULL": SHOWN.keys() - NULLS,
        f"{name} + 1 > 6": {3},
        f"{name} < a_float8 + 1": SHOWN.keys() - NULLS,
        f"5 < {name}": {3},
    }
    for filter_, ids in expected.items():
        assert {row["id"] for row in await found(features, table, filter=filter_)} == ids, filter_
    assert {row["id"] for row in await found(features, table, **{name: "6"})} == {3}


async def test_a_numeric_beyond_the_doubles_is_null_everywhere(features: Client, table: str) -> None:
    assert [row["huge"] for row in await found(features, table, filter="id = 3")] == [None]
    for filter_, ids in {"huge > 5": {6, 7}, "huge IS NULL": {3}, "NOT (huge < 6)": {6, 7}}.items():
        assert {row["id"] for row in await found(features, table, filter=filter_)} == ids, filter_


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("sign", ["", "-"])
async def test_what_is_shown_as_null_is_last(features: Client, tables: dict[str, str], kind: str, sign: str) -> None:
    """Of a column without an index; another is sorted as the index is."""
    table = tables["bare"]
    order = f"{sign}a_{kind},id"
    rows = await found(features, table, sortby=order)
    known = sorted(SHOWN.keys() - NULLS, key=lambda key: float(str(SHOWN[key])), reverse=bool(sign))
    assert [row["id"] for row in rows] == [*known, *sorted(NULLS)]
    # page by page, too
    ids, address = [], f"/collections/{table}/items?sortby={order}&limit=2&f=geojson"
    while address:
        page = (await features.get(address)).json()
        ids += [feature["id"] for feature in page["features"]]
        following = [link["href"] for link in page["links"] if link["rel"] == "next"]
        address = following[0].removeprefix(features.base) if following else ""
    assert ids == [*known, *sorted(NULLS)]
    exported = await features.get(f"/collections/{table}/export", {"f": "csv", "sortby": order, "properties": ""})
    assert [int(line.split(",")[1]) for line in exported.body.decode().split()[1:]] == ids


@pytest.mark.parametrize("kind", TYPES)
async def test_facets_count_what_is_shown(features: Client, table: str, kind: str) -> None:
    await found(features, table)
    document = await features.json(f"/collections/{table}/facets", facets=f"a_{kind}:3")
    facet = document["facets"][f"a_{kind}"]
    assert (sum(bucket["count"] for bucket in facet["buckets"]), facet["nulls"]) == (3, 4)
