"""Walking all pages gives what an export gives, also where each page is read from a process without memory of it."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path

import asyncpg
import duckdb
import pyogrio
import pytest

from tests.eventually import eventually
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Answer, Client, services

PATH = "/collections/hostile.paged"
LIMIT = 12
PROCESSES = 6
_case = itertools.count()

FAILING = "S_INTERSECTS(odd, POLYGON((-5 40, 10 40, 10 50, -5 50, -5 40)))"
"""PROJ cannot place two of the rows."""
LONG = " AND ".join(f"NOT (name = 'no such name {n}')" for n in range(300))
FILTERS = {
    "none": {},
    "short": {"filter": "id > 3"},
    "long": {"filter": f"id > 3 AND {LONG}"},
    "failing": {"filter": FAILING},
    "long and failing": {"filter": f"{FAILING} AND {LONG}"},
    "json": {"filter-lang": "cql2-json", "filter": json.dumps({"op": ">", "args": [{"property": "id"}, 3]})},
    "ids": {"ids": ",".join(map(str, range(2, 39)))},
    "long ids": {"ids": ",".join(map(str, range(2, 3000)))},
    "bbox": {"bbox": "-180,-90,180,90"},
    "bbox and long": {"bbox": "-180,-90,180,90", "filter": LONG},
    "datetime": {"datetime": "2026-01-03T00:00:00Z/.."},
    "property": {"kind": "b"},
    "property and long": {"kind": "b", "filter": LONG},
}
SORTS = ("", "-id", "kind", "-kind,name", "at", "-at")
FORMATS = ("geojson", "geojsonseq", "json", "ndjson", "csv", "fgb", "gpkg", "parquet")


@pytest.fixture(scope="module")
async def processes(hostile: HostileDatabase) -> AsyncIterator[list[Client]]:
    """Features services that share nothing but the database; page n of a walk is read from the nth."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE TABLE hostile.paged AS SELECT n AS id, 'name ' || n % 7 AS name, chr(97 + n % 2) AS kind,"
        " CASE WHEN n % 5 > 0 THEN timestamptz '2026-01-01Z' + n * interval '1 hour' * (n % 9) END AS at,"
        " ST_SetSRID(ST_MakePoint(n, n), 4326)::geometry(Point, 4326) AS geom,"
        # with an unknown SRID among the rows, the service cannot learn theirs, and transforms each
        " CASE WHEN n IN (5, 30) THEN 'SRID=3035;POINT(1e9 1e9)' WHEN n = 40 THEN 'SRID=990001;POINT(0 0)'"
        " ELSE ST_Transform(ST_Point(n / 10.0, 45, 4326), 3035) END AS odd FROM generate_series(1, 48) AS n;"
        "ALTER TABLE hostile.paged ADD PRIMARY KEY (id); GRANT SELECT ON hostile.paged TO hostile_reader"
    )
    async with services() as started:
        await started.start("common", hostile.env())
        clients = [await started.start("features", hostile.env()) for _ in range(PROCESSES)]
        for client in clients:
            await eventually(partial(client.json, f"{PATH}/queryables"))
        yield clients
    await owner.execute("DROP TABLE hostile.paged")
    await owner.close()


def _of_gdal(answer: Answer, folder: Path, form: str) -> list[str]:
    file = folder / f"page-{next(_case)}.{form}"
    file.write_bytes(answer.body)
    meta, _, _, columns = pyogrio.raw.read(file)
    return [str(id_) for id_ in dict(zip(meta["fields"], columns, strict=True))["id"]]


def _of_parquet(answer: Answer, folder: Path) -> list[str]:
    file = folder / f"page-{next(_case)}.parquet"
    file.write_bytes(answer.body)
    return [str(id_) for (id_,) in duckdb.execute(f"SELECT id FROM read_parquet('{file}')").fetchall()]  # noqa: S608


