"""Features of functions whose arguments a request must give."""

from __future__ import annotations

import re
from pathlib import Path

import asyncpg

from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services

_ITEMS = "/collections/asked.events/items"


async def test_an_item_is_asked_for_with_the_arguments_of_its_function(
    hostile: HostileDatabase, tmp_path: Path
) -> None:
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute(
        "CREATE SCHEMA asked; CREATE FUNCTION asked.events(at_least float8) RETURNS TABLE (id integer,"
        " magnitude float8, geom geometry(Point, 4326)) STABLE LANGUAGE sql AS"
        " $$ SELECT id, magnitude, geom FROM hostile.events WHERE magnitude >= at_least $$;"
        "CREATE FUNCTION asked.parts(divisor integer) RETURNS TABLE (id integer, part integer) STABLE LANGUAGE sql AS"
        " $$ SELECT n, n / divisor FROM generate_series(1, 3) AS n $$;"
        "CREATE FUNCTION asked.of_category(category text) RETURNS SETOF hostile.events STABLE LANGUAGE sql AS"
        " $$ SELECT * FROM hostile.events AS e WHERE e.category = $1 $$;"
        "GRANT USAGE ON SCHEMA asked TO hostile_reader;"
        "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA asked TO hostile_reader"
    )
    file = tmp_path / "collections.yaml"
    names = ("events", "parts", "of_category")
    file.write_text("".join(["collections:\n", *(f"  asked.{name}: {{id_column: id}}\n" for name in names)]))
    try:
        async with services() as started:
            for name in ("common", "features"):
                await started.start(
                    name, hostile.env(DAMS_COLLECTION_SCHEMAS="asked", DAMS_COLLECTIONS_CONFIG=str(file))
                )
            features = started["features"]
            page = await features.get(_ITEMS, {"at_least": "7.5", "f": "html"})
            addresses = set(
                re.findall(r'href="(http[^"]*/items/[^"?]+\?[^"]*)"', page.body.decode().replace("&amp;", "&"))
            )
            assert len(addresses) == 9
            # its rows have no key
            assert page.headers["DAMS-Paging"] == "offset"
            for address in addresses:
                assert (await features.get(address)).status == 200
            feature = (await features.json(_ITEMS, at_least="7.5"))["features"][0]
            path = f"{_ITEMS}/{feature['id']}"
            item = await features.get(path, {"at_least": "7.5"})
            assert item.json()["properties"] == feature["properties"]
            assert "at_least=7.5" in (item.link("self") or "")
            (fault,) = (await features.get(_ITEMS, {"at_least": "7.5", "cursor": "x"})).json()["detail"]
            assert fault["loc"] == ["query", "cursor"]
            assert fault["msg"] == "cursor cannot be used: the rows of this collection have no unique id"
            # it is one of those that the function gives for these arguments
            assert (await features.get(path, {"at_least": "9.5"})).status == 404
            text = (await features.get(path, {"at_least": "7.5", "f": "html"})).body.decode()
            files = re.findall(r"/export\?([^\s\"'<]*)", text)
            assert len(files) > 5
            assert {file.partition("&amp;f=")[0] for file in files} == {f"at_least=7.5&amp;ids={feature['id']}"}
            # the small map leads to it, too
            assert f'/items/{feature["id"]}?at_least=7.5&amp;f=html"><title>' in text
            # an argument may have the name of a column
            of_category = "/collections/asked.of_category/items"
            (some, *_) = (await features.json(of_category, category="low"))["features"]
            assert (await features.json(f"{of_category}/{some['id']}", category="low"))["id"] == some["id"]
            await _what_has_no_version(features)
            parts = "/collections/asked.parts/items"
            assert (await features.json(f"{parts}/3", divisor="3"))["properties"] == {"id": 3, "part": 1}
            # a feature that cannot be computed is not the same as a missing one
            for address in (parts, f"{parts}/3"):
                assert (await features.get(address, {"divisor": "0"})).status in (422, 503), address
            for wrong in (
                {},
                {"at_least": "x"},
                {"at_least": "7.5", "magnitude": "1"},
                {"at_least": "7.5", "word": "1"},
            ):
                assert (await features.get(path, wrong)).status == 422, wrong
    finally:
        await owner.execute("DROP SCHEMA asked CASCADE")
        await owner.close()


async def _what_has_no_version(features: Client) -> None:
    """It is unknown when the features of a function change: no tags, no parts of files, no stream of changes."""
    changes = await features.get("/collections/asked.events/changes")
    assert (changes.status, changes.json()) == (
        404,
        {"detail": "Nothing tells when collection 'asked.events' changes: it has no data version."},
    )
    feed = await features.get("/collections/asked.events/feed", {"at_least": "7.5", "f": "atom"})
    assert feed.status == 200
    updated = re.findall(rb"<updated>([^<]*)</updated>", feed.body)
    assert len(updated) == 10
    assert re.fullmatch(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", updated[0])
    assert set(updated) == {updated[0]}
    export = await features.get("/collections/asked.events/export", {"at_least": "7.5", "f": "csv"})
    assert (export.status, len(export.body.splitlines())) == (200, 10)
    head = await features.get("/collections/asked.events/export?at_least=7.5&f=csv", method="HEAD")
    assert head.headers["OGC-NumberMatched"] == "9"
    for answer in (feed, export, head, await features.get(f"{_ITEMS}?at_least=7.5")):
        assert not {"ETag", "Accept-Ranges", "Last-Modified"} & answer.headers.keys(), answer.url
