"""Whole collections as one file: complete, of one moment, resumable, bounded, and cancelled when no client reads."""

from __future__ import annotations

import asyncio
import csv
import json
import resource
from collections import defaultdict
from collections.abc import AsyncIterator
from io import StringIO
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from deploy.database.apply import apply_schema
from libs.web.query_params import QueryValues
from services.features import export as export_handler
from services.features.exporting.wanted import Wanted
from services.features.formats.format import PageLinks
from services.features.formats.registry import EXPORT_FORMATS
from services.features.request.items_query import parse_items
from services.features.resources import CATALOGUE, EXPORTS
from tests.eventually import eventually
from tests.services.in_process import Client, Services, services

EVENTS = "/collections/hostile.events"
MANY = "/collections/hostile.many"


def ids(format_: str, body: bytes) -> list[Any]:
    """Return what identifies each feature, in any text format."""
    if format_ == "csv":
        return [int(line["itemId"]) for line in csv.DictReader(StringIO(body.decode()))]
    if format_ == "geojson":
        return [feature["id"] for feature in json.loads(body)["features"]]
    if format_ == "json":
        return [row["itemId"] for row in json.loads(body)]
    lines = [json.loads(line.strip(b"\x1e")) for line in body.splitlines()]
    return [line.get("itemId", line.get("id")) for line in lines]


@pytest.mark.parametrize("format_", ["geojson", "geojsonseq", "json", "ndjson", "csv"])
async def test_all_features_come_at_once(features: Client, format_: str) -> None:
    expected = (await features.json(f"{MANY}/items", limit="0"))["numberMatched"]
    answer = await features.get(f"{MANY}/export", {"f": format_})
    assert answer.status == 200
    found = ids(format_, answer.body)
    assert len(found) == len(set(found)) == expected > 2500
    # the same features as a page has, byte for byte
    few = await features.get(f"{EVENTS}/export", {"f": format_, "ids": "3,5", "sortby": "-id", "properties": "name"})
    page = await features.get(f"{EVENTS}/items", {"f": format_, "ids": "3,5", "sortby": "-id", "properties": "name"})
    if format_ == "geojson":
        assert few.json()["features"] == page.json()["features"]
        assert (few.json()["numberReturned"], few.link("self")) == (2, few.json()["links"][0]["href"])
    else:
        assert few.body == page.body


async def test_filters_are_those_of_items(features: Client) -> None:
    for parameters in (
        {"filter": "magnitude > 3"},
        {"bbox": "0,0,90,80"},
        {"datetime": "2020-03-01/.."},
        {"category": "low"},
    ):
        page = await features.json(f"{EVENTS}/items", limit="1000", **parameters)
        found = await features.get(f"{EVENTS}/export", {"f": "json", **parameters})
        assert sorted(row["itemId"] for row in found.json()) == [feature["id"] for feature in page["features"]]
        assert len(found.json()) == page["numberMatched"] < 237
    for wrong in ("limit=5", "cursor=x", "offset=1", "magnitud=1", "filter=x", "geometry=lonlat&f=fgb"):
        answer = await features.get(f"{EVENTS}/export?{wrong}")
        assert (answer.status, answer.json()["detail"][0]["loc"][1]) == (422, wrong.partition("=")[0])
    assert (await features.get(f"{EVENTS}/export?f=html")).status == 422
    assert (await features.get("/collections/hostile.nothing/export")).status == 404