READ: dict[str, Callable[[Answer, Path], list[str]]] = {
    "geojson": lambda answer, _: [str(feature["id"]) for feature in answer.json()["features"]],
    "geojsonseq": lambda answer, _: [str(json.loads(line.strip(b"\x1e"))["id"]) for line in answer.body.splitlines()],
    "json": lambda answer, _: [str(row["itemId"]) for row in answer.json()],
    "ndjson": lambda answer, _: [str(json.loads(line)["itemId"]) for line in answer.body.splitlines()],
    "csv": lambda answer, _: [line.split(",")[1] for line in answer.body.decode().splitlines()[1:]],
    # a spatial index has a different order
    "fgb": lambda answer, folder: sorted(_of_gdal(answer, folder, "fgb")),
    "gpkg": lambda answer, folder: _of_gdal(answer, folder, "gpkg"),
    "parquet": _of_parquet,
}


def _next(answer: Answer) -> str | None:
    found = re.search(r'<([^>]*)>; rel="next"', answer.headers.get("Link", ""))
    return found[1][found[1].index("/collections/") :] if found else None


async def walked(clients: list[Client], parameters: dict[str, str], read: Callable[[Answer], list[str]]) -> list[str]:
    """The ids of all pages, each from a process that has seen nothing of the walk."""
    ids: list[str] = []
    answer = await clients[0].get(f"{PATH}/items", {**parameters, "limit": str(LIMIT)})
    for client in clients[1:]:
        assert answer.status == 200, answer.body[:500]
        ids += read(answer)
        address = _next(answer)
        if address is None:
            return ids
        answer = await client.get(address)
    raise AssertionError("more pages than there are rows")


async def assert_same(clients: list[Client], form: str, parameters: dict[str, str], folder: Path) -> None:
    # no process has memory of a filter that it has not seen
    number = next(_case)
    if parameters.get("filter-lang") != "cql2-json":
        own = f"id <> -{number}"
        parameters = {**parameters, "filter": f"{parameters['filter']} AND {own}" if "filter" in parameters else own}
    if FAILING in parameters.get("filter", ""):
        # of a process that the walk does not reach
        seen = await clients[-1].get(f"{PATH}/items", {**parameters, "limit": "100"})
        assert seen.status == 200, seen.body[:500]
        assert seen.headers["DAMS-Features-Omitted"] == "2"
    export = await clients[-1].get(f"{PATH}/export", {**parameters, "f": form})
    assert export.status == 200, export.body[:500]
    expected = READ[form](export, folder)
    found = await walked(clients, {**parameters, "f": form}, lambda answer: READ[form](answer, folder))
    assert len(expected) > LIMIT
    assert (sorted(found) if form == "fgb" else found) == expected


@pytest.mark.parametrize("sortby", SORTS)
@pytest.mark.parametrize("kind", FILTERS)
async def test_pages_of_each_filter_and_order_equal_the_export(
    processes: list[Client], tmp_path: Path, kind: str, sortby: str
) -> None:
    order = {"sortby": sortby} if sortby else {}
    await assert_same(processes, "geojson", {**FILTERS[kind], **order}, tmp_path)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", ["none", "long and failing", "long ids", "property and long"])
async def test_pages_of_each_format_equal_the_export(
    processes: list[Client], tmp_path: Path, form: str, kind: str
) -> None:
    await assert_same(processes, form, {**FILTERS[kind], "sortby": "-kind"}, tmp_path)


async def test_failing_rows_are_left_out_while_the_table_changes(
    processes: list[Client], hostile: HostileDatabase
) -> None:
    async def change() -> None:
        owner = await asyncpg.connect(hostile.owner_url)
        try:
            while True:
                await owner.execute("UPDATE hostile.paged SET name = name WHERE id = 1")
                await asyncio.sleep(0.005)
        finally:
            await owner.close()

    changes = asyncio.create_task(change())
    try:
        for number in range(20):
            asked = {"filter": f"{FAILING} AND id <> -{1000 + number}", "limit": "100"}
            # several requests search for the same rows
            answers = await asyncio.gather(*(processes[0].get(f"{PATH}/items", asked) for _ in range(3)))
            assert [answer.headers.get("DAMS-Features-Omitted") for answer in answers] == ["2"] * 3
    finally:
        changes.cancel()
        await asyncio.wait([changes])
