"""The standard's predicates, and thousands of others, on databases with nothing but PostGIS, in several locales."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import asyncpg
import pytest

from tests.libs.cql.conftest import STANDARD, STANDARD_TABLES, Table, make_standard, standard_features
from tests.libs.cql.generated import Filters
from tests.libs.cql.plain_evaluation import matching
from tests.running_stack import Cluster

PREDICATES: list[dict[str, Any]] = json.loads((STANDARD / "predicates.json").read_text(encoding="utf-8"))
FEW, MANY = 50, 700
"""Numbers of rows of each table."""


@pytest.fixture(scope="module", params=["C", "C.UTF-8"])
async def plain(cluster: Cluster, request: pytest.FixtureRequest) -> AsyncIterator[dict[str, Table]]:
    """The standard's tables in a database of this `lc_ctype`."""
    admin = await asyncpg.connect(cluster.owner_url("postgres"))
    name = f"plain_{uuid4().hex}"
    await admin.execute(
        f"CREATE DATABASE {name} LC_COLLATE 'C' LC_CTYPE '{request.param}' ENCODING 'UTF8' TEMPLATE template0"
    )
    connection = await asyncpg.connect(cluster.owner_url(name))
    await connection.execute("CREATE EXTENSION postgis; SET timezone = 'UTC'")
    yield await make_standard(connection)
    await connection.close()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()


async def test_predicates_of_the_standard(plain: dict[str, Table]) -> None:
    wrong = [
        predicate["filter"]
        for predicate in PREDICATES
        if await plain[predicate["table"]].ids(predicate["filter"]) != predicate["ids"]
    ]
    assert wrong == []


async def _all_right(plain: dict[str, Table], number: int, seed: int) -> None:
    empty = 0
    for name in STANDARD_TABLES:
        features, filters = standard_features(name), Filters(name, seed)
        for text in [filters.filter() for _ in range(number)]:
            found = await plain[name].ids(text)
            assert found == matching(text, features), text
            empty += not found or len(found) == len(features)
    # most of them tell rows apart
    assert empty < number * len(STANDARD_TABLES) * 0.7


async def test_some_generated_filters(plain: dict[str, Table]) -> None:
    await _all_right(plain, FEW, seed=1)


@pytest.mark.slow
async def test_two_thousand_generated_filters(plain: dict[str, Table]) -> None:
    await _all_right(plain, MANY, seed=2)