async def test_a_download_is_resumed(features: Client) -> None:
    address = f"{EVENTS}/export?f=csv"
    whole = await features.get(address)
    tag = whole.headers["ETag"]
    assert not tag.startswith("W/")
    assert (whole.headers["Content-Length"], whole.headers["Accept-Ranges"]) == (str(len(whole.body)), "bytes")
    assert whole.headers["Content-Disposition"] == "attachment; filename=hostile.events.csv"
    size = len(whole.body)
    for asked, start, end in (("bytes=100-", 100, size), ("bytes=0-9", 0, 10), ("bytes=-20", size - 20, size)):
        part = await features.get(address, headers={"Range": asked, "If-Range": tag})
        assert (part.status, part.body) == (206, whole.body[start:end])
        assert part.headers["Content-Range"] == f"bytes {start}-{end - 1}/{size}"
    other = await features.get(address, headers={"Range": "bytes=100-", "If-Range": '"another"'})
    assert (other.status, other.body) == (200, whole.body)
    beyond = await features.get(address, headers={"Range": f"bytes={size}-"})
    assert (beyond.status, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")
    assert (await features.get(address, headers={"If-None-Match": tag})).status == 304
    head = await features.get(address, method="HEAD")
    assert (head.status, head.headers["Content-Length"], head.headers["ETag"]) == (200, str(size), tag)
    # a request for the headers alone makes no file
    other_head = await features.get(f"{EVENTS}/export?f=csv&ids=1", method="HEAD")
    assert (other_head.status, "ETag" in other_head.headers) == (200, False)
    assert other_head.headers["OGC-NumberMatched"] == "1"


def wanted_of_many(running: Services) -> Wanted:
    many = running.apps["features"][CATALOGUE].collection("hostile.many")
    query = parse_items(many, QueryValues(defaultdict(lambda: None, limit=2**62)), {})
    return Wanted(query, EXPORT_FORMATS["text/csv"], PageLinks(b"", ""), b"", "of-this-test", lambda: False)


async def test_who_comes_while_an_export_is_given_up_gets_one_that_is_made(
    running: Services,
) -> None:
    exports, wanted = running.apps["features"][EXPORTS], wanted_of_many(running)
    left = await exports.open(wanted)
    # it has begun
    await asyncio.sleep(0)
    exports.leave(left)
    again = await exports.open(wanted)
    try:
        assert again is not left
        assert await again.wait_for_end(20)
        assert await again.read(0, 13) == b"collectionId,"
        assert again.rows > 2500
    finally:
        exports.leave(again)


async def test_what_is_not_kept_is_only_for_those_who_came_while_it_was_made(running: Services) -> None:
    exports, wanted = running.apps["features"][EXPORTS], wanted_of_many(running)
    first, second = await exports.open(wanted), await exports.open(wanted)
    assert second is first
    assert await first.wait_for_end(20)
    later = await exports.open(wanted)
    assert later is not first
    assert await later.wait_for_end(20)
    for each in (first, second, later):
        exports.leave(each)


async def test_who_leaves_while_an_export_ends_leaves_no_file_open(running: Services) -> None:
    exports = running.apps["features"][EXPORTS]
    export = await exports.open(wanted_of_many(running))
    assert export.task
    while not export.whole:
        assert not export.task.done()
        await asyncio.sleep(0)
    # its folder is cleared away at this moment
    assert not export.task.done()
    exports.leave(export)
    await asyncio.wait([export.task])
    assert export.file
    assert export.file.closed


Slow = tuple[Services, Path, str]
_SLOW = """
    CREATE SCHEMA slow;
    CREATE TABLE slow.rows AS SELECT n AS id, repeat('x', 1000) AS word FROM generate_series(1, 4000) AS n;
    ALTER TABLE slow.rows ADD PRIMARY KEY (id);
    -- json, which cannot be ordered: only rows that are sent wait
    CREATE VIEW slow.waits AS
        SELECT id, word, CASE WHEN id > 300 THEN to_json(pg_sleep(0.05)::text) END AS nap FROM slow.rows;
    CREATE FUNCTION slow.ends() RETURNS json LANGUAGE sql STABLE COST 1000000
        AS 'SELECT to_json(pg_terminate_backend(pg_backend_pid()))';
    CREATE VIEW slow.breaks AS SELECT id, word, CASE WHEN id = 3500 THEN slow.ends() END AS nap FROM slow.rows;
"""


@pytest.fixture(scope="module")
async def slow(
    make_database: object, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Services, Path, str]]:
    """Services with room for one export at a time, of 3 MB, their folder, and the owner's database."""
    url = await make_database()  # type: ignore[operator]
    owner = await asyncpg.connect(url)
    await apply_schema(owner)
    await owner.execute(_SLOW)
    await owner.close()
    state = tmp_path_factory.mktemp("state")
    (state / "exports" / "making-old").mkdir(parents=True)
    (state / "exports" / "making-old" / "lock").touch()
    environment = {
        "DAMS_DATABASE_URL": url,
        "DAMS_COLLECTION_SCHEMAS": "slow",
        "DAMS_STATE_DIR": str(state),
        "DAMS_EXPORTS_AT_ONCE": "1",
        "DAMS_EXPORT_MAX_BYTES": "3000000",
        "DAMS_EXPORT_KEPT_BYTES": "500000",
    }
    async with services() as started:
        for name in ("common", "features"):
            await started.start(name, environment)
        yield started, state / "exports", url


