"""The command line: what it says, and with which code it ends."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import asyncpg
import pytest

from deploy.loader import sources
from deploy.loader.command.arguments import moment
from deploy.loader.source import Source
from deploy.loader.store.lock import hold_lock
from tests.deploy.loader.conftest import Publisher
from tests.deploy.loader.earthquake_feed import feature, feed

REPOSITORY = Path(__file__).parents[3]


async def command(url: str | None, *arguments: str) -> tuple[int, str, str]:
    """Its code, and what it says on both channels."""
    environment = {name: value for name, value in os.environ.items() if name != "DAMS_DATABASE_LOADER_URL"}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "deploy.loader", *arguments),
        cwd=REPOSITORY,
        env=environment | ({"DAMS_DATABASE_LOADER_URL": url} if url else {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode is not None
    return process.returncode, out.decode(), err.decode()


async def as_json(url: str, *arguments: str) -> tuple[int, Any]:
    code, out, err = await command(url, *arguments, "--json")
    return code, json.loads(out or err)


async def test_a_load_from_beginning_to_end(owner: asyncpg.Connection, loader_url: str, publisher: Publisher) -> None:
    address = publisher.publish("/feed", feed(feature(), feature("us1", updated="soon")))
    load = ("usgs-earthquakes", "--from", address)
    code, said = await as_json(loader_url, *load, "--dry-run")
    assert (code, said["dryRun"], said["inserted"]) == (0, True, 1)
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 0
    assert await owner.fetchval("SELECT count(*) FROM dams.load_source") == 0
    code, out, _ = await command(loader_url, *load)
    assert code == 0
    assert "2 read, 1 inserted, 0 unchanged, 1 rejected" in out
    assert "us1" in out
    code, said = await as_json(loader_url, "status")
    [state] = said["status"]
    assert (code, state["source"], state["summary"]["inserted"]) == (0, "usgs-earthquakes", 1)
    assert 0 <= state["ageSeconds"] < 600
    publisher.publish("/feed", "<html><title>Down</title></html>")
    code, said = await as_json(loader_url, *load)
    assert (code, said["status"]) == (1, "failed")
    assert "Down" in said["error"]
    assert "FAILED" in (await command(loader_url, "status"))[1]


async def test_several_sources_have_each_their_documents(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher
) -> None:
    pages = [publisher.publish(f"/{name}", feed(feature(name))) for name in ("us1", "us2")]
    csv = Path(__file__).parent / "usgs_2013.csv"
    given = [f"usgs-earthquakes={pages[0]}", f"usgs-earthquakes-csv={csv}", f"usgs-earthquakes={pages[1]}?a=b"]
    code, out, _ = await command(loader_url, *given)
    assert code == 0
    assert [line.partition(",")[0] for line in out.splitlines() if "read" in line] == [
        "usgs-earthquakes: 2 read",
        f"usgs-earthquakes-csv: {len(csv.read_text().splitlines()) - 1} read",
    ]
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events WHERE event_id IN ('us1', 'us2')") == 2


async def test_it_says_who_holds_a_source(loader_url: str, publisher: Publisher) -> None:
    other = await asyncpg.connect(loader_url)
    async with hold_lock(other, "usgs-earthquakes"):
        code, said = await as_json(loader_url, "usgs-earthquakes", "--from", publisher.publish("/feed", feed()))
    await other.close()
    assert (code, said["status"]) == (3, "busy")
    assert "process" in said["error"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a source"),
        (["usgs"], "there is no source 'usgs'; there are usgs-earthquakes"),
        (["usgs-earthquakes", "--since", "yesterday"], "--since"),
        (["usgs-earthquakes", "scedc-catalogue", "--from", "a.csv"], "one source"),
        (["usgs-earthquakes=a", "--from", "b"], "named twice"),
        (["usgs-earthquakes="], "names no document"),
        (["usgs-earthquakes=a", "--watch"], "--from"),
        (["scedc-catalogue", "--watch"], "nobody publishes it"),
        (["usgs-earthquakes"], "DAMS_DATABASE_LOADER_URL is missing"),
    ],
)
async def test_wrong_arguments_end_with_2(arguments: list[str], said: str) -> None:
    code, _, err = await command(None, *arguments)
    assert code == 2
    assert said in err


async def test_a_source_that_nobody_publishes_wants_its_documents(loader_url: str) -> None:
    code, _, err = await command(loader_url, "scedc-catalogue")
    assert code == 1
    assert "scedc-catalogue has no address of its own: give " in err
    assert "by --from" in err


async def test_what_there_is_can_be_listed() -> None:
    code, out, _ = await command(None, "list", "--json")
    names = {source["source"]: source for source in json.loads(out)["list"]}
    assert code == 0
    assert {"usgs-earthquakes", "usgs-earthquakes-csv", "scedc-catalogue"} <= names.keys()
    assert names["usgs-earthquakes"]["addresses"][0].startswith("https://earthquake.usgs.gov/")
    modules = [import_module(f"{sources.__name__}.{module.name}") for module in iter_modules(sources.__path__)]
    declared = [found for module in modules if isinstance(found := getattr(module, "SOURCE", None), Source)]
    assert len(declared) > 10
    assert names.keys() == {source.name for source in declared}


async def test_a_database_that_is_away_or_another_is_said(database_url: str) -> None:
    code, _, err = await command("postgresql://127.0.0.1:1/none", "status")
    assert (code, "error:" in err) == (1, True)
    code, _, err = await command(database_url, "status")
    assert (code, "deploy.database apply" in err) == (1, True)


def test_moments_are_times_or_spans() -> None:
    assert moment("2018-02-01") == datetime(2018, 2, 1, tzinfo=UTC)
    assert moment("2018-02-01T03:00:00+03:00") == datetime(2018, 2, 1, tzinfo=UTC)
    assert abs(datetime.now(UTC) - moment("P1DT12H") - timedelta(hours=36)) < timedelta(minutes=1)
    for text in ("P", "PT", "P1", "yesterday", ""):
        with pytest.raises(ValueError, match=r".*"):
            moment(text)


async def test_an_operator_sets_the_address_of_a_source_and_a_contact(
    owner: asyncpg.Connection, loader_url: str, publisher: Publisher, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = publisher.publish("/mirror", feed(feature()))
    monkeypatch.setenv("DAMS_LOADER_ADDRESSES", f"usgs-earthquakes={address}")
    monkeypatch.setenv("DAMS_LOADER_CONTACT", "someone@example.org\u00e9")
    code, out, _ = await command(loader_url, "usgs-earthquakes", "--since", "P7D")
    assert (code, out.partition(",")[0]) == (0, "usgs-earthquakes: 1 read")
    assert await owner.fetchval("SELECT count(*) FROM hazard.hazard_eq_events") == 1
    assert publisher.asked[-1].headers["User-Agent"].endswith("; someone@example.org)")
    for wrong, said in (
        ("usgs=http://127.0.0.1/x", "'usgs' is not a source"),
        ("ibtracs=etc/passwd", "needs an address"),
    ):
        monkeypatch.setenv("DAMS_LOADER_ADDRESSES", wrong)
        code, _, err = await command(loader_url, "status")
        assert (code, said in err) == (2, True), err
