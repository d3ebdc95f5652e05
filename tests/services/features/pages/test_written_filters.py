"""Every filter that a page writes itself parses and runs, for all names of columns."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from html import unescape
from urllib.parse import parse_qsl, unquote, urlsplit

import asyncpg
import pytest

from libs.cql.quoting import RESERVED_WORDS
from libs.pg.sql import ident
from tests.services.conftest import HostileDatabase
from tests.services.in_process import Client, services

NAMES = [
    *sorted(RESERVED_WORDS),
    "BETWEEN",
    'a "b"',
    "émoji ☂",
    "Größe",
    "it's",
    "back\\slash",
    "1st",
    "a.b",
    "%",
    "&=",
]
TEXTS = ["it's", "a\\", "\\'", "100%", 'a "b" & c']


def _quoted(name: str) -> str:
    return ident(name).render()[0]


@pytest.fixture(scope="module")
async def wordy(hostile: HostileDatabase, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Client]:
    """Features of a table for each name: all the names are its columns, and that one is of importance."""
    owner = await asyncpg.connect(hostile.owner_url)
    await owner.execute("CREATE SCHEMA wordy; GRANT USAGE ON SCHEMA wordy TO hostile_reader")
    columns = ", ".join(f"{_quoted(name)} integer" for name in NAMES)
    for number in range(len(NAMES)):
        await owner.execute(
            f"CREATE TABLE wordy.t{number} (id integer PRIMARY KEY, {columns},"
            ' "like it" text, geom geometry(Point, 4326));'
            f"GRANT SELECT ON wordy.t{number} TO hostile_reader"
        )
        places = ", ".join(f"${place}" for place in range(1, len(NAMES) + 3))
        for row, text in enumerate(TEXTS, 1):
            values = [row * (place + 1) for place in range(len(NAMES))]
            await owner.execute(f"INSERT INTO wordy.t{number} VALUES ({places})", row, *values, text)  # noqa: S608
    configuration = tmp_path_factory.mktemp("wordy") / "collections.json"
    configuration.write_text(
        json.dumps({"collections": {f"wordy.t{number}": {"importance": [name]} for number, name in enumerate(NAMES)}})
    )
    async with services() as started:
        env = hostile.env(DAMS_COLLECTION_SCHEMAS="wordy", DAMS_COLLECTIONS_CONFIG=str(configuration))
        await started.start("common", env)
        yield await started.start("features", env)
    await owner.execute("DROP SCHEMA wordy CASCADE")
    await owner.close()


def _links(page: bytes) -> list[str]:
    return [unescape(address) for address in re.findall(r'href="([^"]*)"', page.decode())]


async def _ids(features: Client, collection: str, text: str) -> list[int]:
    answer = await features.json(f"/collections/{collection}/items", filter=text, limit="100")
    return [feature["id"] for feature in answer["features"]]


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
async def test_the_example_runs_and_finds_something(number: int, wordy: Client) -> None:
    page = await wordy.get(f"/collections/wordy.t{number}/items", {"f": "html"})
    assert page.status == 200
    shown = [dict(parse_qsl(urlsplit(link).query)) for link in _links(page.body)]
    examples = [given["filter"] for given in shown if "filter" in given]
    placeholder = re.search(r'name="filter"[^>]*placeholder="([^"]*)"', page.body.decode())
    assert placeholder
    assert examples == [unescape(placeholder[1])]
    assert await _ids(wordy, f"wordy.t{number}", examples[0])


@pytest.mark.parametrize(
    ("name", "ids", "filter_"), [("hostile.events", "999999", "name IS NOT NULL"), ("hostile.UPPER", "1", "")]
)
async def test_where_nothing_is_found_the_first_property_is_asked_for(
    name: str, ids: str, filter_: str, features: Client
) -> None:
    page = (await features.get(f"/collections/{name}/items", {"ids": ids, "f": "html"})).body.decode()
    placeholder = re.search(r'name="filter"[^>]*placeholder="([^"]*)"', page)
    assert placeholder
    assert unescape(placeholder[1]) == filter_
    assert (await features.get("/collections/hostile.events/items", {"filter": "name IS NOT NULL"})).status == 200


# bbox is a query parameter already
@pytest.mark.parametrize(
    ("name", "text"), [*((name, "3") for name in NAMES if name != "bbox"), *(("like it", text) for text in TEXTS)]
)
async def test_the_map_gets_the_same_features(name: str, text: str, wordy: Client) -> None:
    number = NAMES.index(name) if name in NAMES else 0
    value = str(3 * (number + 1)) if name in NAMES else text
    given = {name: value, "ids": "1,2,3,4,5"}
    page = await wordy.get("/collections/wordy.t0/items", {**given, "f": "html"})
    assert page.status == 200, page.body
    (address,) = {link for link in _links(page.body) if "/map.html#f." in link}
    state = dict(pair.split("=", 1) for pair in urlsplit(address).fragment.split("&"))
    answer = await wordy.json("/collections/wordy.t0/items", **given)
    found = [feature["id"] for feature in answer["features"]]
    assert len(found) == 1
    assert await _ids(wordy, "wordy.t0", unquote(state["f.wordy.t0"])) == found