@pytest.mark.faults
async def test_folders_that_were_left_are_cleared_away(slow: Slow) -> None:
    assert not (slow[1] / "making-old").exists()


async def _statements(url: str) -> int:
    owner = await asyncpg.connect(url)
    try:
        return int(
            await owner.fetchval(
                "SELECT count(*) FROM pg_stat_activity"
                " WHERE application_name = 'dams-features-export' AND state <> 'idle'"
            )
        )
    finally:
        await owner.close()


async def test_who_asks_for_the_same_at_once_gets_the_same_file(slow: Slow) -> None:
    client = slow[0]["features"]
    address = "/collections/slow.rows/export?f=ndjson&ids=1,2,3"
    answers = await asyncio.gather(*(client.get(address) for _ in range(4)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.headers["ETag"] for answer in answers}) == 1


@pytest.mark.faults
async def test_what_nobody_reads_is_given_up(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    running, folder, url = slow
    client = running["features"]
    address = "/collections/slow.waits/export?f=csv"
    # no version shows when the view changes; this pretends that one did
    monkeypatch.setattr(export_handler, "key_of", lambda _, query, *__, **___: query.selection.collection.id)
    async with client.session.get(f"{client.base}{address}") as response:
        assert (response.status, response.headers["Transfer-Encoding"]) == (200, "chunked")
        assert (await response.content.readline()).startswith(b"collectionId,")
        # one at a time, for all clients
        refused = await client.get("/collections/slow.rows/export?f=csv&ids=1")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert await _statements(url) == 1
        # a request for its headers shows its progress; a client that cannot read it in parts must retry
        head = await client.get(address, method="HEAD")
        assert (head.status, int(head.headers["DAMS-Rows-Written"]) > 0) == (200, True)
        assert head.headers["ETag"] == response.headers["ETag"]
        monkeypatch.setattr(export_handler, "PATIENCE", 0.1)
        old = await client.get(address, headers={"X-Client-Protocol": "HTTP/1.0"})
        assert (old.status, old.headers["Retry-After"]) == (503, "5")
        assert old.json() == {"detail": "The export is still being made; it is too large for HTTP/1.0."}
        assert await _statements(url) == 1
        response.close()

    async def given_up() -> None:
        assert await _statements(url) == 0
        assert not [*folder.glob("making-*")]
        assert (await client.get("/collections/slow.rows/export?f=csv&ids=1")).status == 200

    await eventually(given_up)


@pytest.mark.faults
async def test_a_file_that_nobody_waits_for_is_given_up(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    running, _, url = slow
    client = running["features"]
    monkeypatch.setattr(export_handler, "PATIENCE", 0.1)
    async with client.session.get(f"{client.base}/collections/slow.waits/export?f=gpkg") as response:
        assert (response.status, response.headers["Transfer-Encoding"]) == (200, "chunked")
        assert await _statements(url) == 1
        # there is nothing to read yet
        response.close()

    async def given_up() -> None:
        assert await _statements(url) == 0

    await eventually(given_up)


@pytest.mark.faults
@pytest.mark.parametrize("format_", ["csv", "ndjson", "gpkg", "parquet", "fgb"])
async def test_what_is_too_large_is_refused(slow: Slow, format_: str) -> None:
    running, folder, _ = slow
    client = running["features"]
    address = f"{client.base}/collections/slow.rows/export?f={format_}"
    if format_ == "parquet":
        # compressed it is small
        assert (await client.get(address)).status == 200
        return

    async def refused() -> None:
        async with client.session.get(address) as response:
            # others may still be at work
            assert response.status != 503
            if response.status == 200:
                # the answer had begun: a truncated one must not look complete
                with pytest.raises(Exception, match=r"(?i)payload|closed|disconnected|encoding"):
                    await response.read()
            else:
                assert response.status == 422
                (fault,) = (await response.json())["detail"]
                assert (fault["loc"], fault["input"]) == (["query", "filter"], None)
                assert fault["msg"] == (
                    "filter: the export is larger than 3,000,000 bytes, the maximum of this server;"
                    " request a part of it by filter, bbox, datetime or properties"
                )

    await eventually(refused)

    async def cleared() -> None:
        assert not [*folder.glob("making-*")]

    await eventually(cleared)


@pytest.mark.faults
async def test_a_file_for_which_there_is_no_room_is_refused_and_taken_away(slow: Slow) -> None:
    running, folder, _ = slow
    client, address = running["features"], "/collections/slow.rows/export?f=ndjson&filter=id<150"
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # as where a disk is full: of what is beyond, the system writes the beginning and tells how much
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        refused = await client.get(address)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (refused.status, refused.headers["Retry-After"]) == (503, "60")
    assert refused.json() == {"detail": "The file could not be written; try again later."}

    async def cleared() -> None:
        assert not [*folder.glob("making-*")]

    await eventually(cleared)
    assert len((await client.get(address)).body.splitlines()) == 149


@pytest.mark.faults
async def test_failure_before_the_first_row_is_an_error(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_handler, "MOMENT", 0)
    refused = await slow[0]["features"].get("/collections/slow.breaks/export?f=csv&filter=id=3500")
    assert (refused.status, refused.headers["Content-Type"]) == (503, "application/json")


@pytest.mark.faults
async def test_an_export_that_is_cut_never_looks_whole(slow: Slow) -> None:
    client = slow[0]["features"]
    for format_ in ("csv", "json", "fgb"):
        address = f"{client.base}/collections/slow.breaks/export?f={format_}&properties=id,nap"
        async with client.session.get(address) as response:
            if response.status == 200:
                with pytest.raises(Exception, match=r"(?i)payload|closed|disconnected|encoding"):
                    await response.read()
            else:
                assert response.status == 503


async def test_the_folder_stays_small(slow: Slow) -> None:
    running, folder, _ = slow
    client = running["features"]
    for number in range(1, 8):
        answer = await client.get(f"/collections/slow.rows/export?f=csv&filter=id<{100 * number}")
        assert answer.status == 200
    kept = [file for file in folder.iterdir() if file.is_file()]
    assert kept
    assert sum(file.stat().st_size for file in kept) <= 500_000


async def test_rows_are_of_one_moment(slow: Slow) -> None:
    running, _, url = slow
    client = running["features"]
    owner = await asyncpg.connect(url)
    changing = asyncio.Event()

    async def change() -> None:
        for number in range(200):
            changing.set()
            # a row goes from the one end to the other
            await owner.execute(
                "UPDATE slow.rows SET id = CASE WHEN id = 1 THEN 100000 ELSE 1 END WHERE id IN (1, 100000)"
            )
            await asyncio.sleep(0.001)
            if number > 100 and done.is_set():
                break

    done = asyncio.Event()
    writing = asyncio.create_task(change())
    await changing.wait()
    try:
        for _ in range(5):
            answer = await client.get("/collections/slow.rows/export?f=json&properties=id")
            found = [row["itemId"] for row in answer.json()]
            assert len(found) == len(set(found)) == 4000
            assert len({1, 100000} & set(found)) == 1
    finally:
        done.set()
        await writing
        await owner.close()
